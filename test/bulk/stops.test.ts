// Why a run ends before its last row, and when it may be started again: a request that comes too early is a step towards a ban.
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createPets, memoryJournal } from '../../src/bulk/index.js';
import type { BulkOptions, BulkProgress } from '../../src/bulk/index.js';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { ConnectionError, createRateLimitGate, RateLimitError } from '../../src/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { never, rejection, rowsOf, turns, world } from '../support/world.js';

const rows = rowsOf(15);
const offline = new ConnectionError('offline', { requestSent: 'no', code: 'ECONNREFUSED' });

/** A journal of a run that has used up the quota of the day with so many of 15 rows. The response of one of them was lost. */
async function usedUp(sent = 10) {
  const { service, client } = world();
  service.keys.get('mock-free').setRemaining('day', sent);
  service.faults.add({ operation: 'createPet', 'network-error': 'after', times: 1 });
  const journal = memoryJournal();
  // Each run has a gate of its own, as a program that is started again: nothing is known but the journal.
  const start = (options: BulkOptions = {}, some = rows) => {
    const gate = createRateLimitGate({ clock: service.clock });
    return createPets(client({ gate }), some, { journal, unknown: 'look', ...options });
  };
  const first = await start();
  expect(first).toMatchObject({ unsent: 15 - sent, unknown: [{}] });
  expect(first.stopped).toMatchObject({ reason: 'quota' });
  const { error, retryAt, message } = first.stopped!;
  expect(message).toMatch(
    /^the quota of the day is used up: run again after .*Z, or set acrossDays/,
  );
  expect(error).toBeInstanceOf(RateLimitError);
  expect(retryAt!.getTime()).toBeGreaterThan(service.clock.now() + 3_600_000);
  return { service, start, retryAt: retryAt! };
}

test.each([
  ['waits first', 'rows and a search', 10],
  ['waits first', 'only a search', 15],
  ['is made on the next day', 'rows and a search', 10],
  ['is made on the next day', 'only a search', 15],
])(
  'starts that are too early send nothing, and say when to start, until one %s: with %s left',
  async (until, _left, sent) => {
    const { service, start, retryAt } = await usedUp(sent);
    const requests = service.requests.length;
    for (const _ of [1, 2, 3]) {
      const { stopped } = await start();
      expect(stopped).toMatchObject({ reason: 'quota', retryAt });
      expect(stopped!.message).toMatch(
        /^the service told an earlier run to wait.*: run again after /,
      );
    }
    // Without the search, there is nothing to send.
    const done = await start({ unknown: undefined }, rows.slice(0, 10));
    expect(done).toMatchObject({ unknown: [{}], unsent: 0, stopped: undefined });
    expect(service.requests).toHaveLength(requests);
    const acrossDays = until === 'waits first';
    if (!acrossDays) service.clock.advance('1d');
    const held: number[] = [];
    const onProgress = ({ heldUntil }: BulkProgress) => heldUntil && held.push(heldUntil.getTime());
    const last = await start({ acrossDays, onProgress });
    const earlier = { length: sent - 1 };
    expect(last).toMatchObject({ unsent: 0, stopped: undefined, earlier, found: [{}] });
    expect(held[0]).toBe(acrossDays ? retryAt.getTime() : undefined);
    expect(service.report()).toMatchObject({ rateLimited: 0, bans: 0 });
    expect(service.pets.size).toBe(15);
  },
);

test('ignoreHold sends at once, and what follows in the journal lifts the hold', async () => {
  const { service, start } = await usedUp();
  service.keys.get('mock-free').setRemaining('day', 2);
  expect(await start({ ignoreHold: true })).toMatchObject({ created: [{}, {}], unsent: 3 });
  service.keys.get('mock-free').setRemaining('day', 100);
  const abort = new AbortController();
  const onProgress = ({ created }: BulkProgress) => created === 1 && abort.abort();
  const options = { ignoreHold: true, onProgress, signal: abort.signal, concurrency: 1 };
  expect(await start(options)).toMatchObject({ stopped: { reason: 'aborted' }, unsent: 2 });
  expect(await start()).toMatchObject({ unsent: 0, stopped: undefined });
  const searching = await usedUp(15);
  searching.service.keys.get('mock-free').setRemaining('day', 100);
  expect(await searching.start({ ignoreHold: true })).toMatchObject({ found: [{}] });
  expect(await searching.start({}, rowsOf(16))).toMatchObject({ created: [{}] });
});

