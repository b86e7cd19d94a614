import { stringifyJson } from '../../src/contract/json.js';
import * as z from 'zod/mini';
import { fastCheck, strictObject } from '../../src/contract/schema-builders.js';
import { operations } from '../../src/contract/index.js';
import { type Duration, longestDuration, readDuration } from '../clock/duration.js';
import type { Fault, FaultOutcome } from './fault-types.js';
import { nearest } from '../utils/did-you-mean.js';

const drifts = [
  'unknown-status',
  'extra-field',
  'missing-field',
  'null-field',
  'string-number',
  'huge-id',
] as const;
const flag = z.optional(z.boolean({ error: 'must be true, or false' }));
const when = z.optional(
  z.literal([true, false, 'before', 'after'], { error: "must be true, 'before' or 'after'" }),
);
const numberOrText = () => ({ type: ['number', 'string'] });
const span = (error: string, signed = false) =>
  fastCheck<Duration>({
    accepts: (value) => isSpan(value, signed),
    explain: () => error,
    jsonSchema: () => ({ ...numberOrText(), description: error }),
  });
const timesError = 'must be an integer of 1 or more, or "Infinity"';
const times = z.union(
  [
    z.int({ error: timesError }).check(z.minimum(1, { error: timesError })),
    z.literal('Infinity'),
    // JSON.stringify writes the number Infinity as null.
    z.null(),
    fastCheck<number>({
      accepts: (value) => value === Infinity,
      explain: () => timesError,
      jsonSchema: () => ({ const: 'Infinity' }),
    }),
  ],
  { error: timesError },
);
const operationNames = Object.keys(operations) as (keyof typeof operations)[];

const statusError = 'must be an integer from 200 to 599';
const outcome = {
  status: z.optional(
    z
      .int({ error: statusError })
      .check(z.minimum(200, { error: statusError }), z.maximum(599, { error: statusError })),
  ),
  body: z.optional(z.unknown()),
  delay: z.optional(span("must be ms, 0 or more, or a text such as '500ms' or '2s'")),
  'retry-after': z.optional(
    fastCheck<string | number>({
      accepts: (value) =>
        typeof value === 'number' || (typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)),
      explain: () => 'must be a number, or a text of visible ASCII characters',
      jsonSchema: numberOrText,
    }),
  ),
  'no-rate-limit-headers': flag,
  'clock-skew': z.optional(span("must be ms, or a text such as '90s' or '-90s'", true)),
  'network-error': when,
  hang: when,
  'drop-body': flag,
  'slow-body': z.optional(
    z.union([z.boolean(), span('')], {
      error: "must be true, or ms of 0 or more, or a text such as '2s'",
    }),
  ),
  'malformed-json': flag,
  'empty-body': flag,
  html: flag,
  drift: z.optional(z.literal(drifts, { error: `must be one of ${drifts.join(', ')}` })),
};
const outcomeSchema = strictObject(outcome, "must be an object, or 'pass'");
const probabilityError = 'must be from 0 (never) to 1';
/** A fault. The OpenAPI description of the control API is made from it. */
export const faultSchema = strictObject(
  {
    ...outcome,
    operation: z.optional(
      z.literal(operationNames, { error: `must be one of ${operationNames.join(', ')}` }),
    ),
    key: z.optional(z.string({ error: 'must be a key' })),
    times: z.optional(times),
    probability: z.optional(
      z
        .number({ error: probabilityError })
        .check(
          z.minimum(0, { error: probabilityError }),
          z.maximum(1, { error: probabilityError }),
        ),
    ),
    sequence: z.optional(
      z.array(
        z.union([z.literal('pass'), outcomeSchema], { error: "must be an outcome, or 'pass'" }),
        { error: 'must be an array' },
      ),
    ),
  },
  'must be an object',
);

/** Outcomes that change the body of a response. */
export const bodyFaults = [
  'drop-body',
  'slow-body',
  'malformed-json',
  'empty-body',
  'html',
  'drift',
] as const;
/** Outcomes of which a fault has at most one. */
export const exclusive = ['network-error', 'hang', ...bodyFaults] as const;
const additions = [
  'status',
  'delay',
  'retry-after',
  'no-rate-limit-headers',
  'clock-skew',
] as const;
const all = [...additions, ...exclusive];
const known = [...all, 'body', 'operation', 'key', 'times', 'probability', 'sequence'];

/** The outcomes of a fault, in order. */
export type Outcomes = readonly (ReadOutcome | 'pass')[];

/** How many times a fault plays its outcomes. */
export function roundsOf({ times, sequence }: Fault): number {
  if (times === undefined) return sequence ? 1 : Infinity;
  return times === null ? Infinity : Number(times);
}

