import { beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { createMockService, type Latency, virtualStart } from '../../../mocks/index.js';
import { call, send } from '../../support/raw.js';
import { settled, turns } from '../../support/world.js';
import { PetStoreClient } from '../../../src/index.js';
import { setupMockServer } from '../../../mocks/node.js';
import { fc } from '../../support/fuzz.js';

test('a virtual clock starts on the first day of 2026, or at the given time, and does not move', () => {
  expect(createMockService({ clock: 'virtual' }).clock.now()).toBe(virtualStart);
  expect(virtualStart).toBe(Date.parse('2026-01-01T00:00:00.000Z'));
  const time = Date.UTC(2027, 1, 3, 4, 5, 6);
  for (const now of ['2027-02-03T04:05:06Z', new Date(time), time]) {
    const { clock } = createMockService({ clock: 'virtual', now });
    expect([clock.kind, clock.now()]).toEqual(['virtual', time]);
  }
});

test('a virtual clock advances by itself when code sleeps on it, in the order of the sleeps, and passes nobody who sleeps again or has left', async () => {
  const sleeps = fc.array(fc.nat(5), { minLength: 1, maxLength: 3 });
  const sleeper = fc.record({ sleeps, leaves: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(sleeper, { minLength: 1, maxLength: 12 }), async (sleepers) => {
      const { clock } = createMockService({ clock: 'virtual' });
      const woken: { due: number; order: number; isFirst: boolean; at: number }[] = [];
      await Promise.all(
        sleepers.map(async ({ sleeps, leaves }, order) => {
          let due = 0;
          for (const [index, hours] of sleeps.entries()) {
            const controller = new AbortController();
            const asleep = clock.sleep(hours * 3_600_000, controller.signal);
            if (leaves) controller.abort();
            if (leaves) return asleep.catch(() => 'gone');
            await asleep;
            due += hours * 3_600_000;
            woken.push({ due, order, isFirst: index === 0, at: clock.monotonic() });
            // Work between two sleeps that takes turns of its own.
            await turns(2);
          }
        }),
      );
      expect(woken.map(({ at }) => at)).toEqual(woken.map(({ due }) => due));
      await turns(8);
      expect(clock.monotonic()).toBe(woken.at(-1)?.due ?? 0);
      const first = woken.filter(({ isFirst }) => isFirst);
      expect(first).toEqual([...first].sort((a, b) => a.due - b.due || a.order - b.order));
    }),
    { numRuns: 60 },
  );
});

test('a virtual clock does not move while the service reads a body, and advances through its latency', async () => {
  const service = createMockService({ clock: 'virtual', latency: 100 });
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  const answer = send(service, '/pets', { body });
  const sleeper = service.clock.sleep(1_000);
  await turns(50);
  expect([await settled(sleeper), service.clock.monotonic()]).toEqual([false, 50]);
  controller.enqueue(new TextEncoder().encode('{"name":"Rex","categoryId":1}'));
  controller.close();
  expect((await answer).status).toBe(201);
  expect(service.clock.monotonic()).toBe(100);
  await sleeper;
  expect(service.clock.monotonic()).toBe(1_000);
});

test('latency is drawn from a range, reproducibly, or returned for each request', async () => {
  const spent = async (latency: Latency, random: number) => {
    const service = createMockService({ clock: 'virtual', latency, random });
    for (let sent = 0; sent < 5; sent++) await call(service, '/pets');
    await call(service, '/pets', { body: { name: 'Rex', categoryId: 1 } });
    return service.clock.monotonic();
  };
  const time = await spent([10, 20], 7);
  expect(await spent([10, 20], 7)).toBe(time);
  expect(await spent([10, 20], 8)).not.toBe(time);
  expect(time > 60 && time < 120).toBe(true);
  const ofPosts: Latency = ({ method, path }) => (method === 'POST' ? path.length : 0);
  expect(await spent(ofPosts, 7)).toBe('/v1/pets'.length);
});

test('a sleep on the system clock obeys faked timers, also beyond the longest timer there is', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { clock } = createMockService();
  const asleep = clock.sleep(30 * 86_400_000);
  await vi.advanceTimersByTimeAsync(30 * 86_400_000 - 1);
  expect(await settled(asleep)).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await asleep;
  expect(vi.getTimerCount()).toBe(0);
});

