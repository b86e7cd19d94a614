import * as z from 'zod/mini';
import { Int64Schema, listLimit, PetStatusSchema } from '../../src/contract/index.js';
import { fastCheck } from '../../src/contract/schema-builders.js';
import { among, callable, integer, offset, range, span, strict } from '../utils/check.js';
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

/** A point that the interface leaves open. */
interface Row<Schema extends z.ZodMiniType> {
  /** What it may be, and its default: the schema reads undefined as the default. */
  readonly schema: Schema;
  /** What the interface does not show. */
  readonly about: string;
  /** Values that are worth trying when a service is measured, the default first. */
  readonly candidates: readonly z.input<Schema>[];
  /** Values that no list has, in words. */
  readonly also: string | undefined;
}

const row = <Schema extends z.ZodMiniType>(
  schema: Schema,
  about: string,
  candidates: readonly z.input<Schema>[],
  also?: string,
): Row<Schema> => ({ schema, about, candidates, also });

/** One of these values, the first of which is the default. */
const choice = <const Value extends string | boolean>(
  about: string,
  ...values: readonly [Value, ...Value[]]
): Row<z.ZodMiniDefault<z.ZodMiniLiteral<Value>>> =>
  row(z._default(among(...values), values[0] as never), about, values as never);

/** A value of another kind, with its default. */
const value = <Schema extends z.ZodMiniType>(
  schema: Schema,
  standard: z.output<Schema>,
  about: string,
  candidates: readonly z.input<Schema>[],
  also?: string,
): Row<z.ZodMiniDefault<Schema>> =>
  row(z._default(schema, standard as never), about, [standard, ...candidates] as never, also);

type Ids = readonly (number | bigint)[];
const ids = z.array(Int64Schema) as unknown as z.ZodMiniType<Ids, Ids>;

/** The requests that a plan allows. */
export const quotaSchema = strict({ perMinute: integer(1), perDay: integer(1) });

/** A RegExp, or `{ pattern, flags }` as JSON has it. */
const regExp = fastCheck<RegExp>({
  accepts: (given) => given instanceof RegExp || toRegExp(given) !== undefined,
  explain: () => 'must be a RegExp, or in JSON { "pattern": "[a-z]+", "flags": "i" }',
  convert: (given) => toRegExp(given) ?? (given as RegExp),
  jsonSchema: () => ({
    type: 'object',
    required: ['pattern'],
    properties: { pattern: { type: 'string' }, flags: { type: 'string' } },
  }),
});

