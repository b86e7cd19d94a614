import { expect, test } from 'vitest';
import { createPets, findUnknownPets, memoryJournal } from '../../src/bulk/index.js';
import { ConfigurationError, type Int64Mode, type NewPet } from '../../src/index.js';
import { rejection, world } from '../support/world.js';

const rows: NewPet[] = Array.from({ length: 40 }, (_, index) => ({
  name: `Pet ${index}`,
  categoryId: 1,
  ...(index % 2 === 0 && { status: 'sold' as const }),
}));

/** A run of which two responses are lost behind pets that exist, and one before its pet is added. */
async function lossy(firstId: number | bigint = 1) {
  const { service, client } = world({ seed: 0, assumptions: { firstId } });
  service.faults.add({
    operation: 'createPet',
    sequence: [
      ...Array.from({ length: 10 }, () => 'pass' as const),
      { 'network-error': 'after' },
      'pass',
      { 'network-error': 'before' },
      'pass',
      { 'network-error': 'after' },
    ],
  });
  const journal = memoryJournal();
  const options = { journal, clock: service.clock, concurrency: 1 };
  const add = (more: object = {}) =>
    createPets(client({ int64: 'bigint' as Int64Mode }), rows, { ...options, ...more });
  return { service, client: client({ int64: 'bigint' }), report: await add(), add };
}

test.each([1, 9_007_199_254_740_993n])(
  'pets behind lost responses are found between the ids from %s on, and resolved; others are not found',
  async (firstId) => {
    const { service, client, report, add } = await lossy(firstId);
    expect(report.unknown.map(({ index }) => index)).toEqual([10, 12, 14]);
    const requests = service.requests.length;
    const found = await findUnknownPets(client, report);
    expect(found.map(({ index, pet }) => [index, pet.name, pet.id])).toEqual([
      [10, 'Pet 10', BigInt(firstId) + 10n],
      [14, 'Pet 14', BigInt(firstId) + 13n],
    ]);
    expect(service.requests.length - requests).toBeLessThanOrEqual(22);
    const ids = new Map(found.map(({ index, pet }) => [index, pet.id]));
    const resolve = ({ index }: { index: number }) =>
      ids.has(index) ? { created: ids.get(index)! } : 'unsent';
    const last = await add({ resolve });
    expect(last).toMatchObject({ skipped: 39, created: [{ index: 12 }], unknown: [] });
    expect(service.pets.size).toBe(40);
    // Also from the journal alone: nothing is open now.
    expect(await findUnknownPets(client, last)).toEqual([]);
  },
);

test('an equal pet of a known row is not taken for the pet of an unknown one', async () => {
  const { service, client } = world();
  service.faults.add({ operation: 'createPet', sequence: ['pass', { 'network-error': 'before' }] });
  const twins = Array.from({ length: 2 }, () => ({ name: 'Rex', categoryId: 1 }));
  const report = await createPets(client(), twins, { clock: service.clock, concurrency: 1 });
  expect(report.unknown).toHaveLength(1);
  expect(await findUnknownPets(client(), report)).toEqual([]);
});

test('without a known id nothing is looked at', async () => {
  const { client, service } = world();
  const unknown = [{ index: 0, row: rows[0]!, reason: 'lost' }];
  expect(await findUnknownPets(client(), { created: [], earlier: [], unknown })).toEqual([]);
  expect(service.requests).toHaveLength(0);
});

test('with no unknown row nothing is looked at, however far apart the ids are', async () => {
  const { client, service } = world();
  const earlier = ['1', '8968840778088169'].map((id, index) => ({ index, row: rows[0]!, id }));
  expect(await findUnknownPets(client(), { created: [], earlier, unknown: [] })).toEqual([]);
  expect(service.requests).toHaveLength(0);
});

test('the search does not warn of getPet, which its caller did not choose', async () => {
  const { service, client, events } = world();
  service.faults.add({ operation: 'createPet', sequence: ['pass', { 'network-error': 'after' }] });
  const report = await createPets(client(), rows.slice(0, 2), { concurrency: 1 });
  const finder = client();
  expect(await findUnknownPets(finder, report)).toMatchObject([{ index: 1, pet: { id: 2 } }]);
  expect(service.requests.filter(({ operation }) => operation === 'getPet')).not.toHaveLength(0);
  expect(events.filter(({ type }) => type === 'deprecated')).toEqual([]);
  // A test double tells no mode of int64.
  const request = finder.request.bind(finder);
  const standIn = { getPet: () => Promise.reject(new Error('not called')), request };
  expect(await findUnknownPets(standIn as never, report)).toHaveLength(1);
});

test('more requests than maxRequests are refused before the first', async () => {
  const { client, service } = world();
  const unknown = [{ index: 0, row: rows[0]!, reason: 'lost' }];
  const earlier = ['5000', '1', undefined].map((id, index) => ({ index, row: rows[0]!, id }));
  const error = await rejection<ConfigurationError>(
    findUnknownPets(client(), { created: [], earlier, unknown }),
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toMatch(/would need 5008 requests, more than maxRequests \(200\)/);
  expect(error.message).toMatch(/cannot be found this way: look .* then decide the rows .*resolve/);
  expect(service.requests).toHaveLength(0);
});

test('an error other than 404 is thrown', async () => {
  const { client, report } = await lossy();
  const standIn = { getPet: async () => Promise.reject(new Error('offline')) };
  await expect(findUnknownPets(standIn as never, report)).rejects.toThrow('offline');
  expect(await findUnknownPets(client, report, { beyond: 0 })).toHaveLength(2);
});
