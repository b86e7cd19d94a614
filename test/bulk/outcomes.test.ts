// What each kind of response means for its row, and what becomes of rows whose outcome is unknown.
import { expect, test } from 'vitest';
import { createPets, memoryJournal, type BulkResolution } from '../../src/bulk/index.js';
import { GateRefusedError } from '../../src/index.js';
import { brokenConnection, json, pet, stubClient, stubFetch } from '../support/stub.js';
import { rowsOf, world } from '../support/world.js';

const answer = (status: number, init: ResponseInit = {}) => new Response(null, { status, ...init });
const refusal = new GateRefusedError('queue', undefined);
const html = '<!doctype html><title>Welcome</title>';

test.each([
  ['200 and HTML', new Response(html), /200, but .* HTML page/],
  ['200 and a pet', json(pet(), { status: 200 }), /responded 200, not 201/],
  ['204', answer(204), /204, but/],
  ['500', json({}, { status: 500 }), /500/],
  ['the refusal of a gate below fetch', () => Promise.reject(refusal), /may have been processed/],
  ['408', json({}, { status: 408 }), /408/],
  ['303', answer(303, { headers: { location: '/' } }), /303/],
  ['no Response at all', () => ({ ok: true }) as Response, /gave no Response/],
])('%s leaves rows unknown, and ends the run after three', async (_what, response, reason) => {
  const fetch = stubFetch(response);
  const journal = memoryJournal();
  const report = await createPets(stubClient(fetch), rowsOf(10), { journal, concurrency: 1 });
  expect(report).toMatchObject({ created: [], rejected: [], unsent: 7 });
  expect(report.unknown).toHaveLength(3);
  for (const row of report.unknown) expect(row.reason).toMatch(reason);
  expect(report.stopped).toMatchObject({ reason: 'failure' });
  expect(report.stopped!.message).toMatch(reason);
  expect(fetch.sent).toHaveLength(3);

  // The next run knows why, and sends none of them again.
  const good = world();
  const second = await createPets(good.client(), rowsOf(10), { journal });
  expect(second.unknown).toEqual(report.unknown);
  expect(good.service.pets.size).toBe(7);
});

test.each([
  [undefined, 'undefined'],
  [{ id: 'x' }, '[object Object]'],
  [null, 'null'],
  ['odd', 'odd'],
  [Object.create(null), 'an error without a message'],
])(
  'a stand-in whose createPet gives, or throws, %j leaves the row unknown, with a reason that says so',
  async (data, thrown) => {
    for (const [createPet, reason] of [
      [() => Promise.resolve(data), 'createPet of the client gave no pet with an id'],
      [() => Promise.reject(data), thrown],
    ] as const) {
      const { unknown } = await createPets({ createPet } as never, rowsOf(1));
      expect(unknown).toMatchObject([{ index: 0, reason }]);
    }
  },
);

test('a quota that cannot be read ends the run with the pet in its report', async () => {
  const withResponse = () => Promise.resolve({ data: { id: 1 }, rateLimit: {} });
  const standIn = { createPet: () => ({ withResponse }) };
  const report = await createPets(standIn as never, rowsOf(2), { concurrency: 1 });
  expect(report).toMatchObject({ created: [{ index: 0 }], unsent: 1, unrecorded: [] });
  const error = expect.any(TypeError) as Error;
  expect(report.stopped).toMatchObject({ reason: 'failure', error });
});

test('three pets in a row whose responses cannot be read end the run, and count as created', async () => {
  const { service, client } = world();
  service.faults.add({ operation: 'createPet', 'malformed-json': true, times: 3 });
  const report = await createPets(client(), rowsOf(5), { concurrency: 1 });
  expect(report).toMatchObject({ unsent: 2, unknown: [], stopped: { reason: 'failure' } });
  expect(report.created.map(({ pet: added }) => added)).toEqual([undefined, undefined, undefined]);
});

test('a pet whose response stalls until the timeout is created, and a row whose only answer was a 429 is unsent', async () => {
  const stalled = () => new Response(new ReadableStream(), { status: 201 });
  const stalls = stubClient(stubFetch(stalled), { timeout: 20 });
  expect(await createPets(stalls, rowsOf(1))).toMatchObject({ created: [{ index: 0 }] });
  const permit = { settle: () => {}, lose: () => {}, cancel: () => {} };
  const fails = stubClient(stubFetch(answer(429)), {
    gate: { acquire: () => Promise.resolve(permit) },
    headers: ({ attempt }) => (attempt === 2 ? expect.unreachable() : {}),
  });
  expect(await createPets(fails, rowsOf(1))).toMatchObject({ unsent: 1, unknown: [] });
});

