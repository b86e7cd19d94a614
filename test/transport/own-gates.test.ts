// How a call treats a gate of the caller's own, whatever it does, and the key for which it waits there.
import { expect, test, vi } from 'vitest';
import { ConfigurationError, ConnectionError, type RateLimitGate } from '../../src/index.js';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { unhandledDuring } from '../support/listeners.js';
import { failing, recordingGate } from '../support/recording-gate.js';
import { errorResponse, json, newPet, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { block, rejection, times, turns, world } from '../support/world.js';

test('a custom gate permits every attempt, and receives every response', async () => {
  const { gate, permits, calls, responses } = recordingGate();
  const fetch = stubFetch(errorResponse(503), json([]));
  await stubClient(fetch, { clock: quickClock(), gate }).listPets();
  expect(calls.map(({ isRetry }) => isRetry)).toEqual([false, true]);
  expect(calls[1]!.place).toBe(calls[0]!.place);
  expect(permits).toEqual([['settle'], ['settle']]);
  expect(responses.map(({ status }) => status)).toEqual([503, 200]);
});

test('a call that returns to the gate with a new key is as exempt from the bound of the queue as a retry', async () => {
  const clock = quickClock();
  const { gate, calls } = recordingGate((asked) => clock.pass(once(asked)));
  await stubClient(stubFetch(json([])), { apiKey: () => 'some-key', clock, gate }).listPets();
  expect(calls.map(({ isRetry }) => isRetry)).toEqual([false, true]);
});

/** Makes one call whose key function gives a new key each time, at a gate that makes the first calls wait, and whose permits fail. Says which key is sent, and how old. */
async function sentKey(waits: (asked: number) => number, gateOf: (gate: RateLimitGate) => unknown) {
  const clock = quickClock();
  const made: number[] = [];
  const apiKey = () => `key-${made.push(clock.monotonic())}`;
  const { gate, permits } = recordingGate((asked) => clock.pass(waits(asked)), failing.throws);
  const fetch = stubFetch(json([]));
  await stubClient(fetch, { apiKey, clock, gate: gateOf(gate) as never }).listPets();
  const number = Number(/\d+$/.exec(fetch.sent[0]!.headers.get('authorization')!)![0]);
  const age = clock.monotonic() - made[number - 1]!;
  return { number, age, uses: permits.map(String).slice(-2) };
}
const once = (asked: number): number => (asked === 0 ? 60_000 : 0);
const forEachKey = (gate: RateLimitGate) => () => ({ ...gate });

test.each<[string, typeof once, Parameters<typeof sentKey>[1], number: number, age: number]>([
  ['999 ms', (n) => (n === 0 ? 999 : 0), (gate) => gate, 1, 999],
  ['at the gate of the option', once, (gate) => gate, 2, 0],
  ['at the one gate that a function returns', once, (gate) => () => gate, 2, 0],
  ['at a gate for each key', once, forEachKey, 2, 0],
  ['so long that no key is sent 60 s old', (n) => (n < 3 ? 60_000 : 0), forEachKey, 4, 0],
  ['with each new key, of which the thousandth is sent', () => 1_000, forEachKey, 1_000, 1_000],
])(
  'after a wait of a second the key is asked for again, and sent with a new permit, and the old one is given back, also where that fails: a call waits %s',
  async (_name, wait, gateOf, number, age) => {
    const uses = number === 1 ? ['settle'] : ['cancel', 'settle'];
    expect(await sentKey(wait, gateOf)).toEqual({ number, age, uses });
  },
);

test.each([{}, { gate: false as const }])(
  'a key function that takes 3 s and gives a new key each time gets its requests sent (%o)',
  async (options) => {
    const clock = quickClock();
    let minted = 0;
    const apiKey = async () => {
      await clock.sleep(3_000);
      return `minted-key-${++minted}`;
    };
    const fetch = stubFetch(json([]));
    const client = stubClient(fetch, { clock, apiKey, ...options });
    await Promise.all(times(5, () => client.listPets()));
    expect(fetch.sent).toHaveLength(5);
    expect(minted).toBeLessThanOrEqual(10);
  },
);

test('calls that wait through many windows ask a function that has its key at hand twice at most', async () => {
  const { service, client } = world({ keys: { 'key-of-today': { plan: 'free' } } });
  const apiKey = vi.fn(() => Promise.resolve('key-of-today'));
  const pets = client({ apiKey });
  await Promise.all(times(300, () => pets.listPets()));
  expect(apiKey.mock.calls.length).toBeLessThanOrEqual(600);
  expect(service.report().rateLimited).toBe(0);
});

test.each<[how: string, sleep: ReturnType<typeof quickClock>['sleep'], said: string]>([
  ['throws', failing.throws, 'Redis is down'],
  ['rejects', failing.rejects, 'Redis is down'],
  ['ends at once', () => Promise.resolve(), 'sleep() ended early'],
  ['returns nothing', () => undefined as never, 'sleep() ended early'],
])(
  'a clock whose sleep %s ends the calls that wait for it with a ConfigurationError, also at the gate of a fleet, and the next call waits anew',
  async (_how, sleep, said) => {
    const ofFleet = { gate: createFleetGate({ store: memoryStore() }) };
    for (const [status, options] of [
      [429, {}],
      [503, {}],
      [429, { maxWait: 90_000 }],
      [503, { maxWait: 90_000 }],
      [429, ofFleet],
    ] as const) {
      const quick = quickClock();
      let isBroken = true;
      const clock: typeof quick = {
        ...quick,
        // The timeout of the store is 250 ms.
        sleep: (...wait) => (isBroken && wait[0] >= 1_000 ? sleep(...wait) : quick.sleep(...wait)),
      };
      const reply = errorResponse(status, {}, { 'Retry-After': '30' });
      const client = stubClient(stubFetch(reply, json([])), { clock, ...options });
      const error = await rejection(client.listPets(), ConfigurationError);
      const option = 'gate' in options ? 'gate' : 'clock';
      expect(error.message).toContain(`the option ${option} failed: ${said}`);
      isBroken = false;
      expect(await client.listPets()).toEqual([]);
      expect(quick.waits.some((ms) => ms > 29_000)).toBe(true);
    }
  },
);

const redis = Object.assign(new Error('Redis is down'), { code: 'ECONNREFUSED' });
const much = new Error('x'.repeat(1_000));
const noGate = 'its result must be a RateLimitGate: an object with acquire(), got';

test.each<[string, unknown, string]>([
  ['that rejects', { acquire: () => Promise.reject(redis) }, 'Redis is down'],
  ['that throws', { acquire: failing.throws }, 'Redis is down'],
  ['that says much', { acquire: () => Promise.reject(much) }, 'x'.repeat(200)],
  ['function that returns nothing', () => undefined, `${noGate} nothing`],
  ['function that returns no gate', () => ({}), `${noGate} an object`],
  ['function that is async', () => Promise.reject(redis), `${noGate} Promise`],
])(
  'a gate %s is a ConfigurationError: nothing was sent, and the service is not to blame',
  async (_name, gate, said) => {
    const fetch = stubFetch();
    const error = await rejection(
      stubClient(fetch, { gate: gate as never }).listPets(),
      ConfigurationError,
    );
    expect(error.message).toBe(`listPets on pets.test: the option gate failed: ${said}`);
    expect((error.cause as Error).message.slice(0, 200)).toBe(said);
    expect(fetch.sent).toEqual([]);
  },
);

test.each(['throws', 'rejects'] as const)(
  'a permit whose method %s hides neither a response nor a failure, and is no unhandled rejection',
  async (how) => {
    const clock = quickClock();
    const { gate, permits } = recordingGate(() => clock.pass(50), failing[how]);
    const lost = () => Promise.reject(new TypeError('connection lost'));
    const client = stubClient(stubFetch(json([]), lost), { clock, gate });
    const unhandled = await unhandledDuring(async () => {
      expect(await client.listPets()).toEqual([]);
      const error = await rejection(client.createPet(newPet), ConnectionError);
      expect(error).toMatchObject({ requestSent: 'unknown', attempts: [{}] });
      expect(error.message).toContain('connection lost');
      const late = await rejection(client.listPets({}, { totalTimeout: 40 }));
      expect(late).toHaveProperty('name', 'TimeoutError');
    });
    expect(permits.map(String)).toEqual(['settle', 'lose', 'cancel']);
    expect(unhandled).toEqual([]);
  },
);

test.each<[string, object, error: object]>([
  ['totalTimeout', { totalTimeout: 20 }, { reason: 'deadline', requestSent: 'no' }],
  ['maxWait', { maxWait: 20 }, { reason: 'wait', requestSent: 'no', retryAfter: undefined }],
])(
  'a gate of one’s own that ignores its signal holds no call beyond %s, and gets a late permit back',
  async (_name, options, error) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const late = recordingGate();
    let grant = (_permit: ReturnType<RateLimitGate['acquire']>): void => undefined;
    const acquire = vi.fn<RateLimitGate['acquire']>(
      () => new Promise((resolve) => (grant = resolve)),
    );
    const fetch = stubFetch();
    const client = stubClient(fetch, { gate: { acquire }, clock: quickClock() });
    const call = rejection(client.listPets({}, options));
    while (acquire.mock.calls.length === 0) await turns(1);
    const { signal } = acquire.mock.calls[0]![0];
    await vi.advanceTimersByTimeAsync(19);
    expect(signal!.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await call).toMatchObject(error);
    expect(signal!.aborted).toBe(true);
    grant(late.gate.acquire({} as never));
    await turns(1);
    expect(late.permits).toEqual([['cancel']]);
    expect(fetch.sent).toEqual([]);
  },
);

test('nothing is sent once totalTimeout has passed, also when the event loop was blocked until then', async () => {
  const fetch = stubFetch(json([]));
  const totalTimeout = 500;
  const { gate, permits } = recordingGate(() => block(totalTimeout + 20));
  const client = stubClient(fetch, { gate, totalTimeout });
  const error = await rejection(client.createPet(newPet));
  expect(error).toMatchObject({ name: 'TimeoutError', requestSent: 'no', attempts: [] });
  expect(fetch.sent).toEqual([]);
  expect(permits).toEqual([['cancel']]);
});

test.each([
  ['false', { timeout: false, totalTimeout: false }],
  ['Infinity', { timeout: Infinity, totalTimeout: Infinity }],
] as const)('a call whose bounds are %s arms no timer but for its waits', async (_name, bounds) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const timers: number[] = [];
  const count = <T>(value: T) => (timers.push(vi.getTimerCount()), value);
  const fetch = () => Promise.resolve(count(json([])));
  const apiKey = () => count('unbound-key');
  await stubClient(fetch, { apiKey, ...bounds, maxWait: Infinity }).listPets();
  expect(timers).toEqual([0, 0]);
});