/** A fault as JSON can express it. */
export function toPlainFault(fault: Fault): Fault {
  return fault.times === Infinity ? { ...fault, times: 'Infinity' } : fault;
}

/** Parses a fault. @throws TypeError that says what is wrong with it. */
export function readFault(given: Fault): Outcomes {
  const { success, error } = faultSchema.safeParse(given);
  if (!success)
    throw new TypeError(
      `This is not a fault: ${error.issues.map((issue) => [...issue.path, issue.message + suggestionFor(issue)].join(' ')).join('; ')}`,
    );
  const own = readOutcome(given);
  if (!given.sequence) return [checkOutcome(own)];
  const beside = [...all, 'body' as const].filter((name) => own[name] !== undefined);
  if (beside.length > 0)
    throw new TypeError(
      `This is not a fault: ${beside.join(', ')} cannot be combined with a sequence`,
    );
  if (given.sequence.length === 0)
    throw new TypeError('This is not a fault: its sequence is empty');
  return given.sequence.map((step) => (step === 'pass' ? step : checkOutcome(readOutcome(step))));
}

/** Suggestions for unknown fields: `network-error` for `networkError`. */
function suggestionFor(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return '';
  const names = issue.keys.flatMap((key) => nearest(key, known) ?? []);
  return names.length === 0 ? '' : `. Did you mean ${names.join(', ')}?`;
}

function checkOutcome(fault: ReadOutcome): ReadOutcome {
  const given = all.filter((name) => fault[name] !== undefined);
  const outcomes = exclusive.filter((name) => fault[name] !== undefined);
  if (given.length === 0)
    throw new TypeError(`This is not a fault: it needs one of ${all.join(', ')}, or sequence`);
  if (outcomes.length > 1)
    throw new TypeError(`This is not a fault: ${outcomes.join(' and ')} exclude each other`);
  if (
    fault.status !== undefined &&
    (['network-error', 'hang', 'drift'] as const).some((name) => fault[name] !== undefined)
  )
    throw new TypeError(`This is not a fault: status and ${outcomes[0]} exclude each other`);
  // Its 429 has no pet that could drift.
  if (fault['retry-after'] !== undefined && fault.drift !== undefined)
    throw new TypeError('This is not a fault: retry-after and drift exclude each other');
  if (fault.body !== undefined && !isWritable(fault.body))
    throw new TypeError(
      'This is not a fault: body must be a text, or a value that JSON can hold, that is not nested thousands of levels deep',
    );
  if (fault.body !== undefined && fault.status === undefined)
    throw new TypeError('This is not a fault: body is allowed only together with status');
  return fault;
}

/** Whether JSON can express a value: not a function, a circular structure, or a value that is nested too deeply. */
function isWritable(value: unknown): boolean {
  try {
    return typeof stringifyJson(value) === 'string';
  } catch {
    return false;
  }
}

/** Fields that `false` leaves out. The schema refuses `false` for `drift` before. */
const flags: readonly string[] = ['no-rate-limit-headers', ...exclusive];
type Flag = Exclude<(typeof exclusive)[number], 'drift'> | 'no-rate-limit-headers';

/** A parsed outcome: every duration in ms, and no flag that is off. */
export type ReadOutcome = Omit<FaultOutcome, Flag | 'delay' | 'clock-skew'> & {
  readonly delay?: number;
  readonly 'clock-skew'?: number;
  readonly 'slow-body'?: true | number;
  readonly 'network-error'?: true | 'before' | 'after';
  readonly hang?: true | 'before' | 'after';
} & { readonly [Name in Exclude<Flag, 'slow-body' | 'network-error' | 'hang'>]?: true };

/** Parses an outcome that has been validated. */
function readOutcome(given: FaultOutcome): ReadOutcome {
  const isOff = ([name, value]: [string, unknown]) => value === false && flags.includes(name);
  const read: Record<string, unknown> = Object.fromEntries(
    Object.entries(given).filter((field) => !isOff(field)),
  );
  for (const name of ['delay', 'slow-body', 'clock-skew'])
    if (typeof read[name] === 'string') read[name] = readSpan(read[name]);
  return read as ReadOutcome;
}

/** Whether a value is a length of time, at most 100 years; a negative one only where `signed`. */
function isSpan(value: unknown, signed: boolean): boolean {
  if (typeof value === 'number')
    return Math.abs(value) <= longestDuration && (signed || value >= 0);
  if (typeof value !== 'string' || (!signed && value.startsWith('-'))) return false;
  try {
    return Number.isFinite(readSpan(value));
  } catch {
    return false;
  }
}

function readSpan(text: string): number {
  return text.startsWith('-') ? -readDuration(text.slice(1) as '1s') : readDuration(text as '1s');
}
