import { readDuration } from '../clock/duration.js';
import type { FaultOutcome } from './fault.js';

/** Fields that are on or off, some of them with a choice. */
const flags = ['no-rate-limit-headers', 'network-error', 'hang', 'drop-body', 'slow-body', 'malformed-json', 'empty-body', 'html'] as const;
type Flag = (typeof flags)[number];

/** An outcome as the service reads it: every length of time in ms, and no flag that is off. */
export type ReadOutcome = Omit<FaultOutcome, Flag | 'delay' | 'clock-skew'> & {
  readonly delay?: number;
  readonly 'clock-skew'?: number;
  readonly 'slow-body'?: true | number;
  readonly 'network-error'?: true | 'before' | 'after';
  readonly hang?: true | 'before' | 'after';
} & { readonly [Name in Exclude<Flag, 'slow-body' | 'network-error' | 'hang'>]?: true };

/** Reads an outcome that was found to be one. */
export function readOutcome(given: FaultOutcome): ReadOutcome {
  const isOff = ([name, value]: [string, unknown]) => value === false && (flags as readonly string[]).includes(name);
  const read: Record<string, unknown> = Object.fromEntries(Object.entries(given).filter((field) => !isOff(field)));
  for (const name of ['delay', 'slow-body', 'clock-skew']) if (typeof read[name] === 'string') read[name] = readSpan(read[name]);
  return read as ReadOutcome;
}

/** Whether a value is a length of time; a negative one only where `signed`. */
export function isSpan(value: unknown, signed: boolean): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && (signed || value >= 0);
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
