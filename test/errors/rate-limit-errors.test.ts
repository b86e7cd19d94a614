import { expect, test } from 'vitest';
import { RateLimitError, type PetStoreClientOptions, type RateLimitGate } from '../../src/index.js';
import { refusing } from '../support/recording-gate.js';
import { errorResponse, failureOf, json, list, quickClock, quotaHeaders } from '../support/stub.js';
import { aheadOf, rejection, world } from '../support/world.js';

const spent = (resetSeconds: number, date?: number) => ({
  ...(date !== undefined && { Date: new Date(date).toUTCString() }),
  ...quotaHeaders(60, 0, resetSeconds),
});
const future = Date.UTC(2031, 0, 1);
const began = quickClock().now();
const dated = (seconds: number) => ({ Date: new Date(began + seconds * 1_000).toUTCString() });

test.each<[string, Record<string, string>, number | undefined]>([
  ['no Retry-After', {}, undefined],
  ['a Retry-After', { 'Retry-After': '7' }, 7_000],
  ['a Date that the local clock contradicts', spent(future / 1_000 + 40, future), 40_000],
  ['a reset that has passed already means now', spent(1_700_000_000), 0],
  ['a date, read by the Date beside it', { ...dated(0), 'Retry-After': dated(30).Date }, 31_000],
  ['30,000 s', { ...dated(0), 'Retry-After': '30000' }, 30_000_000],
  [
    '30,000 ms, as the Reset says',
    { ...dated(0), 'Retry-After': '30000', 'X-RateLimit-Reset': String(began / 1_000 + 30) },
    30_000,
  ],
])('a 429 with %s says when to try again', async (_name, headers, retryAfter) => {
  const reply = errorResponse(429, undefined, headers);
  const error = await failureOf<RateLimitError>(reply, list, { gate: false });
  const retryAt = retryAfter === undefined ? undefined : new Date(began + retryAfter);
  const fields = { retryAfter, retryAt, reason: 'attempts', requestSent: 'yes' };
  expect(error).toMatchObject({ ...fields, code: 'some_code', attempts: [{ status: 429 }] });
  expect(error.message).toContain('the service responded 429, and gate is false');
  const when = retryAt === undefined ? 'later' : `after ${retryAt.toISOString()}`;
  expect(error.message).toContain(`it was not processed: try again ${when}`);
});

const inTime = 'it was not processed: try again';
const later = `; ${inTime} later`;
const in41s = new Date(began + 41_000);
const at41s = `; ${inTime} after ${in41s.toISOString()}`;
const held = (maxHold: number, when: string, more = '') =>
  `the rate limit holds this key for longer than maxHold (${maxHold} ms)${when}, or set maxHold: Infinity${more && ` and ${more}`} to wait`;
const both = 'maxWait: Infinity and totalTimeout: false';
const passes = (option: string, ms: number, when: string) =>
  `the wait for the rate limit would pass ${option} (${ms} ms)${when}, or raise ${option} to wait`;
const long = (option: string) =>
  passes(option, 5_000, `: the call would need at least 41000 ms${at41s}`);
const full =
  'the queue for the rate limit is full (10,000 calls); nothing was changed: try again later';
/** Of a call that the gate has stopped before its first attempt. */
const unsent = { status: 429, code: undefined, requestSent: 'no', attempts: [] };
const ofTime = { ...unsent, retryAfter: 41_000, retryAt: in41s };
const timeless = { retryAfter: undefined, retryAt: undefined };

type Why = 'hold' | 'wait' | 'queue';
test.each<[Why, number | undefined, PetStoreClientOptions, reason: string, message: string]>([
  ['hold', 40_999.5, { maxHold: 1_000 }, 'hold', held(1_000, at41s)],
  ['hold', 41_000, { maxWait: 42_000, totalTimeout: 42_000 }, 'hold', held(120_000, at41s)],
  ['hold', 41_000, { maxWait: 0 }, 'hold', held(120_000, at41s, 'maxWait: Infinity')],
  ['hold', 41_000, { maxWait: 0, totalTimeout: 9_000 }, 'hold', held(120_000, at41s, both)],
  ['hold', NaN, {}, 'hold', held(120_000, later)],
  ['hold', -5, {}, 'hold', held(120_000, later)],
  ['hold', Infinity, {}, 'hold', held(120_000, later)],
  ['queue', undefined, {}, 'queue', full],
  ['wait', undefined, {}, 'wait', `the option gate refused the wait${later}`],
  ['wait', undefined, { totalTimeout: 700 }, 'deadline', passes('totalTimeout', 700, later)],
  // In real time, of which some has passed.
  ['wait', undefined, { maxWait: 0, clock: undefined }, 'wait', passes('maxWait', 0, later)],
  // The bound that would be passed first is named.
  ['wait', 41_000, { maxWait: 5_000, totalTimeout: 20_000 }, 'wait', long('maxWait')],
  ['wait', 41_000, { maxWait: 20_000, totalTimeout: 5_000 }, 'deadline', long('totalTimeout')],
  ['wait', 41_000, { maxWait: 5_000, totalTimeout: 5_000 }, 'wait', long('maxWait')],
])(
  'a call that a gate refuses (%s, %s ms), with %o, has the reason %s, and its error says what to do: %s',
  async (why, ms, options, reason, says) => {
    // The queue is full when the call comes back after its first attempt.
    const gate = refusing(why === 'queue' ? 1 : 0, why, ms);
    const given = { gate, ...options };
    const error = await failureOf(errorResponse(503), list, given, RateLimitError);
    expect(error).toMatchObject(ms! > 0 && ms! < Infinity ? ofTime : timeless);
    expect([error.reason, error.requestSent]).toEqual([reason, why === 'queue' ? 'unknown' : 'no']);
    expect(error.message).toBe(`listPets on pets.test: ${says}`);
  },
);

