import * as z from 'zod/mini';
import { NewPetSchema } from '../../../src/contract/index.js';
import { Int64Schema, canonicalInt64, isInt64, parseInt64 } from '../../../src/contract/int64.js';
import { fastCheck } from '../../../src/contract/schema-builders.js';
import { quotaSchema } from '../../assumptions/table.js';
import { keySchema, planNames } from '../../limits/key-types.js';
import { faultSchema } from '../../faults/parse.js';
import { among, integer, strict } from '../../utils/check.js';

const count = integer(0);
/** A moment that a `Date` can hold, ms since the epoch. */
const time = z.number().check(z.minimum(-8.64e15), z.maximum(8.64e15));

const readInt64 = (value: unknown) =>
  typeof value === 'string'
    ? parseInt64(value)
    : isInt64(value)
      ? canonicalInt64(value)
      : undefined;

/** A number, or beyond 2^53 - 1 the digits as text: `JSON.stringify` keeps both exactly. */
const int64 = fastCheck<unknown>({
  accepts: (value) => readInt64(value) !== undefined,
  explain: () => 'must be an int64, as a number, or as text beyond 2^53 - 1',
  convert: readInt64,
  jsonSchema: () => ({ type: ['integer', 'string'], format: 'int64' }),
}) as z.ZodMiniType<number | bigint, number | string>;

/** The fields of a pet as the contract has them, but each int64 in plain JSON. */
const petFields = Object.fromEntries(
  Object.entries(NewPetSchema.shape).map(([name, field]: [string, z.ZodMiniType]) => [
    name,
    field === Int64Schema ? int64 : field,
  ]),
) as Omit<(typeof NewPetSchema)['shape'], 'categoryId'> & { readonly categoryId: typeof int64 };
const store = {
  /** The id that is assigned next. */
  nextId: int64,
  /** The pets, in the order of their ids. `id` and `categoryId` are text beyond 2^53 - 1. */
  pets: z.array(strict({ id: int64, ...petFields })),
};

const coolDown = {
  /** When it began, ms since the epoch. */
  from: time,
  /** When it ends, ms since the epoch. */
  until: time,
  /** 0 where a client was told of it. Left out: none was. */
  knownFrom: z.optional(count),
};
const key = strict({
  /** The key itself: visible ASCII characters. */
  key: keySchema,
  /** The name of its plan; `'custom'` for a quota of its own. */
  plan: among(...planNames, 'custom'),
  /** What the plan allows. */
  quota: quotaSchema,
  /** Whether its quota is enforced. */
  limits: among('on', 'off'),
  strikes: count,
  /** When its last request arrived, or its last ban began. Left out: never. */
  seenAt: z.optional(time),
  /** Its ban. Left out: none. */
  ban: z.optional(strict(coolDown)),
  /** The newest cool-down of each counting scope. */
  coolDowns: z.array(strict({ ...coolDown, scope: z.string() })),
});

const window = z.union([
  strict({ start: z.nullable(time), used: count }),
  strict({ over: count, counts: z.array(strict({ at: time, total: count })) }),
  strict({ lacks: z.number(), seen: time }),
]);
const windowKind = among('fixed', 'from-first', 'sliding', 'token-bucket');
const windows = strict({
  /** The assumptions by which the requests were counted. */
  minuteWindow: windowKind,
  /** The kind of the window of a day. */
  dayWindow: windowKind,
  /** What one count is for. */
  countingScope: among('key', 'key-and-operation', 'everyone'),
  /** The two windows of each counting scope: of each key that was used, by default. */
  scopes: z.array(strict({ scope: z.string(), minute: window, day: window })),
});

const fault = strict({
  /** Its id. Left out: it gets a new one. */
  id: z.optional(count),
  /** The fault as it was added; as JSON text where its body has an int64 beyond 2^53 - 1. */
  fault: z.union([z.string(), faultSchema]),
  /** How many requests it has hit. */
  hits: count,
  /** How many of its outcomes have been played, `'pass'` included. */
  played: count,
});

/**
 * The schema of a {@link Snapshot}, of a response of `GET /_mock/snapshot`, and of the file of `petstore-mock --state`.
 *
 * @example
 * ```ts
 * import { createMockService, SnapshotSchema } from 'petstore-client/mocks';
 *
 * console.log(SnapshotSchema.safeParse(createMockService().snapshot()).success); // true
 * ```
 */
export const SnapshotSchema = /* @__PURE__ */ strict({
  /** The version of the format. */
  version: z.literal(2, {
    error: ({ input }) =>
      input === undefined
        ? 'is missing: take what snapshot() has returned'
        : 'must be 2: a snapshot of another version cannot be read, take a new one with snapshot() or GET /_mock/snapshot',
  }),
  /** The time on the service's clock, ms since the epoch. */
  now: time,
  /** The state of the random numbers. */
  random: z.int(),
  ...store,
  /** The pets of staging. Left out: they are those of production. */
  staging: z.optional(strict(store)),
  /** The keys, with their bans and strikes. */
  keys: z.array(key),
  /** What the keys have used. */
  windows,
  /** The faults, also those that are over. */
  faults: z.array(fault),
});

/**
 * The state of a service as plain JSON: pets, ids, keys with what they have used, strikes, bans, faults, the clock and the
 * random numbers. {@link SnapshotSchema} describes it.
 */
// An interface keeps its name in the reference, where the type would be written out.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Snapshot extends z.input<typeof SnapshotSchema> {}
