import * as z from 'zod/mini';
import { stringifyJson } from '../../src/contract/json.js';
import { operations, type OperationName } from '../../src/contract/index.js';
import { durationSchema } from '../clock/duration.js';
import { fastCheck } from '../../src/contract/schema-builders.js';
import { ascii, check, countFrom, integer } from '../utils/check.js';
import { readJson } from '../utils/json.js';
import { attempt, mapValues } from '../utils/options.js';
import { bodyFaults } from './body-faults.js';

const when = z.optional(z.literal([true, false, 'before', 'after']));
const bodySchemas = mapValues(bodyFaults, ({ schema }) => schema) as unknown as {
  [Name in keyof typeof bodyFaults]: (typeof bodyFaults)[Name]['schema'];
};

/** Outcomes of which a fault has at most one. */
const outcomes = {
  /** Outcome: the connection breaks, `'before'` (or `true`) or `'after'` the operation runs. */
  'network-error': when,
  /** Outcome: no response, `'before'` (or `true`) or `'after'` the operation runs, until the request is aborted. */
  hang: when,
  ...bodySchemas,
};

/** What a fault may do besides. */
const additions = {
  /**
   * Addition: responds with this status, 200 to 599, and does not run the operation. From 400 on there is an Error body unless
   * `body` is given; a 2xx or 3xx has none unless given, and no `Location`.
   */
  status: z.optional(integer(200, 599)),
  /** Addition: waits this long on the service's clock before the response. */
  delay: z.optional(durationSchema()),
  /** Addition: this raw value as `Retry-After`, not with `drift`. A request within its quota receives a 429, unless a fault has a `status` or breaks the connection. */
  'retry-after': z.optional(z.union([z.number(), ascii])),
  /** Addition: the three `X-RateLimit-*` headers are missing. */
  'no-rate-limit-headers': z.optional(z.boolean()),
  /** Addition: `Date`, `X-RateLimit-Reset` and a `Retry-After` date are ahead by this time (behind, if negative: `-90_000`, `'-90s'`). */
  'clock-skew': z.optional(durationSchema(true)),
};
export const exclusive = Object.keys(outcomes) as (keyof typeof outcomes)[];
const all = [...(Object.keys(additions) as (keyof typeof additions)[]), ...exclusive];

const outcomeFields = {
  ...additions,
  ...outcomes,
  /** The body, only with `status`: `false` for none, a string as it is, anything else as JSON. */
  body: z.optional(z.unknown()),
};

/** Pairs of which a fault has at most one, besides the outcomes. A 429 has no pet that could drift. */
const apart = [
  ['status', 'network-error'],
  ['status', 'hang'],
  ['status', 'drift'],
  ['retry-after', 'drift'],
] as const;

type Outcome = z.output<z.ZodMiniObject<typeof outcomeFields>>;

/** What is wrong with an outcome whose fields are right. `names`: the fields of which it needs one. */
function outcomeProblem(outcome: Outcome, names: readonly string[] = all): string | undefined {
  const fault = withoutOff(outcome);
  const has = (name: keyof Outcome) => fault[name] !== undefined;
  const several = exclusive.filter(has);
  const pair = several.length > 1 ? several : apart.find((both) => both.every(has));
  if (!all.some(has)) return `has none of ${names.join(', ')}: it needs one of them`;
  if (pair) return `has ${pair.join(' and ')}, which exclude each other`;
  if (!has('body')) return undefined;
  if (attempt(() => stringifyJson(fault.body)) === undefined)
    return 'has a body that JSON cannot hold, or that is nested thousands of levels deep';
  return has('status') ? undefined : 'has a body, which is allowed only together with status';
}

const problemCheck =
  <Value>(problemOf: (value: Value) => string | undefined) =>
  ({ value, issues }: z.core.ParsePayload<Value>) => {
    const message = issues.length === 0 ? problemOf(value) : undefined;
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  };
const outcomeSchema = z.strictObject(outcomeFields).check(problemCheck(outcomeProblem));
/**
 * The effect of a fault: exactly one outcome, or at least one addition without an outcome. Lengths of time are ms, or a
 * text such as `'500ms'` or `'2s'`. A flag that is `false` counts as absent.
 *
 * @interface
 */