test.each<[string, () => unknown]>([
  ['nothing', () => undefined],
  ['a Date', () => new Date()],
  ['NaN', () => NaN],
])('a 429 on a clock whose now() gives %s is a RateLimitError without a time', async (_, now) => {
  const clock = { ...quickClock(), now: now as () => number };
  const reply = errorResponse(429, undefined, { 'Retry-After': '7' });
  const error = await failureOf(reply, list, { gate: false, clock }, RateLimitError);
  expect(error).toMatchObject(timeless);
  expect(error.message).toContain(later);
});

test.each(['maxWait', 'totalTimeout'] as const)(
  'what a call needs includes the time that it has taken, in the error about %s',
  async (option) => {
    const clock = quickClock();
    const refused = refusing(0, 'wait', 41_000);
    const gate: RateLimitGate = { acquire: (call) => (clock.pass(20_000), refused.acquire(call)) };
    const { message } = await failureOf(json([]), list, { gate, clock, [option]: 50_000 });
    expect(message).toContain(`${option} (50000 ms): the call would need at least 61000 ms`);
  },
);

test('the error of a call that waited for requests without a response says so', async () => {
  const { client } = world({ faults: [{ hang: true }] });
  const pets = client();
  const leave = new AbortController();
  const first = rejection(pets.listPets({}, { signal: leave.signal }));
  const { message } = await rejection<RateLimitError>(pets.listPets({}, { maxWait: 1_000 }));
  expect(message).toContain('the wait for the rate limit (probe) would pass maxWait (1000 ms)');
  leave.abort();
  await first;
});

test('the error of a call that a hold stopped names the cause of the hold, not the first one', async () => {
  const { client } = world({ latency: 50 });
  const pets = client({ maxWait: 1_000 });
  const calls = Array.from({ length: 62 }, () => pets.listPets());
  const refused = (await Promise.allSettled(calls)).slice(60) as PromiseRejectedResult[];
  for (const { reason } of refused)
    expect(String(reason)).toContain('the wait for the rate limit (exhausted) would pass maxWait');
});

test.each(['retryAt', 'retryAfter'] as const)(
  'a call that was refused is not refused again when it is repeated at %s',
  async (field) => {
    const { client: clientWith, service } = world({ now: '2026-01-01T00:00:00Z' });
    // Its dates have parts of a ms.
    const clock = aheadOf(service.clock, 0.4);
    const client = clientWith({ maxWait: 0, clock });
    for (let n = 0; n < 60; n += 1) await client.listPets();
    const { retryAt, retryAfter } = await rejection<RateLimitError>(client.listPets());
    expect(Number.isInteger(retryAfter)).toBe(true);
    const wait = { retryAt: retryAt!.getTime() - clock.now(), retryAfter: retryAfter! };
    await clock.sleep(wait[field]);
    expect(await client.listPets()).toEqual([]);
  },
);

const named = /: (.+ requests remain), and /;

test.each([
  ['minute', undefined],
  ['day', undefined],
  ['minute', '40s'],
  ['minute', '10m'],
  ['day', '10m'],
] as const)(
  'where the service says why it stops a key, the error names no other reason: %s, ban: %s',
  async (quota, ban) => {
    for (const plan of ['free', 'business'] as const) {
      const { service, client } = world({ now: '2026-06-01T23:59:20Z' });
      const key = service.keys.get(`mock-${plan}`);
      key.exhaust(quota);
      if (ban !== undefined) key.ban(ban);
      const own = client({ apiKey: `mock-${plan}`, maxWait: 1_000 });
      const { message } = await rejection<RateLimitError>(own.listPets());
      expect(message).not.toMatch(named);
      expect(message).toMatch(ban === '10m' ? /"The API key is banned temporarily"/ : / \(".+"\)/);
    }
  },
);

test.each<['wait' | 'hold', number, number, string | undefined, string?]>([
  ['wait', 40, 41_000, '0 of 1000 requests remain'],
  ['hold', 40, 41_000, '0 of 1000 requests remain'],
  ['wait', -3_600, 600_000, undefined],
  ['wait', 40, 41_000, undefined, '7'],
])(
  'where only the headers tell, the error with the reason %s says what they say of the quota that resets in %i s, and guesses no ban',
  async (reason, reset, wait, says, left = '0') => {
    const clock = quickClock();
    const quota = { 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': left };
    const headers = { ...spent(clock.now() / 1_000 + reset), ...quota };
    const gate = refusing(1, reason, wait);
    const twice: typeof list = (client) => client.listPets().then(() => client.listPets());
    const { message } = await failureOf(json([], { headers }), twice, { gate, clock });
    expect(named.exec(message)?.[1]).toBe(says);
  },
);
