import { expect, test } from 'vitest';
import * as z from 'zod';
import { ResponseValidationError } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const client = (reply: Response = json({})) => {
  const fetch = stubFetch(() => reply.clone());
  return { fetch, client: stubClient(fetch) };
};

test('a schema of Zod parses the answer, and types it', async () => {
  const Orders = z.array(z.object({ id: z.number(), placed: z.coerce.date() }));
  const orders = await client(json([{ id: 1, placed: '2026-01-01' }])).client.request({
    method: 'GET',
    path: '/store/orders',
    schema: Orders,
  });
  expect(orders[0]!.placed.getFullYear()).toBe(2026);
  const error = await rejection<ResponseValidationError>(
    client(json([{ id: 'x' }])).client.request({
      method: 'GET',
      path: '/store/orders',
      schema: Orders,
    }),
  );
  expect(error).toBeInstanceOf(ResponseValidationError);
  expect(error.issues.map(({ path }) => path)).toEqual([
    [0, 'id'],
    [0, 'placed'],
  ]);
});

test('a schema of any other library that follows Standard Schema does too, sync or async', async () => {
  const schema = (result: unknown) => ({
    '~standard': { version: 1 as const, vendor: 'mine', validate: () => result as never },
  });
  const ask = (result: unknown) =>
    client(json({ a: 1 })).client.request({ method: 'GET', path: '/x', schema: schema(result) });
  expect(await ask({ value: 42 })).toBe(42);
  expect(await ask(Promise.resolve({ value: 43 }))).toBe(43);
  const symbol = Symbol('s');
  const error = await rejection<ResponseValidationError>(
    ask({
      issues: [
        { message: 'no', path: ['a', { key: 0 }, symbol, { key: symbol }] },
        { message: 'at all' },
      ],
    }),
  );
  expect(error.issues).toEqual([
    { message: 'no', path: ['a', 0, 'Symbol(s)', 'Symbol(s)'] },
    { message: 'at all', path: [] },
  ]);
  expect(error.message).toContain('a[0].Symbol(s).Symbol(s) no; the value at all');
});

test('a schema that is a function, as those of ArkType, is taken', async () => {
  const schema = Object.assign(() => undefined, {
    '~standard': { version: 1 as const, vendor: 'ark', validate: () => ({ value: 'parsed' }) },
  });
  expect(await client().client.request({ method: 'GET', path: '/x', schema })).toBe('parsed');
});

test.each([
  [
    'throws',
    () => {
      throw new Error('bug');
    },
  ],
  ['rejects', () => Promise.reject(new Error('bug'))],
  ['gives nothing', () => undefined as never],
  ['gives null', () => null as never],
  ['gives a number of issues', () => ({ issues: 5 }) as never],
  [
    'gives an issue with a path of nothing',
    () => ({ issues: [{ message: 'x', path: [null] }] }) as never,
  ],
])(
  'a schema that %s is a ResponseValidationError, never taken for a broken connection',
  async (_name, validate) => {
    const schema = { '~standard': { version: 1 as const, vendor: 'mine', validate } };
    const { fetch, client: pets } = client(json({ a: 1 }));
    const error = await rejection<ResponseValidationError>(
      pets.request({ method: 'POST', path: '/x', schema }),
    );
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toContain(
      'the schema did not come to a verdict: it threw, or gave neither a value nor issues',
    );
    expect(error.message).toContain('the request took effect');
    expect(fetch.sent).toHaveLength(1);
  },
);

test('what a schema throws is the cause of the error', async () => {
  const validate = () => {
    throw new TypeError('no such rule');
  };
  const schema = { '~standard': { version: 1 as const, vendor: 'mine', validate } };
  const request = { method: 'GET', path: '/x', schema } as const;
  const error = await rejection<Error>(client(json({ a: 1 })).client.request(request));
  expect(error.cause).toMatchObject({ name: 'TypeError', message: 'no such rule' });
});

test('an empty answer is undefined where no schema says otherwise', async () => {
  expect(
    await client(new Response(null, { status: 204 })).client.request({
      method: 'DELETE',
      path: '/x',
    }),
  ).toBeUndefined();
  expect(
    await client(new Response(null)).client.request({ method: 'head', path: '/x' }),
  ).toBeUndefined();
  expect(
    await client(new Response(null)).client.request({
      method: 'HEAD',
      path: '/x',
      schema: z.undefined(),
    }),
  ).toBeUndefined();
  const error = await rejection<Error>(
    client(new Response('')).client.request({ method: 'GET', path: '/x', schema: z.undefined() }),
  );
  expect(error.message).toContain('the body is empty');
});

test('an answer that is not JSON is refused', async () => {
  expect(
    await rejection(client(new Response('<p>')).client.request({ method: 'GET', path: '/x' })),
  ).toBeInstanceOf(ResponseValidationError);
});