test('a decision about a row lifts no hold', async () => {
  const { service, start } = await usedUp();
  const { length } = service.requests;
  const abort = new AbortController();
  const report = await start({
    ...{ acrossDays: true, unknown: () => 'created', signal: abort.signal },
    onProgress: ({ heldUntil }) => heldUntil && queueMicrotask(() => abort.abort()),
  });
  expect(report).toMatchObject({ earlier: { length: 10 }, unknown: [], unsent: 5 });
  expect((await start()).stopped).toMatchObject({ reason: 'quota' });
  expect(service.requests).toHaveLength(length);
});

test.each([
  ['the key is held', 'hold', 3_600_000, undefined],
  ['the quota of the day is used up', 'hold', 120_000, 0],
  ['a quota is used up', 'hold', 119_999, 0],
  ['a quota is used up', 'attempts', undefined, 0],
])(
  'a stop without a response says that %s, for the reason %s, where %j ms are left, and one with a response quotes it',
  async (says, reason, left, remaining) => {
    const rateLimit = remaining === 0 ? { limit: 60, remaining, resetAt: new Date() } : undefined;
    const details = { reason, requestSent: 'no', retryAfter: left, rateLimit };
    const plain = new RateLimitError('held', details as never);
    const response = { code: 'slow', body: { message: 'Wait.' } };
    const quoting = new RateLimitError('held', { ...details, ...response } as never);
    const quoted = `${says}, or the key is banned (the service: slow, "Wait.")`;
    for (const [errors, message] of [
      [[plain, plain], says],
      [[plain, quoting], quoted],
      [[quoting, plain], quoted],
      [[quoting, offline], quoted],
    ] as const) {
      const left = [...errors];
      const createPet = () => Promise.reject(left.shift() ?? expect.unreachable());
      const { stopped } = await createPets({ createPet } as never, rows, { concurrency: 2 });
      expect(stopped!.message.split(': run again after')[0]).toBe(message);
    }
  },
);

test('an abort begins no further row, and loses no outcome', async () => {
  const { service, client } = world();
  const abort = new AbortController();
  // A stand-in that ignores the options of the call.
  const createPet = (row: (typeof rows)[number]) => client().createPet(row);
  const report = await createPets({ createPet, clock: service.clock } as never, rowsOf(200), {
    signal: abort.signal,
    onProgress: ({ created }) => created >= 20 && abort.abort(new Error('enough')),
  });
  expect(report.stopped).toMatchObject({ reason: 'aborted', error: new Error('enough') });
  expect(report.stopped!.message).toBe('the run was aborted (enough): run again to continue');
  expect(report.unknown).toEqual([]);
  expect(report.created.length + report.unsent).toBe(200);
  expect(service.pets.size).toBe(report.created.length);
});

test('rows that wait at the gate when the run is aborted are not sent', async () => {
  const { service, client } = world({ latency: 500 });
  const abort = new AbortController();
  const onEvent = ({ type }: { type: string }) => type === 'request' && abort.abort();
  const options = { signal: abort.signal, concurrency: 20 };
  const report = await createPets(client({ onEvent }), rowsOf(50), options);
  expect(report).toMatchObject({ unsent: 49, unknown: [], stopped: { reason: 'aborted' } });
  expect(service.requests).toHaveLength(1);
});

test('an abort ends a wait for the next day at once, and the next run knows of the hold', async () => {
  const { service, client, elapsed } = world();
  service.keys.get('mock-free').exhaust('day');
  const abort = new AbortController();
  const journal = join(temporaryFolder(), 'pets.journal');
  const restarted = () => client({ gate: createRateLimitGate({ clock: service.clock }) });
  const report = await createPets(restarted(), rowsOf(5), {
    ...{ journal, acrossDays: true, signal: abort.signal },
    onProgress: ({ heldUntil }) => heldUntil && queueMicrotask(() => abort.abort()),
  });
  expect(report).toMatchObject({ unsent: 5, stopped: { reason: 'aborted' } });
  expect(elapsed()).toBeLessThan(43_200_000);
  const { length } = service.requests;
  const next = await createPets(restarted(), rowsOf(5), { journal });
  expect(next).toMatchObject({ unsent: 5, stopped: { reason: 'quota' } });
  expect(service.requests).toHaveLength(length);
});

test('a clock that fails ends the run with its error, and the row is not lost', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').exhaust('minute');
  const sleep = async () => Promise.reject(new Error('the clock failed'));
  const clock = { now: () => 0, monotonic: () => 0, sleep };
  const standIn = { createPet: client().createPet.bind(client()), clock };
  expect(await createPets(standIn as never, rowsOf(1))).toMatchObject({
    ...{ unsent: 1, stopped: { reason: 'failure', message: 'the clock failed' } },
  });
});