export type FaultOutcome = Readonly<z.input<typeof outcomeSchema>>;

type Step = z.output<typeof outcomeSchema> | 'pass';
const steps = z
  .array(z.union([outcomeSchema, z.literal('pass')]))
  .check(z.minLength(1, { error: 'must have at least one outcome' }));

type Times = number | 'Infinity' | null;
const count = countFrom(1);

/** A fault. The OpenAPI description of the control API is made from it. */
export const faultSchema = z
  .strictObject({
    ...outcomeFields,
    /** Only requests of this operation. Default: all requests. */
    operation: z.optional(z.literal(Object.keys(operations) as OperationName[])),
    /** Only requests with this key. Default: any. */
    key: z.optional(z.string()),
    /**
     * How many requests it hits; with a sequence, how many times the whole sequence is played. An integer of 1 or more, or
     * `Infinity`, which JSON writes as `"Infinity"` or null. Default: `Infinity`; 1 with a sequence.
     */
    times: z.optional(
      fastCheck({
        read: (times) =>
          count.safeParse(times === null || times === 'Infinity' ? Infinity : times).data,
        explain: () => 'must be an integer of 1 or more, or "Infinity"',
        jsonSchema: () => ({
          anyOf: [{ type: 'integer', minimum: 1 }, { enum: ['Infinity', null] }],
        }),
      }) as unknown as z.ZodMiniType<number, Times>,
    ),
    /** The probability that a matching request is hit, from 0 (never) to 1, drawn from the seeded random numbers of the service. Default 1. */
    probability: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
    /**
     * Outcomes played in order, one for each request that all of them could hit, instead of a single outcome; `'pass'` leaves
     * the request alone. It is played once: with `times: Infinity` it starts again, so that `['pass', 'pass', { status: 503 }]` hits every third request.
     */
    sequence: z.optional(
      steps as unknown as z.ZodMiniType<readonly Step[], readonly (FaultOutcome | 'pass')[]>,
    ),
  })
  .check(
    problemCheck((fault) => {
      if (!fault.sequence) return outcomeProblem(fault, [...all, 'sequence']);
      const own = withoutOff(fault);
      const beside = [...all, 'body' as const].filter((name) => own[name] !== undefined);
      return beside.length > 0
        ? `has a sequence and ${beside.join(', ')}, which exclude each other`
        : undefined;
    }),
  );
/**
 * A fault, as plain data: the same in code, on the control API of the stand-alone service and in a file.
 *
 * @interface
 */
export type Fault = Readonly<z.input<typeof faultSchema>>;

/** A fault as JSON can express it. */
export function toPlainFault(fault: Fault): Fault {
  return fault.times === Infinity ? { ...fault, times: 'Infinity' } : fault;
}

/** A parsed outcome: every duration in ms, and no flag that is off. */
export type ReadOutcome = Readonly<Outcome>;

/** The outcome without flags that are off. */
function withoutOff<T extends Outcome>(outcome: T): T {
  const isOn = ([name, value]: [string, unknown]) =>
    value !== undefined && (value !== false || name === 'body');
  return Object.fromEntries(Object.entries(outcome).filter(isOn)) as T;
}

/** A fault as the service plays it. */
export interface ReadFault extends Pick<Fault, 'operation' | 'key' | 'probability'> {
  /** The outcomes, in order. */
  readonly outcomes: readonly (ReadOutcome | 'pass')[];
  /** How many times they are played. */
  readonly rounds: number;
}

/** Parses a fault. @throws TypeError that says what is wrong with it. */
export function readFault(given: Fault): ReadFault {
  const { operation, key, probability, times, sequence, ...own } = check(
    faultSchema,
    given,
    'fault',
  );
  const outcomes = (sequence ?? [own]).map((one) => (one === 'pass' ? one : withoutOff(one)));
  return { operation, key, probability, outcomes, rounds: times ?? (sequence ? 1 : Infinity) };
}

/** A fault that is given as it is, or as JSON text with exact int64. @throws TypeError that says what is wrong with it. */
export function givenFault(given: unknown): Fault {
  const notJson = (why: string) => new TypeError(`fault is not JSON: ${why}`);
  const fault = (typeof given === 'string' ? readJson(given, notJson) : given) as Fault;
  readFault(fault);
  return fault;
}
