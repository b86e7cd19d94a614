import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResponseValidationError, type PetStoreEvent } from '../../src/index.js';
import { json, pet, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

test('tolerant is the default: unknown fields are kept as they are, and an unknown status is passed on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.string().filter((name) => name !== '__proto__'),
        fc.jsonValue().filter((value) => !/(?<![.\d])\d{16}/.test(JSON.stringify(value))),
      ),
      fc.string(),
      async (extra, status) => {
        const sent = { ...extra, ...pet({ status }) };
        // Long integers are told apart elsewhere: here all else must come out as JSON has it.
        const text = JSON.stringify(sent);
        const found = await stubClient(stubFetch(json(`[${text}]`))).listPets();
        expect(JSON.parse(JSON.stringify(found[0]))).toEqual(JSON.parse(text));
      },
    ),
  );
});

test.each([
  [
    'an unknown field',
    { born: 2020 },
    'has an unknown field "born" (known: id, name, categoryId, status)',
  ],
  [
    'an unknown status',
    { status: 'adopted' },
    'status must be one of available, pending, sold, got "adopted"',
  ],
])('strict refuses %s, for a client and for a call', async (_name, fields, problem) => {
  const reply = json([pet(fields)]);
  const calls = [
    stubClient(stubFetch(reply), { validation: 'strict' }).listPets(),
    stubClient(stubFetch(reply)).listPets({}, { validation: 'strict' }),
    stubClient(stubFetch(json(pet(fields), { status: 201 })), {
      validation: 'strict',
      int64: 'bigint',
    }).createPet({
      name: 'x',
      categoryId: 1,
    }),
  ];
  for (const call of calls) {
    const error = await rejection<ResponseValidationError>(call);
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toContain(problem);
  }
  expect(
    await stubClient(stubFetch(reply), { validation: 'strict' }).listPets(
      {},
      { validation: 'tolerant' },
    ),
  ).toEqual([pet(fields)]);
});

test.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['Application/JSON', true],
  ['application/problem+json', true],
  ['text/plain', false],
  ['application/jsonp', false],
  ['text/html; application/json', false],
  ['', false],
])(
  'strict takes the content type %j: %s; tolerant takes any whose body is JSON',
  async (type, taken) => {
    const reply = new Response(JSON.stringify([pet()]), { headers: { 'Content-Type': type } });
    if (type === '') reply.headers.delete('content-type');
    expect(await stubClient(stubFetch(reply)).listPets()).toEqual([pet()]);
    const failOnUnhandled = stubClient(stubFetch(reply)).listPets({}, { validation: 'strict' });
    if (taken) expect(await failOnUnhandled).toEqual([pet()]);
    else
      expect((await rejection<Error>(failOnUnhandled)).message).toContain(
        '200, but the content type is not application/json',
      );
  },
);

test('a field or status that the contract does not know is reported as drift, each once a client', async () => {
  const events: PetStoreEvent[] = [];
  const reply = json([
    pet({ born: 2020, status: 'adopted' }),
    pet({ born: 2021, tag: 1 }),
    pet({ status: 'sold' }),
  ]);
  const client = stubClient(stubFetch(reply), { onEvent: (event) => events.push(event) });
  await client.listPets();
  await client.listPets();
  const drifts = events.filter((event) => event.type === 'drift');
  expect(drifts.map(({ kind, value, operation }) => `${operation} ${kind} ${value}`)).toEqual([
    'listPets field born',
    'listPets status adopted',
    'listPets field tag',
  ]);
});

test('what the contract knows is no drift', async () => {
  const events: PetStoreEvent[] = [];
  const client = stubClient(stubFetch(json(pet({ status: 'pending' }))), {
    onEvent: (event) => events.push(event),
    int64: 'bigint',
  });
  await client.getPet(1);
  await client.getPet(1);
  expect(events.map(({ type }) => type)).not.toContain('drift');
});

test('of a service that drifts without end 200 things are reported, cut to 100 characters', async () => {
  const events: PetStoreEvent[] = [];
  let at = 0;
  const fetch = stubFetch(() =>
    json(Array.from({ length: 100 }, () => pet({ ['x'.repeat(120)]: 1, [`f${at++}`]: 1 }))),
  );
  const client = stubClient(fetch, { onEvent: (event) => events.push(event) });
  for (let i = 0; i < 3; i++) await client.listPets();
  const drifts = events.filter((event) => event.type === 'drift');
  expect(drifts).toHaveLength(200);
  expect(drifts[0]!.value).toBe('x'.repeat(100));
});

test.each([
  ['missing-field', ResponseValidationError],
  ['null-field', ResponseValidationError],
  ['string-number', ResponseValidationError],
] as const)(
  'the drift %s breaks the contract, and is an error that names the path',
  async (drift, type) => {
    const { client } = world({ seed: 1, faults: [{ drift }] });
    const error = await rejection<ResponseValidationError>(client().listPets());
    expect(error).toBeInstanceOf(type);
    expect(error.issues[0]!.path[0]).toBe(0);
  },
);

test.each(['unknown-status', 'extra-field'] as const)(
  'the drift %s of a newer service is no error, and is reported',
  async (drift) => {
    const { client, events } = world({ seed: 1, faults: [{ drift }] });
    expect(await client().listPets()).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'drift')).toHaveLength(1);
  },
);

test('an id that a number cannot hold is an error by name, and exact with bigint', async () => {
  const { client } = world({ seed: 1, faults: [{ drift: 'huge-id' }] });
  expect((await rejection<Error>(client().listPets())).message).toContain(
    "set int64: 'bigint' on the client",
  );
  const [first] = await client({ int64: 'bigint' }).listPets();
  expect(first!.id > 2n ** 53n).toBe(true);
});

test('whatever JSON a service sends as a list, the call resolves to pets or rejects with a ResponseValidationError', async () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.array(
      fc.record(
        { id: fc.jsonValue(), name: fc.jsonValue(), categoryId: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom('number', 'bigint'), async (body, int64) => {
      const outcome: unknown = await stubClient(stubFetch(json(JSON.stringify(body))), { int64 })
        .listPets()
        .catch((error: unknown) => error);
      if (Array.isArray(outcome)) {
        for (const { id, name, categoryId } of outcome as {
          id: unknown;
          name: unknown;
          categoryId: unknown;
        }[])
          expect([typeof id, typeof name, typeof categoryId]).toEqual([int64, 'string', int64]);
      } else expect(outcome).toBeInstanceOf(ResponseValidationError);
    }),
  );
});

test.each(['number', 'bigint'] as const)(
  "with int64: '%s' what is no pet is told as such, whatever it is",
  async (int64) => {
    const says = async (text: string, call: 'listPets' | 'getPet') => {
      const client = stubClient(stubFetch(json(text)), { int64 });
      return (
        await rejection<ResponseValidationError>(
          call === 'getPet' ? client.getPet(1) : client.listPets(),
        )
      ).message;
    };
    expect(await says('{"pets":[]}', 'listPets')).toContain('the value must be an array of pets');
    for (const text of ['null', '5', '"x"']) {
      expect(await says(text, 'getPet')).toContain(
        'the value must be a pet: an object with id, name and categoryId',
      );
      expect(await says(`[${text}]`, 'listPets')).toContain(
        '[0] must be a pet: an object with id, name and categoryId',
      );
    }
    expect(await says('{"id":1,"name":"x"}', 'getPet')).toContain(
      'categoryId is required: an integer (int64)',
    );
  },
);