test.each([400, 409, 413, 422])('%i refuses the row, and the run continues', async (status) => {
  const { service, client } = world();
  const sequence = [503, 503, status, 503].map((one) => ({ status: one }));
  service.faults.add({ operation: 'createPet', sequence });
  service.faults.add({ operation: 'createPet', status, times: 3 });
  const options = { journal: memoryJournal(), concurrency: 1 };
  for (const length of [0, 1]) {
    const report = await createPets(client(), rowsOf(8), options);
    expect(report).toMatchObject({ earlier: { length }, unknown: { length: 3 }, unsent: 0 });
    expect(report.stopped).toBeUndefined();
    expect(report.rejected.map(({ index }) => index)).toEqual([2, 4, 5, 6]);
    const { reason } = report.rejected[0]!;
    expect(reason).toMatch(
      status === 400 ? /400 .*; nothing was changed: fix the row$/ : String(status),
    );
  }
});

test.each([301, 302, 307, 308, 401, 402, 403, 404, 405, 410, 415, 'ECONNREFUSED'])(
  '%s says that nothing can be added this way: the run ends, and all rows are unsent',
  async (status) => {
    const headers = { location: '/elsewhere' };
    const response = () =>
      typeof status === 'number' ? answer(status, { headers }) : brokenConnection(status)();
    const fetch = stubFetch(response);
    const report = await createPets(stubClient(fetch), rowsOf(10), { concurrency: 1 });
    expect(report).toMatchObject({ created: [], rejected: [], unknown: [], unsent: 10 });
    expect(report.stopped!.message).toContain(String(status));
    expect(fetch.sent).toHaveLength(1);
  },
);

test('what the client refuses itself is not a refusal of the service: the next run sends the row', async () => {
  const { client } = world();
  const rows = [...rowsOf(2), { name: 'Big', categoryId: 9_007_199_254_740_993n }];
  const real = client();
  // A stand-in does not tell its mode, so that the row is only found out by the call.
  const standIn = { createPet: real.createPet.bind(real) };
  const options = { journal: memoryJournal(), concurrency: 1 };
  const first = await createPets(standIn as never, rows, options);
  expect(first).toMatchObject({ rejected: [], unknown: [], unsent: 1 });
  expect(first.stopped!.message).toMatch(/set int64: 'bigint' on the client/);
  const second = await createPets(client({ int64: 'bigint' }), rows, options);
  expect(second).toMatchObject({ earlier: { length: 2 }, unsent: 0, created: [{ index: 2 }] });
});

test('rows with an unknown outcome are resolved: created, created with an id, sent, or left unknown', async () => {
  const { service, client } = world();
  const options = { journal: memoryJournal(), concurrency: 1 };
  for (const count of [4, 6]) {
    service.faults.add({ operation: 'createPet', status: 503, times: 2 });
    await createPets(client(), rowsOf(count), options);
  }
  const answers: Record<number, BulkResolution> = {
    0: 'created',
    1: 'unsent',
    4: { created: 77n },
  };
  const seen: number[] = [];
  const unknown = ({ index, reason }: { index: number; reason: string }) => {
    expect(reason).toMatch(/503/);
    seen.push(index);
    return Promise.resolve(answers[index]);
  };
  const resolved = await createPets(client(), rowsOf(6), { ...options, unknown });
  expect(seen).toEqual([0, 1, 4, 5]);
  expect(resolved).toMatchObject({ created: [{ index: 1 }], unknown: [{ index: 5 }], unsent: 0 });
  const ids = resolved.earlier.map(({ index, id }) => `${index} ${id}`);
  expect(ids).toEqual(['0 undefined', '2 1', '3 2', '4 77']);
  // The answers are in the journal.
  const last = await createPets(client(), rowsOf(6), options);
  expect(last).toMatchObject({ earlier: { length: 5 }, created: [], unknown: [{ index: 5 }] });
});

test.each(['sent', 'look', null, {}, { created: '7' }, { created: 1.5 }, 0])(
  'a function `unknown` that returns %j ends the run before anything is sent',
  async (answer) => {
    const { service, client } = world();
    const journal = memoryJournal([{ row: '["Pet 0","0",null]', state: 'sending' }]);
    const options = { journal, unknown: () => answer as never };
    await expect(createPets(client(), rowsOf(2), options)).rejects.toThrow(
      /unknown must return 'created', 'unsent'/,
    );
    expect(service.requests).toHaveLength(0);
  },
);
