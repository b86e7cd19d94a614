import { expect, test } from 'vitest';
import * as z from 'zod';
import { ResponseValidationError, type PetStoreEvent, type RawRequest } from '../../src/index.js';
import { failing } from '../support/recording-gate.js';
import { failureOf, json, list, pet, schemaBy, stubClient, stubFetch } from '../support/stub.js';
import { petFields, rejection } from '../support/world.js';
import { fc } from '../support/fuzz.js';

const get: typeof list = (client) => client.getPet(1);
const strict = { validation: 'strict' } as const;

test.each([
  [{ born: 2020 }, `has an unknown field "born" (known: id, ${petFields})`],
  [{ status: 'adopted' }, 'status must be one of available, pending, sold, got "adopted"'],
])('strict refuses %j, for a client and for a call', async (fields, problem) => {
  const reply = json([pet(fields)]);
  for (const error of [
    await failureOf(reply, list, strict),
    await failureOf(reply, (client) => client.listPets({}, strict)),
    await failureOf(json(pet(fields)), undefined, { ...strict, int64: 'bigint' }),
  ]) {
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toContain(problem);
  }
  const client = stubClient(stubFetch(reply), strict);
  expect(await client.listPets({}, { validation: 'tolerant' })).toEqual([pet(fields)]);
});

/** The drift that calls of listPets report whose responses are these. */
async function driftOf(int64: 'number' | 'bigint', ...bodies: object[][]) {
  const events: PetStoreEvent[] = [];
  const fetch = stubFetch(...bodies.map((body) => json(body)));
  const client = stubClient(fetch, { onEvent: (event) => events.push(event), int64 });
  for (const _ of bodies) await client.listPets();
  return events.filter((event) => event.type === 'drift');
}

test('a field or status that the contract does not know is reported as drift, each once a client, and what it knows is not', async () => {
  const body = [
    pet({ born: 2020, status: 'adopted' }),
    pet({ born: 2021, tag: 1 }),
    pet({ status: 'sold' }),
  ];
  for (const int64 of ['number', 'bigint'] as const) {
    const drifts = await driftOf(int64, body, body);
    expect(drifts.map(({ kind, value, operation }) => `${operation} ${kind} ${value}`)).toEqual([
      'listPets field born',
      'listPets status adopted',
      'listPets field tag',
    ]);
  }
});

test('of a service that drifts without end 200 things are reported, cut to 100 characters', async () => {
  let at = 0;
  const body = () =>
    Array.from({ length: 100 }, () => pet({ ['x'.repeat(120)]: 1, [`f${at++}`]: 1 }));
  const drifts = await driftOf('number', body(), body(), body());
  expect(drifts).toHaveLength(200);
  expect(drifts[0]!.value).toBe('x'.repeat(100));
});

test('whatever JSON a service sends as a list, the call resolves to pets or rejects with a ResponseValidationError', async () => {
  const any = fc.jsonValue();
  const fields = { id: any, name: any, categoryId: any };
  const body = fc.oneof(any, fc.array(fc.record(fields, { requiredKeys: [] })));
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('number', 'bigint'), async (sent, int64) => {
      const outcome: unknown = await stubClient(stubFetch(json(JSON.stringify(sent))), { int64 })
        .listPets()
        .catch((error: unknown) => error);
      if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(ResponseValidationError);
      else
        for (const { id, name, categoryId } of outcome as Record<keyof typeof fields, unknown>[])
          expect([typeof id, typeof name, typeof categoryId]).toEqual([int64, 'string', int64]);
    }),
  );
});

test.each([{ int64: 'number' }, { int64: 'bigint' }, strict] as const)(
  'with %j what is no pet is told as such, whatever it is, and has no unknown fields',
  async (options) => {
    const drifts: PetStoreEvent[] = [];
    const onEvent = (event: PetStoreEvent) => event.type === 'drift' && drifts.push(event);
    const says = async (text: string, call: typeof list) =>
      (await failureOf(json(text), call, { ...options, onEvent })).message;
    const noPet = 'must be a pet: an object with id, name and categoryId';
    expect(await says('{"pets":[]}', list)).toContain('the value must be an array of pets');
    for (const text of ['null', '5', '"x"']) {
      expect(await says(text, get)).toContain(`the value ${noPet}`);
      expect(await says(`[${text}]`, list)).toContain(`[0] ${noPet}`);
    }
    expect(await says('{"id":1,"name":"x"}', get)).toContain(
      'categoryId is required: an integer (int64)',
    );
    expect(drifts).toEqual([]);
  },
);

type Schema = RawRequest['schema'];
const orders = { method: 'GET', path: '/store/orders' } as const;
const parsed = (reply: Response, schema: Schema, method = 'GET') =>
  stubClient(stubFetch(reply)).request({ ...orders, method, schema: schema! });
const refused = (...request: Parameters<typeof parsed>) =>
  rejection(parsed(...request), ResponseValidationError);

test('a schema of any other library that follows Standard Schema does too, sync or async, also as a function', async () => {
  const reply = json({ a: 1 });
  const value = { value: 42 };
  const sync = schemaBy(() => value);
  // As those of ArkType are.
  const ofFunction = Object.assign(() => undefined, sync);
  for (const schema of [sync, schemaBy(() => Promise.resolve(value)), ofFunction])
    expect(await parsed(reply, schema)).toBe(42);
  const symbol = Symbol('s');
  const path = ['a', { key: 0 }, symbol, { key: symbol }];
  const issues = [{ message: 'no', path }, { message: 'at all' }];
  const withIssues = schemaBy(() => ({ issues }));
  const error = await refused(reply, withIssues);
  expect(error.issues).toEqual([
    { message: 'no', path: ['a', 0, 'Symbol(s)', 'Symbol(s)'] },
    { message: 'at all', path: [] },
  ]);
  expect(error.message).toContain('a[0].Symbol(s).Symbol(s) no; the value at all');
});

test.each<[string, () => unknown]>([
  ['throws', failing.throws],
  ['rejects', failing.rejects],
  ['gives nothing', () => undefined],
  ['gives null', () => null],
  ['gives a number of issues', () => ({ issues: 5 })],
  ['gives an issue with a path of nothing', () => ({ issues: [{ message: 'x', path: [null] }] })],
])(
  'a schema that %s is a ResponseValidationError, never taken for a broken connection',
  async (name, validate) => {
    const error = await refused(json({ a: 1 }), schemaBy(validate), 'POST');
    expect(error.message).toContain('the schema threw, or gave no result');
    expect(error.message).toContain('the request took effect');
    expect(error.attempts).toHaveLength(1);
    if (name === 'throws')
      expect(error.cause).toMatchObject({ name: 'Error', message: 'Redis is down' });
    // Neither the service nor the address is the reason.
    const read = await refused(json({ a: 1 }), schemaBy(validate));
    expect(read.message).toMatch(/gave no result: fix it$/);
  },
);

test('an empty answer is undefined where no schema says otherwise', async () => {
  expect(await parsed(new Response(null, { status: 204 }), undefined, 'DELETE')).toBeUndefined();
  expect(await parsed(new Response(null), undefined, 'head')).toBeUndefined();
  expect(await parsed(new Response(null), z.undefined(), 'HEAD')).toBeUndefined();
  const noContent = new Response(null, { status: 204 });
  expect(await parsed(noContent, z.undefined(), 'DELETE')).toBeUndefined();
  const error = await refused(new Response(''), z.undefined());
  expect(error.message).toContain('the body is empty');
});
