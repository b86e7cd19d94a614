import { expect, test } from 'vitest';
import { rejection, times, world } from '../support/world.js';

test('calls are sent in the order in which they were made, and a rate-limited one returns to its place', async () => {
  const { service, client } = world({ latency: 100 });
  const order = client();
  await order.listPets();
  service.faults.add({ operation: 'createPet', sequence: ['pass', 'pass', { 'retry-after': 2 }] });
  await Promise.all(times(12, (index) => order.createPet({ name: `pet ${index}`, categoryId: 1 })));
  const served = service.pets.list().map(({ name }) => Number(name.slice(4)));
  expect(served.indexOf(2)).toBeLessThan(5);
  expect(served.filter((index) => index !== 2)).toEqual([0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('a call with high priority goes before a batch, and the batch continues', async () => {
  const { service, client } = world({ latency: 100 });
  const batch = client();
  const done: string[] = [];
  const calls = times(120, (index) =>
    batch.listPets({ limit: 1 }).then(() => done.push(`batch ${index}`)),
  );
  calls.push(
    ...times(20, (index) =>
      batch.listPets({ limit: 2 }, { priority: 'high' }).then(() => done.push(`high ${index}`)),
    ),
  );
  await Promise.all(calls);
  const lastHigh = done.lastIndexOf('high 19');
  expect(lastHigh).toBeLessThan(30);
  expect(
    done.slice(0, lastHigh).filter((name) => name.startsWith('batch')).length,
  ).toBeGreaterThanOrEqual(4);
  expect(service.report().rateLimited).toBe(0);
});

test('an aborted call leaves the queue at once, uses no quota, and the others continue', async () => {
  const { service, client } = world({ latency: 100 });
  service.keys.get('mock-free').exhaust('minute');
  const controller = new AbortController();
  const calls = client();
  const first = calls.listPets();
  const aborted = times(50, () => rejection(calls.listPets({}, { signal: controller.signal })));
  const last = calls.listPets();
  controller.abort(new Error('enough'));
  for (const reason of await Promise.all(aborted)) expect(reason).toBe(controller.signal.reason);
  await Promise.all([first, last]);
  expect(service.requests).toHaveLength(3);
});

test('2,000 waiting calls of a large plan are all served', async () => {
  const { service, client } = world();
  service.keys.add('vast', { plan: { perMinute: 1_000_000, perDay: 1_000_000_000 } });
  const vast = client({ apiKey: 'vast', rateLimit: { maxConcurrency: 4 } });
  await Promise.all(times(2_000, () => vast.listPets()));
  expect(service.report()).toMatchObject({ requests: 2_000, rateLimited: 0 });
});

test('calls keep their order at the gate of a new key, however the key rotates', async () => {
  const { service, client } = world();
  service.keys.add('old', { plan: 'free' });
  service.keys.add('new', { plan: 'free' });
  service.keys.get('old').exhaust('minute');
  let key = 'old';
  const calls = client({ apiKey: () => key });
  const order: number[] = [];
  const waiting = times(3, (n) => calls.listPets().then(() => void order.push(n)));
  await new Promise((resolve) => setImmediate(resolve));
  key = 'new';
  // Longer than the minute that the older calls wait for.
  service.keys.get('new').ban('100s');
  const later = times(3, (n) => calls.listPets().then(() => void order.push(n + 3)));
  await Promise.all([...waiting, ...later]);
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
});

test.each([
  ['a key', 'mock-free'],
  ['a key function', () => Promise.resolve('mock-free')],
] as const)(
  'with %s, a call that is made while a permit is on its way to a waiting call does not overtake it',
  async (_name, apiKey) => {
    for (let turns = 0; turns < 60; turns += 1) {
      const { service, client } = world();
      const caller = client({ apiKey });
      const create = (name: string) => caller.createPet({ name, categoryId: 1 });
      const calls = [create('first'), create('second')];
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await Promise.all([...calls, create('third')]);
      const names = service.pets.list().map(({ name }) => name);
      expect(names, `after ${turns} turns`).toEqual(['first', 'second', 'third']);
    }
  },
);
