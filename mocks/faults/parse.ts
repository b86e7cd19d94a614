import * as z from 'zod/mini';
import { stringifyJson } from '../../src/contract/json.js';
import { strictObject } from '../../src/contract/schema-builders.js';
import { operations } from '../../src/contract/index.js';
import { type Duration, longestDuration, readDuration } from '../clock/duration.js';
import type { Fault, FaultOutcome } from './fault-types.js';
import { nearest } from '../utils/did-you-mean.js';

/** A field that must be what `takes` says, if it is given. A refinement, because a union shows what it says. */
function field<T>(takes: string, schema: object, accepts: (value: unknown) => boolean) {
  const refined = z.unknown().check(z.refine(accepts, { error: `must be ${takes}` }));
  z.globalRegistry.add(refined, { ...schema, description: takes });
  return z.optional(refined as unknown as z.ZodMiniType<T, T>);
}
const isOneOf = (values: readonly unknown[]) => (value: unknown) => values.includes(value);
const oneOf = (values: readonly string[], takes = `one of ${values.join(', ')}`) =>
  field<never>(takes, { enum: values }, isOneOf(values));
const between = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most;
const isInteger = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && between(least, most)(value);

const numberOrText = { type: ['number', 'string'] };
const flag = field<boolean>('true, or false', { type: 'boolean' }, isOneOf([true, false]));
const moments = [true, false, 'before', 'after'];
const when = field<never>("true, 'before' or 'after'", { enum: moments }, isOneOf(moments));
const span = (takes: string, isSigned = false) =>
  field<Duration>(takes, numberOrText, (value) => isSpan(value, isSigned));

/** Outcomes that change the body of a response. */
const bodyOutcomes = {
  'drop-body': flag,
  'slow-body': field<boolean | Duration>(
    "true, or ms of 0 or more, or a text such as '2s'",
    { type: ['boolean', 'number', 'string'] },
    (value) => typeof value === 'boolean' || isSpan(value, false),
  ),
  'malformed-json': flag,
  'empty-body': flag,
  html: flag,
  drift: oneOf([
    'unknown-status',
    'extra-field',
    'missing-field',
    'null-field',
    'string-number',
    'huge-id',
  ]),
};
/** Outcomes of which a fault has at most one. */
const outcomes = { 'network-error': when, hang: when, ...bodyOutcomes };
/** What a fault may do besides. */
const additions = {
  status: field<number>(
    'an integer from 200 to 599',
    { type: 'integer', minimum: 200, maximum: 599 },
    isInteger(200, 599),
  ),
  delay: span("ms, 0 or more, or a text such as '500ms' or '2s'"),
  'retry-after': field<string | number>(
    'a number, or a text of visible ASCII characters',
    numberOrText,
    (value) => typeof value === 'number' || /^[\x20-\x7e]*$/.test(value as string),
  ),
  'no-rate-limit-headers': flag,
  'clock-skew': span("ms, or a text such as '90s' or '-90s'", true),
};
const body = { body: z.optional(z.unknown()) };
const outcomeSchema = strictObject(
  { ...additions, ...body, ...outcomes },
  "must be an object, or 'pass'",
);
const step = z.union([z.literal('pass'), outcomeSchema], {
  error: "must be an outcome, or 'pass'",
});
const selection = {
  operation: oneOf(Object.keys(operations)),
  key: field<string>('a key', { type: 'string' }, (value) => typeof value === 'string'),
  // JSON.stringify writes the number Infinity as null.
  times: field<number | 'Infinity' | null>(
    'an integer of 1 or more, or "Infinity"',
    { anyOf: [{ type: 'integer', minimum: 1 }, { enum: ['Infinity', null] }] },
    (value) => isOneOf(['Infinity', null, Infinity])(value) || isInteger(1, Infinity)(value),
  ),
  probability: field<number>(
    'from 0 (never) to 1',
    { type: 'number', minimum: 0, maximum: 1 },
    between(0, 1),
  ),
  sequence: z.optional(z.array(step, { error: 'must be an array' })),
};
const fields = { ...additions, ...outcomes, ...body, ...selection };
/** A fault. The OpenAPI description of the control API is made from it. */
export const faultSchema = strictObject(fields, 'must be an object');