test('advance moves the system clock too, and ends the sleeps that are due', async () => {
  const service = createMockService({ now: '2026-05-01T00:00:00Z' });
  const asleep = service.clock.sleep(3_600_000);
  service.keys.get('mock-free').exhaust('day');
  service.clock.advance('1d');
  await asleep;
  expect((await call(service, '/pets')).status).toBe(200);
  expect(new Date(service.clock.now()).toISOString()).toMatch(/^2026-05-02T00:00:0/);
});

test('fake timers do not stop a virtual clock', async () => {
  vi.useFakeTimers();
  const service = createMockService({ clock: 'virtual', latency: 1_000 });
  expect((await send(service, '/pets')).status).toBe(200);
  await service.clock.sleep(60_000);
  expect(service.clock.monotonic()).toBe(61_000);
});

let printed: MockInstance<typeof console.warn>;
beforeEach(() => void (printed = vi.spyOn(console, 'warn').mockReturnValue()));

const keys = { tiny: { plan: { perMinute: 2, perDay: 10 } } };

let made = 0;

/** Behind a fetch of its own, a client of the same key and address would share the gate of an earlier one. */
function make(clock: 'virtual' | 'system' = 'virtual') {
  const service = createMockService({ clock, keys });
  const fetch: typeof globalThis.fetch = (input, init) => service.fetch(input, init);
  const baseUrl = `https://host-${made++}.example/v1`;
  return { service, fetch, client: new PetStoreClient({ apiKey: 'tiny', fetch, baseUrl }) };
}

test('a client whose own fetch hides the virtual clock of its service is told so when the quota is used up, once', async () => {
  const { client, service, fetch } = make();
  await client.listPets();
  expect(printed).not.toHaveBeenCalled();
  await client.listPets();
  expect(printed.mock.calls).toEqual([
    [expect.stringMatching(/clock: 'virtual'.*pass clock: service\.clock to the client\.$/)],
  ]);
  await expect(client.listPets({}, { maxWait: 0 })).rejects.toThrow('maxWait');
  service.clock.advance('1m');
  await new PetStoreClient({ apiKey: 'tiny', fetch, gate: false }).listPets();
  expect(printed).toHaveBeenCalledTimes(1);
});

test('a clock that the client was given comes before the clock of its service', async () => {
  const { fetch } = createMockService({ clock: 'virtual', keys });
  const { clock } = createMockService({ clock: 'virtual', now: '2030-01-01' });
  const reads = vi.spyOn(clock, 'monotonic');
  await new PetStoreClient({ apiKey: 'tiny', fetch, clock }).listPets();
  expect(reads).toHaveBeenCalled();
});

test('a client behind msw is told so at a 429', async () => {
  const server = setupMockServer({ clock: 'virtual', keys });
  server.listen();
  server.service.keys.get('tiny').exhaust('minute');
  const client = new PetStoreClient({ apiKey: 'tiny', maxWait: 0 });
  await expect(client.listPets()).rejects.toThrow('maxWait');
  server.close();
  expect(printed).toHaveBeenCalledWith(expect.stringContaining('pass clock: service.clock'));
});

test('a client with service.fetch waits on the virtual clock of the service, given it or not, and nothing is printed', async () => {
  for (const isGiven of [false, true]) {
    const { fetch, clock } = createMockService({ clock: 'virtual', keys });
    const client = new PetStoreClient({ apiKey: 'tiny', fetch, ...(isGiven && { clock }) });
    const began = clock.now();
    await Promise.all([client.listPets(), client.listPets(), client.listPets()]);
    expect(clock.now() - began).toBeGreaterThan(30_000);
  }
  expect(printed).not.toHaveBeenCalled();
});

