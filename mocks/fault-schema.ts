import * as z from 'zod/mini';
import { strictObject } from '../src/contract/fast-object.js';
import { operations } from '../src/contract/index.js';
import type { Fault, FaultOutcome } from './fault-types.js';

const drifts = ['unknown-status', 'extra-field', 'missing-field', 'null-field', 'string-number', 'huge-id'] as const;
const flag = z.optional(z.literal(true, { error: 'must be true, or left out' }));
const when = z.optional(z.literal([true, 'before', 'after'], { error: "must be true, 'before' or 'after'" }));
const ms = (least: number, error: string) => z.number({ error }).check(z.minimum(least, { error }));
const times = z.int({ error: 'must be an integer of 1 or more' }).check(z.minimum(1, { error: 'must be an integer of 1 or more' }));
const operationNames = Object.keys(operations) as (keyof typeof operations)[];

const statusError = 'must be an integer from 200 to 599';
const outcome = {
  status: z.optional(z.int({ error: statusError }).check(z.minimum(200, { error: statusError }), z.maximum(599, { error: statusError }))),
  body: z.optional(z.unknown()),
  delay: z.optional(ms(0, 'must be ms, 0 or more')),
  'retry-after': z.optional(
    z.custom<string | number>((value) => typeof value === 'number' || (typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)), {
      error: 'must be a number, or a text of visible ASCII characters',
    }),
  ),
  'no-rate-limit-headers': flag,
  'clock-skew': z.optional(z.number({ error: 'must be ms' })),
  'network-error': when,
  hang: when,
  'drop-body': flag,
  'slow-body': z.optional(z.union([z.literal(true), ms(0, '')], { error: 'must be true, or ms of 0 or more' })),
  'malformed-json': flag,
  'empty-body': flag,
  html: flag,
  drift: z.optional(z.literal(drifts, { error: `must be one of ${drifts.join(', ')}` })),
};
const outcomeSchema = strictObject(outcome, "must be an object, or 'pass'");
const probabilityError = 'must be above 0, and at most 1';
const faultSchema = strictObject(
  {
    ...outcome,
    operation: z.optional(z.literal(operationNames, { error: `must be one of ${operationNames.join(', ')}` })),
    key: z.optional(z.string({ error: 'must be a key' })),
    times: z.optional(times),
    probability: z.optional(
      z.number({ error: probabilityError }).check(z.gt(0, { error: probabilityError }), z.maximum(1, { error: probabilityError })),
    ),
    sequence: z.optional(
      z.array(z.union([z.literal('pass'), outcomeSchema], { error: "must be an outcome, or 'pass'" }), { error: 'must be an array' }),
    ),
  },
  'must be an object',
);

/** Outcomes of which a fault has at most one. */
export const exclusive = ['network-error', 'hang', 'drop-body', 'slow-body', 'malformed-json', 'empty-body', 'html', 'drift'] as const;
const additions = ['status', 'delay', 'retry-after', 'no-rate-limit-headers', 'clock-skew'] as const;
const all = [...additions, ...exclusive];

/** Checks what is given as a fault. @throws TypeError that says what is wrong with it. */
export function checkFault(given: Fault): void {
  const { success, error } = faultSchema.safeParse(given);
  if (!success)
    throw new TypeError(`This is no fault: ${error.issues.map(({ path, message }) => [...path, message].join(' ')).join('; ')}`);
  if (!given.sequence) return checkOutcome(given);
  const beside = all.filter((name) => given[name] !== undefined);
  if (beside.length > 0) throw new TypeError(`This is no fault: ${beside.join(', ')} cannot stand beside a sequence`);
  if (given.sequence.length === 0) throw new TypeError('This is no fault: its sequence is empty');
  for (const step of given.sequence) if (step !== 'pass') checkOutcome(checkStep(step));
}

function checkStep(step: FaultOutcome): FaultOutcome {
  const { success, error } = outcomeSchema.safeParse(step);
  if (!success)
    throw new TypeError(
      `This is no fault: in its sequence, ${error.issues.map(({ path, message }) => [...path, message].join(' ')).join('; ')}`,
    );
  return step;
}

function checkOutcome(fault: FaultOutcome): void {
  const given = all.filter((name) => fault[name] !== undefined);
  const outcomes = exclusive.filter((name) => fault[name] !== undefined);
  if (given.length === 0) throw new TypeError(`This is no fault: it needs one of ${all.join(', ')}, or sequence`);
  if (outcomes.length > 1) throw new TypeError(`This is no fault: ${outcomes.join(' and ')} exclude each other`);
  if (fault.status !== undefined && (['network-error', 'hang', 'drift'] as const).some((name) => fault[name] !== undefined))
    throw new TypeError(`This is no fault: status and ${outcomes[0]} exclude each other`);
  if (fault.body !== undefined && fault.status === undefined) throw new TypeError('This is no fault: body stands only beside status');
}
