// The real client in virtual time against a service with hostile headers, which then behaves again. FUZZ_RUNS sets the number
// of runs, FUZZ_SEED repeats one.
import { expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { ApiError, RateLimitError, type PetStoreEvent } from '../../src/index.js';
import { json, stubClient } from '../support/stub.js';
import { aheadOf, times } from '../support/world.js';
import { fc, fuzzRuns } from '../support/fuzz.js';

const numRuns = fuzzRuns(100);
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Of a hold, above what was stated: pad and jitter. */
const pad = 1_100;
const latency = 100;
/** No header may hold a key for longer. */
const longestHold = 25 * hour;

/** Makes a header, or leaves it out, from the time on the clock of the service. */
type MakeHeader = (now: number) => string | undefined;

const offset = fc.oneof(
  fc.constantFrom(0, 1, 30, 59, 61, 65, 119, 600).map((seconds) => seconds * second),
  fc.constantFrom(-10 * 365 * day, -day, -hour, -66 * second, -6 * second, -1),
  fc.constantFrom(6 * hour, 25 * hour, 26 * hour, 10 * day, 10 * 365 * day, 260 * 365 * day),
  fc.integer({ min: -2 * minute, max: 2 * minute }),
);

const formats = {
  seconds: (instant: number) => String(Math.floor(instant / second)),
  fraction: (instant: number) => String(instant / second),
  ms: (instant: number) => String(instant),
  µs: (instant: number) => String(instant * 1_000),
  ns: (instant: number) => `${instant}000000`,
  iso: (instant: number) => new Date(instant).toISOString(),
  date: (instant: number) => new Date(instant).toUTCString(),
  negative: (instant: number) => String(-instant),
};

const instant = fc.tuple(fc.constantFrom(...Object.values(formats)), offset).map(
  ([format, ahead]): MakeHeader =>
    (now) =>
      format(now + ahead),
);

const always =
  (value: string | undefined): MakeHeader =>
  () =>
    value;
const text = fc
  .constantFrom(
    ...['', '0', '1', '-1', '60', '61', '300', '3600', '90000', '90001', '1.5'],
    ...['1e9', '1e400', '0x10', '00000000060', '9007199254740993', '999999999999999'],
    ...['NaN', 'Infinity', 'soon', '30s', '2026-01-01'],
    ...['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  )
  .map(always);

const upTo = (most: number, least = 0) =>
  fc.integer({ min: least, max: most }).map((count) => always(String(count)));
const absent = fc.constant(always(undefined));
const single = fc.oneof(instant, text, upTo(70, -1), absent);
const twice = fc.tuple(single, single).map(
  ([one, other]): MakeHeader =>
    (now) =>
      `${one(now) ?? ''}, ${other(now) ?? ''}`,
);
const header = fc.oneof({ weight: 8, arbitrary: single }, { weight: 1, arbitrary: twice });

/** One response. Limit and Remaining are often plausible: only then does the gate believe the rest. */
const response = fc.record({
  status: fc.constantFrom(200, 200, 200, 200, 429, 429, 503, 403, 500),
  'x-ratelimit-limit': fc.oneof(fc.constant(always('60')), header),
  'x-ratelimit-remaining': fc.oneof(upTo(0), upTo(60), header),
  'x-ratelimit-reset': fc.oneof(instant, header),
  'retry-after': fc.oneof(absent, header),
  date: fc.oneof(absent, fc.constant<MakeHeader>(formats.date), header),
  age: fc.oneof({ weight: 9, arbitrary: absent }, header),
});

const world = fc.record({
  script: fc.array(response, { minLength: 1, maxLength: 12 }),
  /** The local wall clock minus that of the service. */
  skew: fc.oneof(fc.constant(0), fc.integer({ min: -6 * hour, max: 6 * hour })),
  datesAtTheEnd: fc.boolean(),
  maxHold: fc.constantFrom(0, 1_000, 10_000, 120_000),
  concurrency: fc.integer({ min: 1, max: 5 }),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** A service that follows the script, and after its end sends correct headers again. */
function hostileService({ script, datesAtTheEnd: dateHeader }: World) {
  const assumptions = { dateHeader, strikes: 'never' } as const;
  const service = createMockService({ clock: 'virtual', latency, assumptions });
  const { clock } = service;
  let sent = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const step = script[sent++];
    if (step === undefined) return service.fetch(input, init);
    await clock.sleep(latency);
    const { status, ...headers } = step;
    const all = Object.entries(headers).map(([name, make]) => [name, make(clock.now())]);
    const given = all.filter(([, value]) => value !== undefined) as [string, string][];
    return json(status === 200 ? [] : {}, { status, headers: Object.fromEntries(given) });
  };
  return { clock, fetch, isHonest: () => sent >= script.length };
}

/** Every number in an event or error is one, and every date is a date. */
function expectNumbers(value: unknown): void {
  if (typeof value === 'number') expect(value).not.toBeNaN();
  else if (value instanceof Date) expect(value.getTime()).not.toBeNaN();
  else if (typeof value === 'object' && value !== null && !(value instanceof Headers))
    for (const each of Object.values(value)) expectNumbers(each);
}

test('no header holds a key forever, and calls continue when the headers are valid again', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { script, skew, maxHold, concurrency } = given;
      const { clock, fetch, isHonest } = hostileService(given);
      const events: PetStoreEvent[] = [];
      const client = stubClient(fetch, {
        apiKey: 'mock-free',
        clock: aheadOf(clock, skew),
        maxHold,
        onEvent: (event) => events.push(event),
      });
      /** A call to its end: how long it took, and why it failed, if so. */
      const timed = async () => {
        const began = clock.monotonic();
        const error: unknown = await client.listPets().then(
          () => undefined,
          (failure: unknown) => failure,
        );
        return { error, took: clock.monotonic() - began };
      };
      // Each response of the script may begin one hold, for each of the calls.
      const longest = (script.length + 1) * (maxHold + pad + minute) + 10 * minute;
      for (let turn = 0; turn < Math.ceil(script.length / concurrency); turn += 1) {
        const ended = await Promise.all(times(concurrency, timed));
        for (const { error, took } of ended) {
          expect(took).toBeLessThanOrEqual(longest);
          if (error === undefined) continue;
          expect(error).toBeInstanceOf(ApiError);
          expectNumbers({ ...(error as ApiError) });
          if (!(error instanceof RateLimitError)) continue;
          expect(['hold', 'attempts']).toContain(error.reason);
          expect(error.retryAfter ?? 0).toBeLessThanOrEqual(longestHold);
        }
      }
      for (const event of events) {
        expectNumbers(event);
        if (event.type !== 'rate-limit-hold') continue;
        expect(event.delay).toBeGreaterThan(0);
        expect(event.delay).toBeLessThanOrEqual(maxHold + pad);
      }
      // The rest of the script, until a call that was made after it succeeds. A stated hold is respected, but not exceeded.
      let recovered = false;
      for (let left = 4 * script.length + 4; left > 0 && !recovered; left -= 1) {
        const honest = isHonest();
        const { error } = await timed();
        if (error instanceof RateLimitError) await clock.sleep(error.retryAfter ?? 0);
        recovered = honest && error === undefined;
      }
      expect(recovered).toBe(true);
      // After a Date that was far ahead, the true ones seem to be those of stored responses, until two of them are some seconds apart.
      await clock.sleep(3 * second);
      await timed();
      // The last lie about the quota counts until the end of its window, and no longer.
      await clock.sleep(minute + pad);
      const began = clock.monotonic();
      const ended = await Promise.all(times(5, timed));
      expect(ended.map(({ error }) => error)).toEqual(Array(5).fill(undefined));
      expect(clock.monotonic() - began).toBeLessThanOrEqual(pad + 6 * latency);
    }),
    { numRuns },
  );
}, 600_000);
