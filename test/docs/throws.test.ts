// The `@throws` of each method of the client name what failures make it reject with, and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PetStoreClient, PetStoreClientOptions, RequestOptions } from '../../src/index.js';
import { root } from '../support/documents.js';
import { json, newPet, stubClient, stubFetch, type Reply } from '../support/stub.js';

const source = readFileSync(join(root, 'src/client.ts'), 'utf8');

/** What the docs of a method say that it throws: names of errors, and `reason` for that of the signal. */
function documented(method: string): string[] {
  const docs = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+${method}[<(]`).exec(source)![1]!;
  const lines = docs.match(/^ +\* @throws .*$/gm)!.join('\n');
  const names = lines.matchAll(/\{@link (\w+)\}|`(reason)`/g);
  return [...names].map(([, error, reason]) => (error ?? reason)!).sort();
}

type Call = (client: PetStoreClient, options?: RequestOptions) => Promise<unknown>;
const neverValid = {
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) },
} as const;

/** Each method: a call that can succeed, and one with an argument that is wrong. */
const methods: Record<string, readonly [Call, Call]> = {
  listPets: [
    (client, options) => client.listPets({}, options),
    (client) => client.listPets({ limit: 0 }),
  ],
  createPet: [
    (client, options) => client.createPet(newPet, options),
    (client) => client.createPet({ ...newPet, name: 1 as never }),
  ],
  getPet: [(client, options) => client.getPet(1, options), (client) => client.getPet(0.5)],
  request: [
    (client, options) => client.request({ method: 'GET', path: '/x', schema: neverValid }, options),
    (client) => client.request({ method: 'GET', path: '//x' }),
  ],
};

type Failure = { reply?: Reply; client?: PetStoreClientOptions; call?: RequestOptions };

const failing = () => {
  throw new Error('no');
};
const failures: Failure[] = [
  { call: { unknown: 1 } as RequestOptions },
  { client: { apiKey: failing } },
  { client: { headers: failing } },
  { client: { gate: failing } },
  { reply: failing },
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

test.each(Object.keys(methods))(
  'the @throws of %s are complete, and it throws no other error',
  async (method) => {
    const [call, wrong] = methods[method]!;
    // What has no response body succeeds whatever the body is.
    const namesOf = (result: Promise<unknown>) =>
      result.then(
        () => [],
        (error: unknown) => [(error as Error).name],
      );
    const clientOf = (reply: Reply, options?: PetStoreClientOptions) =>
      stubClient(stubFetch(reply), { maxRetries: 0, ...options }) as PetStoreClient;
    const names = [
      await namesOf(wrong(clientOf(json([])))),
      ...(await Promise.all(
        failures.map(({ reply = json('{}'), client, call: options }) =>
          namesOf(call(clientOf(reply, client), options)),
        ),
      )),
    ];
    expect([...new Set(names.flat())].sort()).toEqual(documented(method));
  },
);

test('the constructor and withOptions throw what they say', () => {
  const wrong = { unknown: 1 } as PetStoreClientOptions;
  const made = {
    constructor: () => stubClient(stubFetch(), wrong),
    withOptions: () => stubClient(stubFetch()).withOptions(wrong as object),
  };
  for (const [name, make] of Object.entries(made)) {
    expect(documented(name)).toEqual(['ConfigurationError']);
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError' }));
  }
});
