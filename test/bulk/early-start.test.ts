// A run that is started again before the service allows requests: each such request is a step towards a ban.
import { expect, test } from 'vitest';
import { createPets, memoryJournal, type BulkOptions } from '../../src/bulk/index.js';
import { createRateLimitGate, RateLimitError, type NewPet } from '../../src/index.js';
import { world } from '../support/world.js';

const rows: NewPet[] = Array.from({ length: 15 }, (_, categoryId) => ({ name: 'Rex', categoryId }));

/** A journal of a run that has used up the quota of the day: 10 of 15 rows are added. */
async function usedUp() {
  const { service, client } = world();
  service.keys.get('mock-free').setRemaining('day', 10);
  const journal = memoryJournal();
  // Each run has a gate of its own, as a program that is started again: nothing is known but the journal.
  const start = (options: BulkOptions = {}) => {
    const gate = createRateLimitGate({ clock: service.clock });
    return createPets(client({ gate }), rows, { journal, ...options });
  };
  const first = await start();
  expect(first).toMatchObject({ unsent: 5, stopped: { reason: 'quota' } });
  return { service, journal, start, retryAt: first.stopped!.retryAt! };
}

test('starts that are too early send nothing, and say when to start', async () => {
  const { service, start, retryAt } = await usedUp();
  const requests = service.requests.length;
  for (const _ of [1, 2, 3])
    expect((await start()).stopped).toMatchObject({
      reason: 'quota',
      retryAt,
      message: expect.stringMatching(
        /^an earlier run was told to wait.*: run again after /,
      ) as string,
    });
  expect(service.requests).toHaveLength(requests);
  service.clock.advance('1d');
  expect(await start()).toMatchObject({ unsent: 0, stopped: undefined, earlier: { length: 10 } });
  expect(service.report()).toMatchObject({ bans: 0 });
});

test('with acrossDays a start that is too early waits first', async () => {
  const { service, start, retryAt } = await usedUp();
  const held: number[] = [];
  const report = await start({
    acrossDays: true,
    onProgress: ({ heldUntil }) => {
      if (heldUntil) held.push(heldUntil.getTime());
    },
  });
  expect(report).toMatchObject({ unsent: 0, stopped: undefined });
  expect(held[0]).toBe(retryAt.getTime());
  expect(service.report()).toMatchObject({ rateLimited: 0, bans: 0 });
});

test('ignoreHold sends at once, and what follows in the journal lifts the hold', async () => {
  const { service, start } = await usedUp();
  service.keys.get('mock-free').setRemaining('day', 2);
  expect(await start({ ignoreHold: true })).toMatchObject({ created: [{}, {}], unsent: 3 });
  service.keys.get('mock-free').setRemaining('day', 100);
  const abort = new AbortController();
  const onProgress = ({ created }: { created: number }) => {
    if (created === 1) abort.abort();
  };
  const options = { ignoreHold: true, onProgress, signal: abort.signal, concurrency: 1 };
  expect(await start(options)).toMatchObject({ stopped: { reason: 'aborted' }, unsent: 2 });
  expect(await start()).toMatchObject({ unsent: 0, stopped: undefined });
});

test('a hold does not matter if there is nothing to send', async () => {
  const { journal } = await usedUp();
  const { service, client } = world();
  const added = rows.slice(0, 10);
  const report = await createPets(client(), added, { journal });
  expect(report).toMatchObject({ earlier: { length: 10 }, stopped: undefined });
  expect(service.requests).toHaveLength(0);
});

test('a ban is quoted from the service', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').ban('10m');
  const { stopped } = await createPets(client(), rows);
  expect(stopped).toMatchObject({ reason: 'quota' });
  expect(stopped!.message).toMatch(
    /or the key is banned \(the service: api_key_banned, ".*"\): run again after/,
  );
});

test('a hold without a response or a used-up quota is called a hold', async () => {
  const details = { reason: 'hold', requestSent: 'no', retryAfter: 3_600_000 };
  const standIn = {
    createPet: () => Promise.reject(new RateLimitError('held', details as never)),
  };
  const { stopped } = await createPets(standIn as never, rows);
  expect(stopped!.message).toMatch(/^the key is held: run again after/);
});