test('what onProgress throws, now or later, ends the run, and the report has all that was sent', async () => {
  const { service, client } = world();
  const close = vi.fn();
  const journal = { ...memoryJournal(), close };
  const later = () => Promise.reject(new Error('progress failed')) as never;
  for (const last of [0, 5]) {
    const onProgress = ({ created }: BulkProgress) =>
      created === last && (last === 0 ? expect.fail('progress failed') : later());
    const report = await createPets(client(), rowsOf(50), { journal, onProgress });
    expect(report.stopped).toMatchObject({ reason: 'failure', message: 'progress failed' });
    expect(report.created.length + report.unsent).toBe(50);
    expect(report.created.length).toBe(service.pets.size);
    expect(report.created.length).toBeLessThan(last + 5);
  }
  expect(close).toHaveBeenCalledTimes(2);
});

test('what ends the run also ends the wait of another row for the next day', async () => {
  const { service, elapsed } = world();
  const details = { reason: 'hold', requestSent: 'no', retryAfter: 86_400_000 };
  const createPet = vi.fn().mockRejectedValue(offline);
  createPet.mockRejectedValueOnce(new RateLimitError('held', details as never));
  const standIn = { createPet, clock: service.clock } as never;
  const report = await createPets(standIn, rowsOf(2), { acrossDays: true });
  expect(report).toMatchObject({ unsent: 2, stopped: { reason: 'failure', error: offline } });
  expect(elapsed()).toBe(0);
});

test('an abort ends a run whose rows or decisions do not come, before it sends anything', async () => {
  const { service, client } = world();
  const next = () => turns(1).then(() => ({ value: rows[0] }));
  const journal = memoryJournal([{ row: '["Rex","1",null]', state: 'sending' }]);
  for (const [source, options] of [
    [{ [Symbol.asyncIterator]: () => ({ next: never }) }, {}],
    [{ [Symbol.asyncIterator]: () => ({ next }) }, {}],
    [[{ name: 'Rex', categoryId: 1 }], { journal, unknown: never }],
  ] as const) {
    const abort = new AbortController();
    const run = createPets(client(), source as never, { ...options, signal: abort.signal });
    await turns(5);
    abort.abort(new Error('enough'));
    expect(await rejection(run)).toBe(abort.signal.reason);
  }
  expect(service.requests).toHaveLength(0);
});

test('a journal that fails is named, also if the service then refuses another row', async () => {
  const { service, client } = world();
  const refused = Response.json({ code: 'no', message: 'no', status: 401 }, { status: 401 });
  const fetch = vi.fn(service.fetch).mockImplementationOnce(async (...args) => {
    const response = await service.fetch(...args);
    fetch.mockImplementation(async () => (await turns(20), refused.clone()));
    return response;
  });
  const write = ({ state }: { state: string }) => {
    if (state !== 'sending') throw new Error('DISK FULL');
  };
  const journal = { read: () => [], write };
  const report = await createPets(client({ fetch }), rowsOf(2), { journal, concurrency: 2 });
  expect(report.stopped).toMatchObject({ reason: 'failure', error: { message: 'DISK FULL' } });
  expect(report.stopped!.message).toMatch(/^DISK FULL; createPet .* 401 no: no/);
});

test.each([
  ['of one process', undefined],
  ['of a fleet', (now: () => number) => createFleetGate({ store: memoryStore(now) })],
])(
  'where the service sends neither Date nor Retry-After, a run with the gate %s ends at the end of the day, after three 429s',
  async (_, fleet) => {
    const assumptions = { dateHeader: false, retryAfter: 'absent' } as const;
    const { service, client } = world({ now: '2026-06-01T12:00:00Z', assumptions });
    service.keys.get('mock-free').setRemaining('day', 5);
    const pets = client({ gate: fleet?.(() => service.clock.now()) });
    const { created, stopped } = await createPets(pets, rows);
    expect(created).toHaveLength(5);
    expect(stopped).toMatchObject({ reason: 'quota', retryAt: new Date('2026-06-02T00:00:00Z') });
    expect(service.report()).toMatchObject({ rateLimited: 3, bans: 0 });
  },
);

test('the message about the end of a run says nothing of the waits that it has ended', async () => {
  const { service, client } = world({ now: '2026-06-01T12:00:00Z' });
  service.keys.get('mock-free').setRemaining('minute', 5);
  service.faults.add({ sequence: ['pass', 'pass', { status: 404, delay: 5_000 }] });
  const { stopped } = await createPets(client(), rows);
  expect(stopped!.message).toMatch(/^createPet on production: 404 .*the path$/);
});
