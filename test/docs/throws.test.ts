// The `@throws` of each method of the client name what failures make it reject with, and nothing else.
import { expect, test } from 'vitest';
import type { PetStoreClientOptions, RequestOptions } from '../../src/index.js';
import { read } from '../support/documents.js';
import { failing } from '../support/recording-gate.js';
import { json, newPet, schemaBy, stubClient, stubFetch, type Reply } from '../support/stub.js';

const source = read('src/client.ts');

/** What the docs of a method say that it throws: names of errors, and `reason` for that of the signal. */
function documented(method: string): string[] {
  const docs = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+${method}[<(]`).exec(source)![1]!;
  const lines = docs.match(/^ +\* @throws .*$/gm)!.join('\n');
  const names = lines.matchAll(/\{@link (\w+)\}|`(reason)`/g);
  return [...names].map(([, error, reason]) => (error ?? reason)!).sort();
}

const schema = schemaBy(() => ({ issues: [{ message: 'no' }] }));

/** Each method: an argument with which it can succeed, and one that is wrong. */
const methods = {
  listPets: [{}, { limit: 0 }],
  createPet: [newPet, { ...newPet, name: 1 }],
  getPet: [1, 0.5],
  request: [
    { method: 'GET', path: '/x', schema },
    { method: 'GET', path: '//x' },
  ],
} as const;
type Method = keyof typeof methods;

type Failure = { reply?: Reply; client?: PetStoreClientOptions; call?: RequestOptions };

const failures: Failure[] = [
  { call: { unknown: 1 } as RequestOptions },
  { client: { apiKey: failing.throws } },
  { client: { headers: failing.throws } },
  { client: { gate: failing.throws } },
  { reply: failing.throws },
  { reply: () => new Promise(() => undefined), call: { timeout: 1 } },
  { reply: () => new Promise(() => undefined), call: { totalTimeout: 1 } },
  { reply: json('{'), call: { validation: 'strict' } },
  { reply: json('{}'), call: { validation: 'strict' } },
  { call: { signal: AbortSignal.abort(Object.assign(new Error(), { name: 'reason' })) } },
  ...Array.from({ length: 300 }, (_, n) => ({
    reply: () => json('{}', { status: 300 + n }),
    client: { maxWait: 0 },
  })),
];

test.each(Object.keys(methods) as Method[])('the @throws of %s are exact', async (method) => {
  const [argument, wrong] = methods[method];
  const names = new Set<string>();
  const fail = ({ reply = json('{}'), client, call }: Failure, given: unknown = argument) => {
    const pets = stubClient(stubFetch(reply), { maxRetries: 0, ...client });
    const note = (error: unknown) => void names.add((error as Error).name);
    // What has no response body succeeds whatever the body is.
    return pets[method](given as never, call).catch(note);
  };
  await Promise.all([fail({}, wrong), ...failures.map((failure) => fail(failure))]);
  expect([...names].sort()).toEqual(documented(method));
});

// options.test.ts holds what they refuse.
test.each(['constructor', 'withOptions'])('the @throws of %s are exact', (name) => {
  expect(documented(name)).toEqual(['ConfigurationError']);
});
