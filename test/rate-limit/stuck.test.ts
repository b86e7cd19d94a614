import { expect, test, vi } from 'vitest';
import { createMockService, type Fault } from '../../mocks/index.js';
import { createRateLimitGate, PetStoreClient } from '../../src/index.js';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { askMany, granted, minute, pro, stage } from '../support/gate-stage.js';

const fakeTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

test.each<[sent: string, sequence: Fault['sequence'], within: number]>([
  ['the first', [{ hang: true }], 40_000],
  ['before a 429', ['pass', { hang: true }, { 'retry-after': 3 }], 44_000],
  ['before a 503', ['pass', { hang: true }, { status: 503, 'retry-after': 3 }], 44_000],
])('a request that hangs blocks no other for long: %s', async (_sent, sequence, within) => {
  const gates = [createRateLimitGate(), createFleetGate({ store: memoryStore() })];
  const clients = gates.map((gate) => {
    const { fetch, faults } = createMockService();
    faults.add({ sequence });
    return new PetStoreClient({ apiKey: 'mock-pro', fetch, timeout: false, gate });
  });
  vi.useFakeTimers();
  const done = vi.fn();
  // However late a call comes.
  for (const pause of [50, 50, 50, 50, 50, 19_000, within - 19_000]) {
    for (const client of clients) void client.listPets().then(done);
    await vi.advanceTimersByTimeAsync(pause);
  }
  expect(done).toHaveBeenCalledTimes(12);
});

test('requests that are never answered give up their slots, and count as used', async () => {
  fakeTimers();
  const at = stage();
  await at.send(200, { limit: 60, remaining: 6, resetIn: minute });
  const [stuck, ...waiting] = await askMany(at, 4);
  expect(granted(waiting)).toBe(0);
  vi.advanceTimersByTime(40_000);
  await at.pass(1);
  expect(granted(waiting)).toBe(1);
  // A response that comes late is learned from, and frees no other slot.
  await stuck!.answer(200, { limit: 60, remaining: 4, resetIn: minute });
  expect(granted(waiting)).toBe(1);
});

test('a request that is answered within 20 s keeps its slot, and no timer outlives the calls that wait', async () => {
  fakeTimers();
  const at = stage();
  const first = await at.ask();
  const refused = await at.ask({ waitUntil: at.now() });
  expect(refused.refusal).toMatchObject({ reason: 'wait' });
  expect(vi.getTimerCount()).toBe(0);
  const second = await at.ask();
  vi.advanceTimersByTime(20_000);
  expect(second.permit).toBeUndefined();
  await first.answer(200, pro(299));
  expect(second.permit).toBeDefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('a response that cannot be read does not block other calls', async () => {
  const at = stage();
  const [first, second] = await askMany(at, 2);
  expect(() => first!.permit!.settle({ status: 200 } as never)).toThrow(TypeError);
  await at.pass(1);
  expect(second!.permit).toBeDefined();
});

/** A client in real time of a service whose first answer is a 429. */
function limited(seconds: number): PetStoreClient {
  const service = createMockService();
  service.faults.add({ 'retry-after': seconds, times: 1 });
  return new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
}

test('when fake timers have removed the timer of a hold, later calls set it again', async () => {
  vi.useFakeTimers();
  const client = limited(2);
  const calls = [client.listPets()];
  await vi.advanceTimersByTimeAsync(500);
  // The timer of the hold is gone with them.
  vi.useRealTimers();
  vi.useFakeTimers();
  await vi.advanceTimersByTimeAsync(1_000);
  calls.push(client.listPets());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await Promise.all(calls)).toHaveLength(2);
});

test('a hold passes under fake timers that run all of them', async () => {
  vi.useFakeTimers();
  const done = vi.fn();
  void limited(3).listPets().then(done);
  for (let turn = 0; turn < 50 && done.mock.calls.length === 0; turn += 1)
    await vi.runAllTimersAsync();
  expect(done).toHaveBeenCalledWith([]);
});
