import * as z from 'zod/mini';
import { Int64Schema, listLimit, PetStatus } from '../../src/contract/index.js';
import { fastCheck } from '../../src/contract/schema-builders.js';
import { ascii, callable, integer, offset, range, span } from '../utils/check.js';
import { attempt } from '../utils/options.js';
import { answersSchema } from './answers.js';

/** The wait that `Retry-After` announces. `now` and `until` are ms since the epoch on the service's clock, `wait` is their difference. */
export interface Wait {
  /** The time on the service's clock, ms since the epoch. */
  readonly now: number;
  /** When the limiter allows the next request, ms since the epoch. */
  readonly until: number;
  /** How long it is until then, ms. */
  readonly wait: number;
}

/** One of these values, the first of which is the default. */
const choice = <const Value extends string | boolean>(
  ...values: readonly Value[]
): z.ZodMiniDefault<z.ZodMiniLiteral<Value>> =>
  z._default(z.literal(values), values[0] as z.output<z.ZodMiniLiteral<Value>>);

type Ids = readonly (number | bigint)[];
const ids = z.array(Int64Schema) as unknown as z.ZodMiniType<Ids, Ids>;

/** The requests that a plan allows. */
export const quotaSchema = z.strictObject({ perMinute: integer(1), perDay: integer(1) });

/** A RegExp, or `{ pattern, flags }` as JSON has it. */
const regExp = fastCheck<RegExp>({
  read: (given) => (given instanceof RegExp ? given : toRegExp(given)),
  explain: () => 'must be a RegExp, or in JSON { "pattern": "[a-z]+", "flags": "i" }',
  jsonSchema: () => ({
    type: 'object',
    required: ['pattern'],
    properties: { pattern: { type: 'string' }, flags: { type: 'string' } },
  }),
});

function toRegExp(given: unknown): RegExp | undefined {
  const { pattern, flags = '', ...more } = Object(given) as { pattern?: unknown; flags?: unknown };
  if (typeof pattern !== 'string' || typeof flags !== 'string' || Object.keys(more).length > 0)
    return undefined;
  return attempt(() => new RegExp(pattern, flags));
}

/** Writes a form of `Retry-After`, of the end of the wait (ms since the epoch) and the wait (ms). */
type WriteForm = (end: number, wait: number) => string | undefined;

/** The forms of `Retry-After` that have a name. */
export const retryAfterForms = {
  seconds: (_, wait) => String(Math.ceil(wait / 1_000)),
  'seconds-floored': (_, wait) => String(Math.floor(wait / 1_000)),
  decimal: (_, wait) => (Math.ceil(wait) / 1_000).toFixed(3),
  milliseconds: (_, wait) => String(Math.ceil(wait)),
  'http-date': (end) => new Date(Math.ceil(end / 1_000) * 1_000).toUTCString(),
  'unix-seconds': (end) => String(Math.ceil(end / 1_000)),
  'unix-milliseconds': (end) => String(Math.ceil(end)),
  absent: () => undefined,
} satisfies Readonly<Record<string, WriteForm>>;

/** The forms of `X-RateLimit-Reset`, of the time of the reset and of now, ms since the epoch. They are rounded up. */
export const resetForms = {
  'unix-seconds': (resetAt) => resetAt / 1_000,
  'unix-milliseconds': (resetAt) => resetAt,
  'seconds-from-now': (resetAt, now) => (resetAt - now) / 1_000,
  absent: () => undefined,
} satisfies Readonly<Record<string, (resetAt: number, now: number) => number | undefined>>;

const windowKinds = ['fixed', 'from-first', 'sliding', 'token-bucket'] as const;

/**
 * Every point that the interface leaves open: what it may be, and its default. Types, checks, the JSON Schema and, with the
 * comments, the table of `docs/assumptions.md` are made from these rows.
 */
