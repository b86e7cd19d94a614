import * as z from 'zod/mini';
import { NewPetSchema } from '../../../src/contract/index.js';
import { Int64Schema, canonicalInt64, isInt64, parseInt64 } from '../../../src/contract/int64.js';
import { fastCheck } from '../../../src/contract/schema-builders.js';
import { accountSchema } from '../../limits/cool-down.js';
import { limiterSchema } from '../../limits/limiter.js';
import { faultSchema } from '../../faults/parse.js';
import { integer, moment, strict } from '../../utils/check.js';
import { mapValues } from '../../utils/options.js';

const count = integer(0);

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
const petFields = mapValues(NewPetSchema.shape, (field: z.ZodMiniType) =>
  field === Int64Schema ? int64 : field,
) as unknown as Omit<(typeof NewPetSchema)['shape'], 'categoryId'> & {
  readonly categoryId: typeof int64;
};
const store = {
  /** The id that is assigned next. */
  nextId: int64,
  /** The pets, in the order of their ids. `id` and `categoryId` are text beyond 2^53 - 1. */
  pets: z.array(strict({ id: int64, ...petFields })),
};

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
  now: moment,
  /** The state of the random numbers. */
  random: z.int(),
  ...store,
  /** The pets of staging. Left out: they are those of production. */
  staging: z.optional(strict(store)),
  /** The keys, with their bans and strikes. */
  keys: z.array(accountSchema),
  /** What the keys have used. */
  windows: limiterSchema,
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
