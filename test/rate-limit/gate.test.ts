import { expect, test } from 'vitest';
import { createRateLimitGate, RateLimitError } from '../../src/index.js';
import { patientCall } from '../support/gate-call.js';
import { json, stubClient, quotaHeaders } from '../support/stub.js';
import { rejection, times, turns, world } from '../support/world.js';

test('after one 429 no call of any client with the key is sent before its Retry-After has passed', async () => {
  const { service, client } = world({ latency: 100 });
  const first = client();
  await Promise.all(times(30, () => first.listPets()));
  service.faults.add({ 'retry-after': 3, times: 1 });
  await Promise.all([
    ...times(20, () => first.listPets()),
    ...times(20, () => client().createPet({ name: 'Rex', categoryId: 1 })),
  ]);
  const { at } = service.requests.find(({ status }) => status === 429)!;
  const later = service.requests.map((request) => request.at - at).filter((ms) => ms > 100);
  expect(Math.min(...later)).toBeGreaterThanOrEqual(3_000);
  // What was under way when the 429 came could not be called back.
  expect(service.report().duringCoolDown).toBeLessThanOrEqual(3);
});

test('a 429 among responses of one moment holds the calls that another of them makes room for', async () => {
  const { service, client } = world();
  const pets = client();
  service.faults.add({ operation: 'createPet', status: 429, 'retry-after': '1', times: 1 });
  await pets.listPets();
  await Promise.all(
    times<unknown>(16, (index) =>
      index % 4 === 2 ? pets.createPet({ name: 'Rex', categoryId: 1 }) : pets.listPets(),
    ),
  );
  expect(service.report().rateLimited).toBe(1);
  service.report().assertPolite();
});

test('a hold longer than maxHold rejects every waiting and every new call of all clients of its key at once, and of no other key, until its rest is within maxHold', async () => {
  const { service, client, elapsed } = world();
  service.keys.get('mock-free').exhaust('day');
  const refused = () => rejection(client().listPets(), RateLimitError);
  const errors = await Promise.all(times(50, refused));
  const late = await refused();
  expect(service.requests).toHaveLength(1);
  await client({ apiKey: 'mock-pro' }).listPets();
  expect(elapsed()).toBe(0);
  for (const error of [...errors, late])
    expect(error).toMatchObject({ reason: 'hold', status: 429 });
  expect(late).toMatchObject({ requestSent: 'no', retryAfter: 24 * 3_600_000 });
  expect(late.retryAt).toEqual(new Date('2026-01-02T00:00:00.000Z'));
  expect(errors[0]).toMatchObject({
    requestSent: 'yes',
    code: expect.any(String) as string,
    rateLimit: { remaining: 0 },
  });
  service.clock.set('2026-01-01T23:58:30Z');
  await client().listPets();
  expect(service.report()).toMatchObject({ rateLimited: 1, duringCoolDown: 0 });
});

const reset = Date.UTC(2026, 0, 1) / 1_000;

test.each<[string, Record<string, string>, number | undefined]>([
  ['in seconds', {}, 60],
  ['in ms', { 'X-RateLimit-Reset': String(reset * 1_000) }, 60],
  ['of a cache', { Age: '10' }, undefined],
  ['with an Age of 0', { Age: '0' }, 60],
  ['without a Reset', { 'X-RateLimit-Reset': '' }, undefined],
  ['with a Reset from now', { 'X-RateLimit-Reset': '60' }, undefined],
  ['with a Reset that is no number', { 'X-RateLimit-Reset': `${reset}x` }, undefined],
  ['with a Reset beyond all dates', { 'X-RateLimit-Reset': '8640000000000001' }, undefined],
  ['with a Limit in words', { 'X-RateLimit-Limit': 'sixty' }, undefined],
  ['with a Limit of ten million', { 'X-RateLimit-Limit': '10000000' }, 10_000_000],
  ['with a larger Limit', { 'X-RateLimit-Limit': '10000001' }, undefined],
  ['with a negative Remaining', { 'X-RateLimit-Remaining': '-1' }, undefined],
  ['with a Remaining above the Limit', { 'X-RateLimit-Remaining': '61' }, undefined],
])('a quota is shown only if all three headers can be read: %s', async (_name, other, limit) => {
  const headers = { ...quotaHeaders(60, 59, reset), ...other };
  const client = stubClient(() => Promise.resolve(json([], { headers })));
  await client.listPets();
  const shown = { limit, remaining: 59, resetAt: new Date(reset * 1_000) };
  expect(client.rateLimit).toEqual(limit === undefined ? undefined : shown);
});

test.each([{ maxWait: 60_000 }, { totalTimeout: 60_000 }])(
  'a bound on the wait moves no virtual clock, and no key function counts: %j',
  async (bound) => {
    const { client, elapsed } = world();
    const apiKey = () => new Promise<string>((resolve) => setImmediate(() => resolve('mock-free')));
    const bounded = client({ apiKey, ...bound });
    await Promise.all(times(5, () => bounded.listPets()));
    expect(elapsed()).toBe(0);
  },
);

test('with a clock whose sleep ignores its signal, a canceled wait has no effect', async () => {
  let now = 0;
  const sleeps: (() => void)[] = [];
  const sleep = () => new Promise<void>((wake) => void sleeps.push(wake));
  const gate = createRateLimitGate({ clock: { now: () => now, monotonic: () => now, sleep } });
  const headers = new Headers({ 'Retry-After': '60' });
  (await gate.acquire(patientCall)).settle({ status: 429, headers });
  const stop = new AbortController();
  const given = rejection(gate.acquire({ ...patientCall, signal: stop.signal }));
  stop.abort();
  await given;
  now = 1_000;
  const patient = gate.acquire(patientCall);
  sleeps[0]!();
  await turns();
  expect(sleeps).toHaveLength(2);
  now = 62_000;
  sleeps[1]!();
  (await patient).cancel();
});

test('a listener that aborts the call permitted after a hold does not block the key', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').exhaust('minute');
  const stop = new AbortController();
  const onEvent = ({ type }: { type: string }) =>
    type === 'rate-limit-resume' && stop.abort(new Error('cancel the batch'));
  // Alone: no other call may take the place that it has lost.
  await expect(client({ onEvent }).listPets({}, { signal: stop.signal })).rejects.toThrow(
    'cancel the batch',
  );
  expect(await client({ totalTimeout: 5_000 }).listPets()).toEqual([]);
  expect(await Promise.all(times(5, () => client().listPets()))).toHaveLength(5);
});