test('nothing is printed for another program, and on the clock of the system', async () => {
  const { service } = make();
  for (let n = 0; n < 4; n++) await call(service, '/pets', { key: 'tiny' });
  const onSystem = make('system');
  await onSystem.client.listPets();
  await onSystem.client.listPets();
  expect(printed).not.toHaveBeenCalled();
});

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, 1e300, 8e14, 3.2e12, Infinity, NaN, -1),
  fc.integer({ min: 0, max: 1e7 }),
);
const step = fc.record({
  action: fc.constantFrom('advance', 'set', 'sleep', 'ban', 'latency', 'call', 'call'),
  by: number,
});
const lastDate = { action: 'set', by: 8.64e15 - 5_000 } as const;

test.each(['virtual', 'system'] as const)('any number leaves a %s clock valid', async (clock) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const service = createMockService({ clock });
      const key = service.keys.get('mock-free');
      for (const { action, by } of steps) {
        const before = [service.clock.now(), key.bannedUntil];
        const began = service.clock.monotonic();
        const late = AbortSignal.abort(new Error('late'));
        try {
          if (action === 'advance') service.clock.advance(by);
          else if (action === 'set') service.clock.set(by);
          else if (action === 'ban') key.ban(by);
          else if (action === 'latency') service.faults.add({ delay: by, times: 1 }).remove();
          else if (action === 'sleep') await service.clock.sleep(by, late);
          else await call(service, '/pets');
          if (action === 'set') expect(Math.abs(service.clock.now() - by)).toBeLessThan(1_000);
        } catch (error) {
          if ((error as Error).message === 'late') continue;
          expect(error).toBeInstanceOf(action === 'latency' ? TypeError : RangeError);
          expect((error as Error).message).toMatch(/100 years|0 or more|a Date can hold/);
          if (clock === 'virtual') expect([service.clock.now(), key.bannedUntil]).toEqual(before);
        }
        for (const at of [service.clock.now(), key.bannedUntil ?? 0])
          expect(new Date(at).getTime()).not.toBeNaN();
        expect(service.clock.monotonic()).toBeGreaterThanOrEqual(began);
      }
    }),
    // The last date, and beyond it.
    { numRuns: 100, examples: [[[lastDate, { action: 'advance', by: 60_000 }]]] },
  );
});

test('a request that is allowed is never one during a cool-down, wherever the clock is set', async () => {
  const move = fc.record({
    action: fc.constantFrom('call', 'call', 'call', 'exhaust', 'advance', 'back', 'unban'),
    by: fc.constantFrom(1, 1_000, 30_000, 60_000, 3_600_000),
  });
  const window = fc.constantFrom('fixed', 'from-first', 'sliding', 'token-bucket');
  const plan = { perMinute: 2, perDay: 1_000 };
  // The cool-down is over when the clock was set back to before it.
  const example = ['call', 'call', 'call', 'back', 'call', 'advance', 'call'] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 25 }), window, async (moves, minuteWindow) => {
      const assumptions = { minuteWindow };
      const service = createMockService({ clock: 'virtual', keys: { own: { plan } }, assumptions });
      for (const { action, by } of moves) {
        if (action === 'call') await call(service, '/pets', { key: 'own' });
        else if (action === 'advance') service.clock.advance(by);
        else if (action === 'back') service.clock.set(service.clock.now() - by);
        else if (action === 'unban') service.keys.get('own').unban();
        else service.keys.get('own').exhaust('minute');
      }
      for (const { status, inCoolDown } of service.requests)
        if (status === 200) expect(inCoolDown).toBe(false);
    }),
    { numRuns: 150, examples: [[example.map((action) => ({ action, by: 1 as const })), 'fixed']] },
  );
});
