import { expect, test } from 'vitest';
import { createPets, memoryJournal, type BulkProgress } from '../../src/bulk/index.js';
import { ConnectionError, RateLimitError, type NewPet } from '../../src/index.js';
import { world } from '../support/world.js';

const day = 86_400_000;
const rowsOf = (count: number): NewPet[] =>
  Array.from({ length: count }, (_, index) => ({ name: `Pet ${index}`, categoryId: index }));

test('the quota of a day ends the run, and says when to start again', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').setRemaining('day', 10);
  const journal = memoryJournal();
  const options = { journal };
  const first = await createPets(client(), rowsOf(25), options);
  expect(first).toMatchObject({ unsent: 15, unknown: [], stopped: { reason: 'quota' } });
  expect(first.stopped!.error).toBeInstanceOf(RateLimitError);
  expect(first.stopped!.retryAt!.getTime()).toBeGreaterThan(service.clock.now() + 3_600_000);
  service.clock.advance('1d');
  const second = await createPets(client(), rowsOf(25), options);
  expect(second).toMatchObject({ earlier: { length: 10 }, unsent: 0, stopped: undefined });
  expect(second.created).toHaveLength(15);
  expect(service.pets.size).toBe(25);
});

test('an abort begins no further row, and loses no outcome', async () => {
  const { service, client } = world();
  const abort = new AbortController();
  const report = await createPets(client(), rowsOf(200), {
    signal: abort.signal,
    onProgress: ({ created }) => created >= 20 && abort.abort(new Error('enough')),
  });
  expect(report.stopped).toMatchObject({ reason: 'aborted', error: new Error('enough') });
  expect(report.unknown).toEqual([]);
  expect(report.created.length + report.unsent).toBe(200);
  expect(service.pets.size).toBe(report.created.length);
});

test('an abort ends a wait for the next day at once', async () => {
  const { service, client, elapsed } = world();
  service.keys.get('mock-free').exhaust('day');
  const abort = new AbortController();
  const report = await createPets(client(), rowsOf(5), {
    acrossDays: true,
    signal: abort.signal,
    onProgress: ({ heldUntil }) => heldUntil && queueMicrotask(() => abort.abort()),
  });
  expect(report).toMatchObject({ unsent: 5, stopped: { reason: 'aborted' } });
  expect(elapsed()).toBeLessThan(day / 2);
});

test('when nothing can be sent, the run ends, and the row is sent by the next run', async () => {
  const { client } = world();
  const options = { journal: memoryJournal(), concurrency: 1 };
  const unused = new ConnectionError('refused', { requestSent: 'no' });
  const offline = { createPet: async () => Promise.reject(unused) };
  expect(await createPets(offline as never, rowsOf(3), options)).toMatchObject({
    unsent: 3,
    unknown: [],
    stopped: { reason: 'failure', error: unused },
  });
  expect((await createPets(client(), rowsOf(3), options)).created).toHaveLength(3);
});

test('a clock that fails ends the run with its error', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').exhaust('minute');
  const sleep = async () => Promise.reject(new Error('the clock failed'));
  const clock = { now: () => 0, monotonic: () => 0, sleep };
  const standIn = { createPet: client().createPet.bind(client()), clock };
  await expect(createPets(standIn as never, rowsOf(1))).rejects.toThrow('the clock failed');
});

test('what onProgress or the journal throws ends the run, and the journal is closed', async () => {
  const { service, client } = world();
  let closed = 0;
  const journal = {
    ...memoryJournal(),
    close: () => {
      closed += 1;
    },
  };
  const onProgress = ({ created }: BulkProgress) => {
    if (created === 5) throw new Error('progress failed');
  };
  const options = { journal, onProgress };
  await expect(createPets(client(), rowsOf(50), options)).rejects.toThrow('progress failed');
  expect(closed).toBe(1);
  expect(service.pets.size).toBeLessThan(12);
});