export const table = {
  /** Whether production and staging have separate pets and quotas. They always share keys, plans and bans. */
  environments: choice('separate', 'shared'),
  /** Value assigned when `status` is omitted on creation. `"absent"`: none. */
  omittedStatus: choice(PetStatus.available, PetStatus.pending, PetStatus.sold, 'absent'),
  /**
   * Length or character limits of `name`.
   *
   * Also: a RegExp that the whole name must match, such as `/[\s\S]{1,100}/`.
   */
  name: z._default(z.union([z.literal('any'), regExp]), 'any'),
  /**
   * Which categories exist.
   *
   * Also: their ids: `[1, 2, 3]`.
   */
  categories: z._default(z.union([z.literal('any'), ids]), 'any'),
  /**
   * How `id` is assigned: the first `id` of a sequence, or safe integers at random.
   *
   * Also: any int64: `9007199254740993n`.
   */
  ids: z._default(z.union([z.literal('random'), Int64Schema]), 1),
  /**
   * The maximum number of pets in a list, whatever `limit` is.
   *
   * Also: an integer from 20 to 100.
   */
  longestList: z._default(integer(listLimit.default, listLimit.maximum), listLimit.maximum),
  /** Result ordering. `"shuffled"`: random order of the returned pets. */
  listOrder: choice('id-ascending', 'id-descending', 'shuffled'),
  /**
   * The longest request body that the service accepts, in bytes.
   *
   * Also: an integer.
   */
  maxBodyBytes: z._default(integer(0), 1_048_576),
  /** Whether a request to an unknown path (404) or with a wrong method (405) needs a key and uses quota. */
  unknownPathNeedsKey: choice(true, false),
  /** When `getPet` is removed on 5 December 2030 (UTC). */
  removedFrom: choice('start-of-day', 'end-of-day'),
  /** The response of each rule that refuses a request (status, `code`, body), or what happens instead. */
  answers: answersSchema,
  /** Scope of counting. */
  countingScope: choice('key', 'key-and-operation', 'everyone'),
  /** How requests of a minute are counted. */
  minuteWindow: choice(...windowKinds),
  /** How requests of a day are counted. `"fixed"`: by the UTC day. */
  dayWindow: choice(...windowKinds),
  /**
   * The meaning of "resets" for a sliding window or a bucket: when the full limit is available again, or when one more
   * request is.
   */
  resetMeaning: choice('full', 'next-slot'),
  /** The window that the headers report: that with fewer requests left, or always the minute. */
  announcedWindow: choice('binding', 'minute'),
  /** Whether a rate-limited request uses quota. */
  refusedCount: choice(false, true),
  /**
   * The Enterprise quota, which is agreed individually.
   *
   * Also: `{ "perMinute": 5000, "perDay": 50000 }`.
   */
  enterpriseQuota: z._default(quotaSchema, { perMinute: 1_000_000, perDay: 1_000_000_000 }),
  /** Whether requests without a valid key are counted, all together. */
  unauthorizedCount: choice(false, true),
  /**
   * The quota that the headers of a 401 show.
   *
   * Also: `{ "perMinute": 5, "perDay": 50 }`.
   */
  unauthorizedQuota: z._default(
    z.union([z.literal(['free', 'pro', 'business']), quotaSchema]),
    'free',
  ),
  /**
   * Unit and format of `Retry-After`. All except `"seconds-floored"` are rounded up.
   *
   * Also: a number: always these seconds; `{ "raw": "soon" }`: always this text; a function of `{ now, until, wait
   * }`, where undefined omits the header.
   */
  retryAfter: z._default(
    z.union([
      z.literal(Object.keys(retryAfterForms) as (keyof typeof retryAfterForms)[]),
      z.number(),
      z.strictObject({ raw: ascii }),
      callable<(wait: Wait) => string | undefined>(),
    ]),
    'seconds',
  ),
  /** Unit of `X-RateLimit-Reset`, rounded up. `"seconds-from-now"` is a duration, not a timestamp. */
  resetUnit: choice(...(Object.keys(resetForms) as (keyof typeof resetForms)[])),
  /** Whether responses have a `Date` header. */
  dateHeader: choice(true, false),
  /**
   * How far the service's clock is ahead of the mock's clock, ms.
   *
   * Also: ms, at most 100 years: `-120000`.
   */
  clockSkew: z._default(offset(), 0),
  /**
   * How much the nodes behind one address disagree: ranges of the error in `Remaining`, and of the clock in ms.
   *
   * Also: `{ "remaining": [0, 3], "clock": [-300, 300] }`.
   */
  nodes: z.prefault(
    z.strictObject({
      remaining: z._default(range(z.int()), [0, 0]),
      clock: z._default(range(offset()), [0, 0]),
    }),
    {},
  ),
  /**
   * How many repeated requests after a 429 ban a key.
   *
   * Also: an integer.
   */
  strikes: z._default(z.union([z.literal('never'), integer(1)]), 5),
  /**
   * The requests after a 429 that are not strikes. `"in-flight"`: requests that were sent before the client received
   * the 429. A number: requests that arrive within so many ms after the 429; 0 is strict, 2,000 lenient.
   *
   * Also: ms.
   */
  grace: z._default(z.union([z.literal('in-flight'), span()]), 'in-flight'),
  /**
   * The duration of a temporary ban, ms.
   *
   * Also: ms, at most 100 years.
   */
  ban: z._default(span(), 600_000),
};
