// With unknown: 'look', a run looks for the pets of rows whose outcome is unknown, when all other rows are done.
import { afterAll, expect, test, vi } from 'vitest';
import { optional, string } from 'zod/mini';
import { createPets, memoryJournal, type BulkOptions } from '../../src/bulk/index.js';
import { NewPetSchema } from '../../src/contract/schemas.js';
import { ConfigurationError, ServerError, type Int64Mode, type NewPet } from '../../src/index.js';
import { rowsOf, world } from '../support/world.js';

// Modules of its own, as the schema of a pet is changed. `atEnd` would be that of another copy.
vi.hoisted(() => void vi.resetModules());
afterAll(() => void vi.resetModules());

// A field that was added as CONTRIBUTING.md describes it.
Object.assign(NewPetSchema.shape, { tag: optional(string()) });

const rows: NewPet[] = Array.from({ length: 40 }, (_, index) => ({
  name: `Pet ${index}`,
  categoryId: 1,
  ...(index % 2 === 0 && { status: 'sold' as const }),
}));

/** A service that loses two responses behind pets that exist, and one before its pet is added. */
function lossy(firstId: number | bigint = 1) {
  const { service, client, events } = world({ seed: 0, assumptions: { ids: firstId } });
  const lost = { 'network-error': 'after' } as const;
  const passes = Array.from({ length: 10 }, () => 'pass' as const);
  const sequence = [...passes, lost, 'pass', { 'network-error': 'before' }, 'pass', lost] as const;
  service.faults.add({ operation: 'createPet', sequence });
  const journal = memoryJournal();
  const add = (options: BulkOptions = {}, some = rows) =>
    createPets(client({ int64: 'bigint' as Int64Mode }), some, {
      ...{ journal, concurrency: 1 },
      ...options,
    });
  const looked = () => service.requests.filter(({ operation }) => operation === 'getPet').length;
  return { service, client, events, journal, add, looked };
}

test.each([1, 9_007_199_254_740_993n])(
  'pets behind lost responses are found between the ids from %s on, in the same run, and are in the journal',
  async (firstId) => {
    const { service, events, add, looked } = lossy(firstId);
    service.faults.add({ operation: 'getPet', status: 503, 'retry-after': 30, times: 1 });
    const held = new Set<unknown>();
    const onProgress: BulkOptions['onProgress'] = ({ heldUntil }) => void held.add(heldUntil);
    const report = await add({ unknown: 'look', onProgress });
    // The search of the second case needs more than the quota of the minute.
    expect(held.size > 1).toBe(firstId !== 1);
    expect(report.found.map(({ index, pet }) => [index, pet?.name, pet?.id])).toEqual([
      [10, 'Pet 10', BigInt(firstId) + 10n],
      [14, 'Pet 14', BigInt(firstId) + 13n],
    ]);
    const unknown = [{ index: 12, row: rows[12] }];
    expect(report).toMatchObject({ created: { length: 37 }, unknown, stopped: undefined });
    expect(looked()).toBeLessThanOrEqual(23);
    expect(events.filter(({ type }) => type === 'deprecated')).toEqual([]);
    const last = await add({ unknown: () => 'unsent' });
    expect(last).toMatchObject({ earlier: { length: 39 }, created: [{ index: 12 }], unknown: [] });
    expect(service.pets.size).toBe(40);
  },
);

test.each([
  ['pass', { 'network-error': 'before' }, false],
  ['pass', { 'network-error': 'after' }, true],
  [{ 'malformed-json': true }, { 'network-error': 'before' }, false],
] as const)(
  'a pet is taken for that of one row: of two equal rows with the responses %j and %j the second is found: %s',
  async (first, second, isFound) => {
    const { service, client } = world();
    service.faults.add({ operation: 'createPet', sequence: ['pass', first, second] });
    const names = ['Other', 'Rex', 'Rex'].map((name) => ({ name, categoryId: 1 }));
    const options = { journal: memoryJournal(), concurrency: 1, unknown: 'look' } as const;
    const report = await createPets(client(), names, options);
    expect(report).toMatchObject({ created: [{ index: 0 }, { index: 1 }], stopped: undefined });
    expect(report[isFound ? 'found' : 'unknown']).toMatchObject([{ index: 2 }]);
    const again = await createPets(client(), names, options);
    expect(again).toMatchObject({ earlier: { length: isFound ? 3 : 2 }, found: [] });
  },
);

test('a pet is found, too, whose status the contract does not know', async () => {
  const { service, client } = world();
  service.faults.add({ operation: 'createPet', sequence: ['pass', { 'network-error': 'after' }] });
  service.faults.add({ operation: 'getPet', drift: 'unknown-status' });
  const report = await createPets(client(), rowsOf(2), { concurrency: 1, unknown: 'look' });
  expect(report).toMatchObject({ found: [{ index: 1 }], unknown: [] });
});

