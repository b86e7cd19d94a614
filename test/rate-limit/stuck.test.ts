import { afterEach, expect, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { PetStoreClient } from '../../src/index.js';
import { askMany, granted, minute, pro, stage } from '../support/gate-stage.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { times } from '../support/world.js';

afterEach(() => void vi.useRealTimers());

const never = () => new Promise<Response>(() => undefined);

test('a first request that is never answered blocks the other calls of the key for 40 s at most', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const fetch = stubFetch(never, json([]));
  const client = stubClient(fetch, { timeout: false });
  void client.listPets();
  const others = Promise.all(times(10, () => client.listPets()));
  await vi.advanceTimersByTimeAsync(19_000);
  expect(fetch.sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(21_000);
  await expect(others).resolves.toHaveLength(10);
  expect(vi.getTimerCount()).toBe(0);
});

test('requests that are never answered give up their slots, and count as used', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const at = stage();
  await (await at.ask()).answer(200, { limit: 60, remaining: 6, resetIn: minute });
  const stuck = await askMany(at, 1);
  expect(granted(stuck)).toBe(1);
  const waiting = await askMany(at, 3, { maxConcurrency: 1 });
  expect(granted(waiting)).toBe(0);
  vi.advanceTimersByTime(40_000);
  await at.pass(1);
  expect(granted(waiting)).toBe(1);
  // A response that comes late is learned from, and frees no other slot.
  await stuck[0]!.answer(200, { limit: 60, remaining: 4, resetIn: minute });
  expect(granted(waiting)).toBe(1);
});

test('a request that is answered within 20 s keeps its slot, and no timer outlives the calls that wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const at = stage();
  const [first, second] = await askMany(at, 2);
  vi.advanceTimersByTime(20_000);
  expect(second!.permit).toBeUndefined();
  await first!.answer(200, pro(299));
  expect(second!.permit).toBeDefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('a call that a full queue rejects leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const at = stage();
  const [, turnedAway] = await askMany(at, 2, { maxQueue: 0 });
  expect(turnedAway!.refusal).toMatchObject({ reason: 'queue' });
  expect(vi.getTimerCount()).toBe(0);
});

test('a response that cannot be read does not block other calls', async () => {
  const at = stage();
  const [first, second] = await askMany(at, 2);
  expect(() => first!.permit!.settle({ status: 200 } as never)).toThrow(TypeError);
  await at.pass(1);
  expect(second!.permit).toBeDefined();
});

test('when fake timers have removed the timer of a hold, later calls set it again', async () => {
  vi.useFakeTimers();
  const service = createMockService();
  service.faults.add({ 'retry-after': 2, times: 1 });
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
  const first = client.listPets();
  await vi.advanceTimersByTimeAsync(500);
  // The timer of the hold is gone with them.
  vi.useRealTimers();
  vi.useFakeTimers();
  await vi.advanceTimersByTimeAsync(1_000);
  const later = client.listPets();
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(Promise.all([first, later])).resolves.toHaveLength(2);
});
