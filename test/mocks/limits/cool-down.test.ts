import { expect, test } from 'vitest';
import {
  createMockService,
  type GivenAssumptions,
  type MockService,
  type Snapshot,
} from '../../../mocks/index.js';
import { assume, call, statusesOf } from '../../support/raw.js';
import { times } from '../../support/world.js';

/** Whether the journal says that a request, sent after `ms`, arrived in a cool-down. */
async function isInCoolDown(service: MockService, ms: number): Promise<boolean> {
  service.clock.advance(ms);
  await call(service, '/pets');
  return service.requests.at(-1)!.inCoolDown;
}

test.each([
  ['5', {}, 5_000],
  ['Thu, 01 Jan 2026 00:00:05 GMT', {}, 5_000],
  ['Thursday, 01-Jan-26 00:00:05 GMT', {}, 60_000],
  ['Thu, 01 Jan 2026 00:00:15 GMT', { 'clock-skew': '10s' }, 5_000],
  ['5', { 'clock-skew': '10s' }, 5_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', {}, 0],
  ['1767225605', {}, 5_000],
  ['1767225605000', {}, 5_000],
  ['120000', {}, 120_000],
  ['1.5', {}, 1_500],
  ['5,1767225610', {}, 10_000],
  ['5, 99999999', {}, 5_000],
  ['Thu, 01 Jan 2026 00:00:05 GMT, Thu, 01 Jan 2026 00:00:10 GMT', {}, 10_000],
  ['5, soon', {}, 60_000],
  ['99999999', {}, 60_000],
  ['', {}, 60_000],
] as const)('a fault of Retry-After %s %j begins a cool-down of %i ms', async (text, more, ms) => {
  for (const limits of ['on', 'off'] as const) {
    const faults = [{ 'retry-after': text, ...more, times: 1 }];
    const make = () => createMockService({ clock: 'virtual', limits, faults });
    const [early, obeying] = [make(), make()];
    for (const service of [early, obeying]) await call(service, '/pets');
    expect((await call(early, '/pets', { key: 'mock-pro' })).status).toBe(200);
    expect(await isInCoolDown(obeying, ms)).toBe(false);
    obeying.report().assertPolite();
    if (ms > 0) expect(await isInCoolDown(early, ms - 1)).toBe(true);
    expect(early.report('mock-free').duringCoolDown).toBe(ms > 0 ? 1 : 0);
    expect(early.report('mock-pro').duringCoolDown).toBe(0);
  }
});

/** A service that has banned a key by five strikes, which only the end of a ban clears. The quota of the day stays exhausted. */
async function banned(): Promise<MockService> {
  const service = assume({});
  service.keys.get('mock-free').exhaust('day');
  await statusesOf(service, 6);
  return service;
}

test('a ban that is over has cleared the strikes and cool-downs, and five more strikes are the next', async () => {
  const service = await banned();
  const key = service.keys.get('mock-free');
  expect([key.strikes, key.bannedUntil]).toEqual([5, service.clock.now() + 600_000]);
  service.clock.advance('10m');
  expect([key.strikes, key.bannedUntil]).toEqual([0, undefined]);
  expect(await isInCoolDown(service, 0)).toBe(false);
  for (let strikes = 1; strikes <= 4; strikes++)
    expect((await call(service, '/pets')).json.code).toBe('rate_limit_exceeded');
  expect((await call(service, '/pets')).json.code).toBe('api_key_banned');
});

test('a snapshot keeps a ban and a cool-down that end after the last date', async () => {
  const service = createMockService({ clock: 'virtual', now: 8.64e15 - 1_000 });
  service.keys.get('mock-pro').ban('1m');
  service.keys.get('mock-free').exhaust('day');
  await call(service, '/pets');
  const snapshot = JSON.parse(JSON.stringify(service.snapshot())) as Snapshot;
  const restored = createMockService({ clock: 'virtual' });
  restored.restore(snapshot);
  expect(JSON.parse(JSON.stringify(restored.snapshot()))).toEqual(snapshot);
});

test('setting the clock back ends a ban with its strikes, and a ban that begins afterwards stays', async () => {
  const struck = await banned();
  const given = createMockService({ clock: 'virtual' });
  given.keys.get('mock-free').ban('10m');
  for (const service of [struck, given]) {
    const key = service.keys.get('mock-free');
    service.clock.set(service.clock.now() - 86_400_000);
    expect([key.bannedUntil, key.strikes]).toEqual([undefined, 0]);
    key.ban('10m');
    expect(key.bannedUntil).toBe(service.clock.now() + 600_000);
    expect((await call(service, '/pets')).json.code).toBe('api_key_banned');
    key.unban();
    expect((await call(service, '/pets')).status).toBe(200);
  }
  given.keys.get('mock-free').ban('10m');
  given.clock.set(given.clock.now() - 1);
  expect((await call(given, '/pets')).status).toBe(200);
});

test('a real 429 in the cool-down of a fault begins one of its own, as long as without the fault', async () => {
  const service = createMockService({ clock: 'virtual' });
  const key = service.keys.get('mock-free');
  service.faults.add({ 'retry-after': 3_600, times: 1 });
  const all = (count: number, status: number) => new Array<number>(count).fill(status);
  expect(await statusesOf(service, 61)).toEqual([429, ...all(59, 200), 429]);
  service.clock.advance('61s');
  expect(await statusesOf(service, 6)).toEqual(all(6, 200));
  expect([key.strikes, service.report().bans]).toEqual([0, 0]);
  // The fault’s is still in force.
  expect(service.report().duringCoolDown).toBe(66);
  expect(await statusesOf(service, 54 + 5)).toEqual([...all(54, 200), ...all(5, 429)]);
  expect([key.strikes, service.report().bans]).toEqual([4, 0]);
  expect((await call(service, '/pets')).json.code).toBe('api_key_banned');
});

const limited = 'rate_limit_exceeded';

/** So many requests, all sent before any is answered: their codes of error, or `ok`. */
const burst = (service: MockService, count: number): Promise<string[]> =>
  Promise.all(times(count, async () => (await call(service, '/pets')).json.code ?? 'ok'));

const spent = (assumptions: GivenAssumptions, latency = 0): MockService => {
  const service = assume(assumptions, { latency });
  service.keys.get('mock-free').exhaust('minute');
  return service;
};

test.for([0, 100])(
  'a burst that was sent before its first 429 came back is neither a strike nor an offence (latency %i)',
  async (latency) => {
    const service = createMockService({ clock: 'virtual', latency });
    const codes = (await burst(service, 70)).filter((code) => code === limited);
    const report = { duringCoolDown: 0, bans: 0, offences: [] };
    expect([codes.length, service.report()]).toMatchObject([10, { rateLimited: 10, ...report }]);
    expect(service.requests.some(({ inCoolDown }) => inCoolDown)).toBe(false);
    service.clock.advance('61s');
    expect((await call(service, '/pets')).status).toBe(200);
  },
);

test('a grace in ms takes the same burst for requests during the cool-down', async () => {
  const service = spent({ grace: 0 });
  expect((await burst(service, 6)).at(-1)).toBe('api_key_banned');
  expect(service.report()).toMatchObject({ duringCoolDown: 5, bans: 1 });
});

test('what is sent after a 429 came back is a strike, alone or in a burst', async () => {
  const service = spent({ strikes: 3 });
  await burst(service, 4);
  expect(service.keys.get('mock-free').strikes).toBe(0);
  expect(await burst(service, 3)).toEqual([limited, limited, 'api_key_banned']);
});

test('with latency a 429 has come back only after its own way back', async () => {
  const service = spent({ strikes: 9 }, 100);
  const { clock } = service;
  const first = call(service, '/pets');
  await clock.sleep(60); // the 429 is made at 50, and handed back at 100
  const underWay = call(service, '/pets');
  await clock.sleep(45);
  const late = call(service, '/pets');
  await Promise.all([first, underWay, late]);
  expect(service.requests.map(({ inCoolDown }) => inCoolDown)).toEqual([false, false, true]);
});

test('a late 429 of the previous cool-down does not announce the current one', async () => {
  const now = '2026-01-01T00:00:59.850Z';
  const service = assume({ strikes: 1 }, { now, latency: 200 });
  const { clock, keys } = service;
  const code = async () => (await call(service, '/pets')).json.code;
  keys.get('mock-free').exhaust('minute');
  const old = code(); // refused at 59.950, and back at 60.050, when its minute is over
  await clock.sleep(70);
  const next = code(); // refused at 60.020, and back at 60.120
  await clock.sleep(85);
  keys.get('mock-free').exhaust('minute');
  await clock.sleep(55);
  const underWay = code(); // sent at 60.060
  expect(await Promise.all([old, next, underWay])).toEqual([limited, limited, limited]);
  expect(service.report().duringCoolDown).toBe(0);
});

test('a 429 that was never delivered announces no cool-down', async () => {
  const service = spent({ strikes: 1 }, 100);
  const { clock } = service;
  const gone = new AbortController();
  const lost = call(service, '/pets', { signal: gone.signal }).catch(() => 'gone');
  await clock.sleep(70);
  gone.abort();
  expect(await lost).toBe('gone');
  expect((await call(service, '/pets')).json.code).toBe('rate_limit_exceeded');
  expect((await call(service, '/pets')).json.code).toBe('api_key_banned');
});

test('the 429 of a fault announces its cool-down as soon as it is delivered', async () => {
  const service = createMockService({ clock: 'virtual', faults: [{ 'retry-after': 5, times: 2 }] });
  await burst(service, 3);
  expect(service.report().duringCoolDown).toBe(0);
  await burst(service, 2);
  expect(service.report().duringCoolDown).toBe(2);
});

test('a cool-down lasts until the limiter allows a request again, however that comes about', async () => {
  // The quota is not larger after these changes.
  for (const change of ['add', 'exhaust'] as const) {
    const service = spent({});
    const { keys } = service;
    const key = keys.get('mock-free');
    await statusesOf(service, 2);
    if (change === 'add') keys.add('mock-free', { plan: { perMinute: 1, perDay: 5 } });
    else key.exhaust('minute');
    await statusesOf(service, 1);
    expect([key.strikes, service.report().duringCoolDown]).toEqual([2, 2]);
  }
  // Another key that shares the quota makes room for this one.
  const shared = spent({ countingScope: 'everyone' });
  await statusesOf(shared, 2);
  shared.keys.get('mock-pro').setRemaining(300);
  await statusesOf(shared, 1);
  expect([shared.keys.get('mock-free').strikes, shared.report().duringCoolDown]).toEqual([0, 1]);
  // A fault has announced a wait that no change of the quota shortens, and no strike outlives an allowed request.
  const faulty = createMockService({ clock: 'virtual' });
  const key = faulty.keys.get('mock-free');
  faulty.faults.add({ 'retry-after': 3_600, times: 1 });
  await statusesOf(faulty, 1);
  key.exhaust('minute');
  await statusesOf(faulty, 5);
  expect(key.strikes).toBe(4);
  key.setRemaining(60);
  faulty.keys.add('mock-free', { plan: 'pro' });
  await statusesOf(faulty, 1);
  expect([key.strikes, faulty.report().duringCoolDown]).toEqual([0, 6]);
});