test('nothing is looked for without an unknown row, without a known id, or in a run that stopped', async () => {
  const { add, looked, service } = lossy();
  await add({ unknown: 'look' }, rows.slice(0, 10));
  const lost = await add({ unknown: 'look', journal: memoryJournal() }, rows.slice(10, 11));
  expect(lost).toMatchObject({ unknown: [{}], stopped: undefined });
  service.faults.clear();
  service.faults.add({ operation: 'createPet', status: 503 });
  expect((await add({ unknown: 'look' })).stopped).toMatchObject({ reason: 'failure' });
  expect(looked()).toBe(0);
});

type Request = (request: unknown, options: { signal: AbortSignal }) => Promise<never>;

test('ids that are too far apart, a failed request and an abort end the search, and the rows stay unknown', async () => {
  const { add, looked } = lossy();
  const row = JSON.stringify(['Pet 1', '1', null]);
  const lookAmong = async (ids: readonly string[], request?: Request) => {
    const journal = memoryJournal([
      ...ids.map((id) => ({ row: JSON.stringify([id, '1', null]), state: 'created', id }) as const),
      { row, state: 'sending' },
    ]);
    const options = { journal, unknown: 'look', signal: abort.signal } as const;
    if (request === undefined) return add(options, [rows[1]!]);
    const standIn = { createPet: expect.unreachable, request } as never;
    return createPets(standIn, [rows[1]!], options);
  };
  const abort = new AbortController();
  const far = await lookAmong(['193', '1']);
  expect(far).toMatchObject({ unknown: [{ index: 0, reason: 'interrupted' }], found: [] });
  expect(far.stopped!.error).toBeInstanceOf(ConfigurationError);
  expect(far.stopped!.message).toMatch(
    /would need 201 requests to look for pets, more than 200: .* cannot be found this way: look .* unknown$/,
  );
  expect(looked()).toBe(0);
  expect((await lookAmong(['192', '1'])).stopped).toBeUndefined();
  expect(looked()).toBe(200);
  const headers = new Headers({ 'retry-after': '1' });
  const offline = () => Promise.reject(new ServerError('offline', { headers }));
  expect(await lookAmong(['1'], offline)).toMatchObject({
    unknown: [{}],
    stopped: { reason: 'failure', message: 'offline' },
  });
  const aborting: Request = (_request, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', reject);
      abort.abort();
    });
  expect(await lookAmong(['1'], aborting)).toMatchObject({
    unknown: [{}],
    stopped: { reason: 'aborted' },
  });
});

test('a search whose result cannot be recorded ends, and the next run searches again, around the ids of rows that are no longer in the input', async () => {
  const { add, journal, service } = lossy();
  await add();
  const failing = { ...journal, write: () => Promise.reject(new Error('no disk')) };
  const failed = await add({ journal: failing, unknown: 'look' });
  expect(failed).toMatchObject({ found: [{ index: 10 }], stopped: { message: 'no disk' } });
  const report = await add({ unknown: 'look' }, [rows[14]!, rows[10]!]);
  expect(report).toMatchObject({ found: [{ index: 0 }, { index: 1 }], unknown: [] });
  // It ends with the last pet.
  expect(service.requests.at(-1)!.path).toBe(`/v1/pets/${report.found[0]!.pet!.id}`);
});

test('rows that differ only in a new field are pets of their own, also when they are looked for, and a journal from before the field is continued', async () => {
  const { service, client } = world();
  const rex = { name: 'Rex', categoryId: 1 };
  const some = [{ ...rex, tag: undefined }, rex, { ...rex, tag: 'a b' }, { ...rex, tag: 'c' }];
  const entries = ['["Rex","1",null]', '["Rex","1",null,2]'] as const;
  const journal = memoryJournal(
    entries.map((row, at) => ({ row, state: 'created', id: `${8 + at}` })),
  );
  const options = { journal, concurrency: 1, unknown: 'look' } as const;
  const add = () => createPets(client({ int64: 'bigint' as Int64Mode }), some, options);
  service.faults.add({ operation: 'createPet', 'network-error': 'before' });
  service.pets.add({ ...rex, id: 5 });
  const newFields = { tag: 'c', long: 10n ** 20n };
  service.override('getPet', async (_input, next) => ({ ...(await next()), ...newFields }));
  expect(await add()).toMatchObject({
    ...{ earlier: [{ index: 0 }, { index: 1 }], unknown: [{ index: 2 }] },
    found: [{ index: 3, pet: { tag: 'c' } }],
  });
  some.reverse();
  expect(await add()).toMatchObject({ earlier: { length: 3 }, unknown: [{ index: 1 }] });
});