const names = <T extends object>(of: T) => Object.keys(of) as (keyof T)[];
export const bodyFaults = names(bodyOutcomes);
export const exclusive = names(outcomes);
const all = names({ ...additions, ...outcomes });

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
  const problem = schemaProblem(given) ?? sequenceProblem(given);
  if (problem !== undefined) throw new TypeError(`This is not a fault: ${problem}`);
  return (given.sequence ?? [given]).map((one) => {
    if (one === 'pass') return one;
    const read = readOutcome(one);
    const wrong = outcomeProblem(read);
    if (wrong !== undefined) throw new TypeError(`This is not a fault: ${wrong}`);
    return read;
  });
}

function schemaProblem(given: Fault): string | undefined {
  const { error } = faultSchema.safeParse(given);
  return error?.issues
    .map((issue) => [...issue.path, issue.message + suggestionFor(issue)].join(' '))
    .join('; ');
}

/** Suggestions for unknown fields: `network-error` for `networkError`. */
function suggestionFor(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return '';
  const near = issue.keys.flatMap((key) => nearest(key, Object.keys(fields)) ?? []);
  return near.length === 0 ? '' : `. Did you mean ${near.join(', ')}?`;
}

function sequenceProblem(given: Fault): string | undefined {
  if (!given.sequence) return undefined;
  if (given.sequence.length === 0) return 'its sequence is empty';
  const own = readOutcome(given);
  const beside = [...all, 'body' as const].filter((name) => own[name] !== undefined);
  return beside.length > 0 ? `${beside.join(', ')} cannot be combined with a sequence` : undefined;
}

/** Pairs of which a fault has at most one, besides the outcomes. A 429 has no pet that could drift. */
const apart = [
  ['status', 'network-error'],
  ['status', 'hang'],
  ['status', 'drift'],
  ['retry-after', 'drift'],
] as const;

function outcomeProblem(fault: ReadOutcome): string | undefined {
  const has = (name: keyof ReadOutcome) => fault[name] !== undefined;
  const several = exclusive.filter(has);
  const pair = several.length > 1 ? several : apart.find((both) => both.every(has));
  if (!all.some(has)) return `it needs one of ${all.join(', ')}, or sequence`;
  if (pair) return `${pair.join(' and ')} exclude each other`;
  if (!has('body')) return undefined;
  if (!isWritable(fault.body))
    return 'body must be a text, or a value that JSON can hold, that is not nested thousands of levels deep';
  return has('status') ? undefined : 'body is allowed only together with status';
}

/** Whether JSON can express a value: not a function, a circular structure, or a value that is nested too deeply. */
function isWritable(value: unknown): boolean {
  try {
    return typeof stringifyJson(value) === 'string';
  } catch {
    return false;
  }
}

/** What is not a flag: `false` does not leave it out. The schema refuses `false` for `drift` before. */
type Flag = Exclude<keyof typeof outcomes, 'drift'> | 'no-rate-limit-headers';

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
  const read = Object.entries(given).filter(([name, value]) => value !== false || name === 'body');
  return Object.fromEntries(
    read.map(([name, value]) => [name, spans.includes(name) ? readSpan(value) : value]),
  ) as ReadOutcome;
}

const spans = ['delay', 'slow-body', 'clock-skew'];

/** Whether a value is a length of time, at most 100 years; a negative one only where `isSigned`. */
function isSpan(value: unknown, isSigned: boolean): boolean {
  const isNegative = typeof value === 'string' ? value.startsWith('-') : Number(value) < 0;
  if ((typeof value !== 'number' && typeof value !== 'string') || (isNegative && !isSigned))
    return false;
  try {
    return Math.abs(readSpan(value) as number) <= longestDuration;
  } catch {
    return false;
  }
}

/** A length of time in ms; anything that is no text as it is. */
function readSpan(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.startsWith('-')
    ? -readDuration(value.slice(1) as '1s')
    : readDuration(value as '1s');
}
