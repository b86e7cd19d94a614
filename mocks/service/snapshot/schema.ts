import * as z from 'zod/mini';
import { NewPetSchema } from '../../../src/contract/index.js';
import { Int64Schema, canonicalInt64, isInt64, parseInt64 } from '../../../src/contract/int64.js';
import { strictObject } from '../../../src/contract/schema-builders.js';
import type { PlainInt64, Snapshot, StoreSnapshot } from './snapshot-types.js';

/** Reads an int64 of a snapshot; undefined for any other value. */
export function readPlainInt64(value: unknown): number | bigint | undefined {
  if (typeof value === 'string') return parseInt64(value);
  return isInt64(value) ? canonicalInt64(value) : undefined;
}

/** Writes an int64 so that `JSON.stringify` keeps all its digits. */
export function plainInt64(value: number | bigint): PlainInt64 {
  return typeof value === 'bigint' ? String(value) : value;
}

const int64 = z.custom<PlainInt64>((value) => readPlainInt64(value) !== undefined, {
  error: 'must be an int64, as a number, or as text beyond 2^53 - 1',
});
const time = z.number({ error: 'must be ms since the epoch' });
const whole = z
  .int({ error: 'must be an integer of 0 or more' })
  .check(z.minimum(0, { error: 'must be an integer of 0 or more' }));
const text = z.string({ error: 'must be text' });
const flag = z.boolean({ error: 'must be true or false' });
const list = <Item extends z.ZodMiniType>(item: Item) =>
  z.array(item, { error: 'must be an array' });

/** The fields of a pet as the contract has them, but each int64 in plain JSON. */
function plainFields(
  shape: Readonly<Record<string, z.ZodMiniType>>,
): Record<string, z.ZodMiniType> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, field === Int64Schema ? int64 : field]),
  );
}

const store = {
  nextId: int64,
  pets: list(
    strictObject({ id: int64, ...plainFields(NewPetSchema.shape) }, 'must be a pet with its id'),
  ),
};
const usage = strictObject({ used: whole, resetAt: time }, 'must be { "used", "resetAt" }');
const key = strictObject(
  {
    key: text,
    plan: z.unknown(),
    limits: z.literal(['on', 'off'], { error: 'must be "on" or "off"' }),
    used: strictObject({ minute: usage, day: usage }, 'must be { "minute", "day" }'),
    bannedUntil: z.union([z.null(), time], { error: 'must be ms since the epoch, or null' }),
    strikes: z.optional(whole),
    lastStrike: z.optional(time),
    coolDowns: z.optional(
      list(
        strictObject(
          { scope: text, from: time, until: time, isDelivered: flag, isInjected: flag },
          'must be a cool-down',
        ),
      ),
    ),
  },
  'must be a key',
);
const window = z.union(
  [
    strictObject({ start: z.nullable(time), used: whole }, ''),
    strictObject(
      { times: z.array(time), block: z.optional(strictObject({ at: time, count: whole }, '')) },
      '',
    ),
    strictObject({ lacks: time, seen: time }, ''),
  ],
  { error: 'must be the state of a window' },
);
const kind = z.literal(['fixed', 'from-first', 'sliding', 'token-bucket'], {
  error: 'must be a kind of window',
});
const schema = strictObject(
  {
    version: z.literal(1, {
      error: ({ input }) =>
        input === undefined
          ? 'is missing: take what snapshot() has returned'
          : 'must be 1: the snapshot is of another version',
    }),
    now: z.custom<number>(
      (value) => typeof value === 'number' && !Number.isNaN(new Date(value).getTime()),
      { error: 'must be a date, in ms since the epoch' },
    ),
    random: z.optional(z.int({ error: 'must be an integer' })),
    ...store,
    staging: z.optional(strictObject(store, 'must be { "nextId", "pets" }')),
    own: z.optional(list(strictObject({ name: text, ...store }, 'must be a store with its name'))),
    keys: list(key),
    windows: z.optional(
      strictObject(
        {
          minuteWindow: kind,
          dayWindow: kind,
          countingScope: text,
          scopes: list(
            strictObject({ scope: text, minute: window, day: window }, 'must be two windows'),
          ),
        },
        'must be an object',
      ),
    ),
    faults: list(
      strictObject(
        {
          id: z.optional(whole),
          fault: z.union([text, z.record(text, z.unknown())], { error: 'must be a fault' }),
          hits: whole,
          played: whole,
        },
        'must be { "id", "fault", "hits", "played" }',
      ),
    ),
  },
  'must be an object',
);

/** Checks the shape of a snapshot. @throws TypeError that names the part that is invalid. */
export const checkSnapshot = (given: unknown): Snapshot =>
  check(schema, given, 'a snapshot') as Snapshot;

/** Checks the shape of a store. @throws TypeError that names the part that is invalid. */
export const checkStore = (given: unknown): StoreSnapshot =>
  check(strictObject(store, 'must be { "nextId", "pets" }'), given, 'a store') as StoreSnapshot;

function check(shape: z.ZodMiniType, given: unknown, what: string): unknown {
  const { success, error } = shape.safeParse(given);
  if (success) return given;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  throw new TypeError(`This is not ${what}: ${[path.join('.'), message].join(' ').trim()}`);
}
