// @ts-nocheck
import { expect, test } from 'vitest';
import {
  createMockService,
  type GivenAssumptions,
  type MockService,
} from '../../../mocks/index.js';
import { assume } from '../../support/assume.js';
import { call } from '../../support/raw.js';

const limited = 'rate_limit_exceeded';

/** So many requests, all sent before any is answered: their codes of error, or `ok`. */
const burst = (service: MockService, count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => (await call(service, '/pets')).json.code ?? 'ok'),
  );

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

test('a call that an override aborts with NaN rejects with it, and is no defect of the mock', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const service = createMockService();
  service.override('listPets', () => {
    controller.abort(NaN);
    signal.throwIfAborted();
    return [];
  });
  await expect(call(service, '/pets', { signal })).rejects.toBe(NaN);
  expect(service.report().mockDefects).toBe(0);
});
