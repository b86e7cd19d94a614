import type * as z from 'zod/mini';
import { describeValue } from './json.js';
import { fastCheck, type ResponseContext } from './schema-builders.js';

/** Smallest value of the format int64, as the interface uses it for `id`, `categoryId` and `petId`: -9223372036854775808. */
export const INT64_MIN: bigint = -(2n ** 63n);
/** Largest value of the format int64: 9223372036854775807. */
export const INT64_MAX: bigint = 2n ** 63n - 1n;

/** True for a safe integer, or a bigint inside the int64 range: the two ways to hold an int64 without rounding it. */
export function isInt64(value: unknown): value is number | bigint {
  return typeof value === 'bigint'
    ? BigInt.asIntN(64, value) === value
    : Number.isSafeInteger(value);
}

/** Why `value` is not an exact int64, and what to pass or to set. */
function explainInt64(value: unknown, { int64, validation }: ResponseContext): string {
  if (value === undefined) return 'is required: an integer (int64)';
  if (isInt64(value)) return `is ${value}, beyond 2^53 - 1: set int64: 'bigint' on the client`;
  if (typeof value === 'bigint')
    return `must be an int64 (${INT64_MIN} to ${INT64_MAX}), got ${value as bigint}`;
  if (typeof value === 'number' && Number.isInteger(value))
    return validation === undefined
      ? `must be exact: a number beyond 2^53 - 1 may have been rounded already, ${int64 === 'number' ? "set int64: 'bigint' on the client and " : ''}pass a bigint (got ${value})`
      : 'must be an integer (int64) in plain digits, got one with an exponent or a fraction';
  return `must be an integer (int64), got ${describeValue(value)}`;
}

/** One form for each value: a number if it is safe, otherwise a bigint. So 5 and 5n are the same key. */
export function canonicalInt64(value: number | bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Reads the decimal text of an int64, as in a path: `undefined` when it is not one. */
export function parseInt64(text: string): number | bigint | undefined {
  const value = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  return isInt64(value) ? canonicalInt64(value) : undefined;
}

/** An int64: a safe integer, or a bigint in range. In a response it has the type that the client wants. */
export const Int64Schema: z.ZodMiniType<number | bigint, number | bigint> =
  /* @__PURE__ */ fastCheck({
    read: (value, { int64 }) => {
      if (!isInt64(value)) return undefined;
      if (int64 === 'bigint') return BigInt(value);
      return int64 === 'number' && !Number.isSafeInteger(Number(value)) ? undefined : value;
    },
    explain: explainInt64,
    jsonSchema: () => ({ type: 'integer', format: 'int64' }),
  });
