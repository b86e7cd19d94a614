import { expect, test } from 'vitest';
import * as z from 'zod';
import { ResponseValidationError, type RawRequest } from '../../src/index.js';
import { failureOf, json, stubClient, stubFetch, type Reply } from '../support/stub.js';

type Schema = RawRequest['schema'];
const get = { method: 'GET', path: '/store/orders' } as const;
const parsed = (reply: Reply, schema: Schema, method = 'GET') =>
  stubClient(stubFetch(reply)).request({ ...get, method, schema: schema! });
const refused = (reply: Reply, schema: Schema, method = 'GET') =>
  failureOf<ResponseValidationError>(reply, (client) =>
    client.request({ ...get, method, schema: schema! }),
  );
/** A schema of any library that follows Standard Schema. */
const giving = (validate: () => unknown) => ({
  '~standard': { version: 1 as const, vendor: 'mine', validate: validate as () => never },
});

test('a schema of Zod parses the answer, and types it', async () => {
  const schema = z.array(z.object({ id: z.number(), placed: z.coerce.date() }));
  const client = stubClient(stubFetch(json([{ id: 1, placed: '2026-01-01' }])));
  const orders = await client.request({ ...get, schema });
  expect(orders[0]!.placed.getFullYear()).toBe(2026);
  const error = await refused(json([{ id: 'x' }]), schema);
  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(error.issues.map(({ path }) => path)).toEqual([
    [0, 'id'],
    [0, 'placed'],
  ]);
});

test('a schema of any other library that follows Standard Schema does too, sync or async, also as a function', async () => {
  const reply = json({ a: 1 });
  const value = { value: 42 };
  const sync = giving(() => value);
  // As those of ArkType are.
  const ofFunction = Object.assign(() => undefined, sync);
  for (const schema of [sync, giving(() => Promise.resolve(value)), ofFunction])
    expect(await parsed(reply, schema)).toBe(42);
  const symbol = Symbol('s');
  const path = ['a', { key: 0 }, symbol, { key: symbol }];
  const issues = [{ message: 'no', path }, { message: 'at all' }];
  const failing = giving(() => ({ issues }));
  const error = await refused(reply, failing);
  expect(error.issues).toEqual([
    { message: 'no', path: ['a', 0, 'Symbol(s)', 'Symbol(s)'] },
    { message: 'at all', path: [] },
  ]);
  expect(error.message).toContain('a[0].Symbol(s).Symbol(s) no; the value at all');
});

const bug = new TypeError('no such rule');
const throwsBug = () => {
  throw bug;
};

test.each<[string, () => unknown]>([
  ['throws', throwsBug],
  ['rejects', () => Promise.reject(bug)],
  ['gives nothing', () => undefined],
  ['gives null', () => null],
  ['gives a number of issues', () => ({ issues: 5 })],
  ['gives an issue with a path of nothing', () => ({ issues: [{ message: 'x', path: [null] }] })],
])(
  'a schema that %s is a ResponseValidationError, never taken for a broken connection',
  async (name, validate) => {
    const error = await refused(json({ a: 1 }), giving(validate), 'POST');
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toContain(
      'the schema did not come to a verdict: it threw, or gave neither a value nor issues',
    );
    expect(error.message).toContain('the request took effect');
    expect(error.attempts).toHaveLength(1);
    if (name === 'throws')
      expect(error.cause).toMatchObject({ name: 'TypeError', message: 'no such rule' });
  },
);

test('an empty answer is undefined where no schema says otherwise', async () => {
  expect(await parsed(new Response(null, { status: 204 }), undefined, 'DELETE')).toBeUndefined();
  expect(await parsed(new Response(null), undefined, 'head')).toBeUndefined();
  expect(await parsed(new Response(null), z.undefined(), 'HEAD')).toBeUndefined();
  const error = await refused(new Response(''), z.undefined());
  expect(error.message).toContain('the body is empty');
});

test('an answer that is not JSON is refused', async () => {
  expect(await refused(new Response('<p>'), undefined)).toBeInstanceOf(ResponseValidationError);
});