function toRegExp(given: unknown): RegExp | undefined {
  const { pattern, flags = '' } = (given ?? {}) as { pattern?: unknown; flags?: unknown };
  if (typeof pattern !== 'string' || typeof flags !== 'string') return undefined;
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
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
const [seconds, ...otherForms] = Object.keys(retryAfterForms) as (keyof typeof retryAfterForms)[];

const windowKinds = ['fixed', 'from-first', 'sliding', 'token-bucket'] as const;

/** Every point that the interface leaves open. Types, defaults, checks, the JSON Schema and the tables of `docs/assumptions.md` are made from these rows. */
export const table = {
  environments: choice(
    'Whether production and staging have pets and quotas of their own. Keys, plans and bans are the same in both',
    'separate',
    'shared',
  ),
  omittedStatus: value(
    z.union([PetStatusSchema, among('absent')]),
    'available',
    'Value assigned when `status` is omitted on creation. `"absent"`: the field is left out',
    ['pending', 'sold', 'absent'],
  ),
  name: value(
    z.union([among('any'), regExp]),
    'any',
    'Length or character limits of `name`',
    [],
    'a RegExp that the whole name must match, such as `/[\\s\\S]{1,100}/`',
  ),
  categories: value(
    z.union([among('any'), ids]),
    'any',
    'Which categories there are',
    [],
    'their ids: `[1, 2, 3]`',
  ),
  ids: value(
    z.union([among('random'), Int64Schema]),
    1,
    'How `id` is assigned: the first `id` of a sequence, or safe integers at random',
    ['random'],
    'any int64: `9007199254740993n`',
  ),
  longestList: value(
    integer(listLimit.default, listLimit.maximum),
    listLimit.maximum,
    'The most pets in a list, whatever `limit` asks for',
    [50],
    'an integer from 20 to 100',
  ),
  listOrder: choice(
    'Result ordering. `"shuffled"`: the page, at random',
    'id-ascending',
    'id-descending',
    'shuffled',
  ),
  maxBodyBytes: value(
    integer(0),
    1_048_576,
    'The longest body that is read, in bytes',
    [1_023, 65_535],
    'an integer',
  ),
  unknownPathNeedsKey: choice(
    'Whether the 404 of an unknown path and the 405 of a wrong method need a key and spend quota',
    true,
    false,
  ),
  removedFrom: choice(
    'When `getPet` is removed on 5 December 2030 (UTC)',
    'start-of-day',
    'end-of-day',
  ),
  answers: row(
    answersSchema,
    'What each rule answers: status, the set of values of `code`, the body; or what is done instead',
    [{}],
    'see the next table',
  ),
  countingScope: choice(
    'Whether counting is per key or per other scope',
    'key',
    'key-and-operation',
    'everyone',
  ),
  minuteWindow: choice('How the minute is counted', ...windowKinds),
  dayWindow: choice('How the day is counted. `"fixed"`: the UTC day', ...windowKinds),
  resetMeaning: choice(
    'What "resets" means for a sliding window or a bucket: when the full limit is available again, or when one more request is',
    'full',
    'next-slot',
  ),
  announcedWindow: choice(
    'Which window the headers report: the one with fewer requests left, or always the minute',
    'binding',
    'minute',
  ),
  refusedCount: choice('Whether a rate-limited request counts', false, true),
  enterpriseQuota: value(
    quotaSchema,
    { perMinute: 1_000_000, perDay: 1_000_000_000 },
    'The Enterprise quota, which is agreed individually',
    [],
    '`{ "perMinute": 5000, "perDay": 50000 }`',
  ),
  unauthorizedCount: choice(
    'Whether requests without a valid key are counted, all together',
    false,
    true,
  ),
  unauthorizedQuota: value(
    z.union([among('free', 'pro', 'business'), quotaSchema]),
    'free',
    'The quota that the headers of a 401 show',
    ['pro', 'business'],
    '`{ "perMinute": 5, "perDay": 50 }`',
  ),
  retryAfter: value(
    z.union([
      among(seconds!, ...otherForms),
      z.number(),
      strict({ raw: z.string() }),
      callable<(wait: Wait) => string | undefined>(),
    ]),
    'seconds',
    'Unit and format of the `Retry-After` value. The two in seconds since the epoch, or as a date, are rounded up',
    otherForms,
    'a number: always these seconds; `{ "raw": "soon" }`: always this text; a function of `{ now, until, wait }`, where undefined leaves the header out',
  ),
  resetUnit: choice(
    'Unit of `X-RateLimit-Reset`, rounded up. `"seconds-from-now"` is a wait and no timestamp',
    'unix-seconds',
    'unix-milliseconds',
    'seconds-from-now',
    'absent',
  ),
  dateHeader: choice('Whether responses have a `Date`', true, false),
  clockSkew: value(
    offset(),
    0,
    'How far the clock of the service is ahead of the one it runs on, ms',
    [],
    'ms, at most 100 years: `-120000`',
  ),
  nodes: row(
    z.prefault(
      strict({
        remaining: z._default(range(z.int()), [0, 0]),
        clock: z._default(range(offset()), [0, 0]),
      }),
      {},
    ),
    'Nodes behind one address that disagree: the range of what a response adds to `Remaining`, and to its clock in ms',
    [{}],
    '`{ "remaining": [0, 3], "clock": [-300, 300] }`',
  ),
  strikes: value(
    z.union([among('never'), integer(1)]),
    5,
    'How many repeated requests after a 429 ban a key; `"never"`: no number does',
    ['never'],
    'an integer',
  ),
  grace: value(
    z.union([among('in-flight'), span()]),
    'in-flight',
    'Which requests after a 429 are no strikes. `"in-flight"`: those that were sent before it came back. A number: those that arrive in its first ms, and no others; 0 is strict, 2,000 lenient',
    [],
    'ms',
  ),
  ban: value(span(), 600_000, 'The duration of a temporary ban, ms', [], 'ms, at most 100 years'),
} as const;
