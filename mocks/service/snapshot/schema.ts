import * as z from 'zod/mini';
import { NewPetSchema } from '../../../src/contract/index.js';
import { Int64Schema, canonicalInt64, isInt64, parseInt64 } from '../../../src/contract/int64.js';
import { fastCheck, strictObject } from '../../../src/contract/schema-builders.js';
import { faultSchema } from '../../faults/parse.js';

const list = <Item extends z.ZodMiniType>(item: Item) =>
  z.array(item, { error: 'must be an array' });
const oneOf = <const Value extends string>(...values: Value[]) =>
  z.literal(values, { error: `must be one of ${values.join(', ')}` });
const text = z.string({ error: 'must be text' });
const flag = z.boolean({ error: 'must be true or false' });
const wholeError = 'must be an integer of 0 or more';
const whole = z.int({ error: wholeError }).check(z.minimum(0, { error: wholeError }));
/** The last moment that a `Date` can hold, ms since the epoch. */
const lastInstant = 8.64e15;
const timeError = 'must be a date, in ms since the epoch';
const time = z
  .number({ error: timeError })
  .check(
    z.minimum(-lastInstant, { error: timeError }),
    z.maximum(lastInstant, { error: timeError }),
  );

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
const pet = strictObject({ id: int64, ...petFields }, 'must be a pet with its id');
const store = {
  /** The id that is assigned next. */
  nextId: int64,
  /** The pets, in the order of their ids. `id` and `categoryId` are text beyond 2^53 - 1. */
  pets: list(pet),
};

const span = {
  /** When it began, ms since the epoch. */
  from: time,
  /** When it ends, ms since the epoch. */
  until: time,
  /** Whether a client was told of it. */
  isKnown: flag,
};
const coolDown = strictObject(
  { ...span, scope: text, isInjected: z.optional(flag) },
  'must be a cool-down',
);
const planError = 'must be the name of a plan, or { "perMinute", "perDay" }';
const key = strictObject(
  {
    /** The key itself. */
    key: text,
    /** The name of its plan, or its own quota. */
    plan: z.union([text, strictObject({ perMinute: whole, perDay: whole }, planError)], {
      error: planError,
    }),
    /** Whether its quota is enforced. */
    limits: oneOf('on', 'off'),
    /** When its last request arrived, or its last ban began. Left out: never. */
    seenAt: z.optional(time),
    /** Its ban. Left out: none. */
    ban: z.optional(strictObject(span, 'must be a ban')),
    /** Its strikes. Left out: none. */
    strikes: z.optional(whole),
    /** The newest cool-down of each counting scope. Left out: none. */
    coolDowns: z.optional(list(coolDown)),
  },
  'must be a key',
);

const window = z.union(
  [
    strictObject({ start: z.nullable(time), used: whole }, ''),
    strictObject({ over: whole, counts: list(strictObject({ at: time, total: whole }, '')) }, ''),
    strictObject({ lacks: z.number(), seen: time }, ''),
  ],
  { error: 'must be the state of a window' },
);
const windowKind = oneOf('fixed', 'from-first', 'sliding', 'token-bucket');
const windows = strictObject(
  {
    /** The assumptions by which the requests were counted. */
    minuteWindow: windowKind,
    /** The kind of the window of a day. */
    dayWindow: windowKind,
    /** What one count is for. */
    countingScope: oneOf('key', 'key-and-operation', 'everyone'),
    /** The two windows of each counting scope: of each key that was used, by default. */
    scopes: list(
      strictObject({ scope: text, minute: window, day: window }, 'must be { scope, minute, day }'),
    ),
  },
  'must be an object',
);

const fault = strictObject(
  {
    /** Its id. Left out: it gets a new one. */
    id: z.optional(whole),
    /** The fault as it was added; as JSON text where its body has an int64 beyond 2^53 - 1. */
    fault: z.union([text, faultSchema], { error: 'must be a fault' }),
    /** How many requests it has hit. */
    hits: whole,
    /** How many of its outcomes have been played, `'pass'` included. */
    played: whole,
  },
  'must be { "id", "fault", "hits", "played" }',
);

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
export const SnapshotSchema = /* @__PURE__ */ strictObject(
  {
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
    random: z.int({ error: 'must be an integer' }),
    ...store,
    /** The pets of staging. Left out: they are those of production. */
    staging: z.optional(strictObject(store, 'must be { "nextId", "pets" }')),
    /** The keys, with their bans and strikes. */
    keys: list(key),
    /** What the keys have used. */
    windows,
    /** The faults, also those that are over. */
    faults: list(fault),
  },
  'must be an object',
  'part',
);

/**
 * The state of a service as plain JSON: pets, ids, keys with what they have used, strikes, bans, faults, the clock and the
 * random numbers. {@link SnapshotSchema} describes it.
 */
export type Snapshot = z.input<typeof SnapshotSchema>;
