import { safeParse } from 'zod/v4/core';
import type { Operation } from '../contract/operations.js';
import { parseJson } from '../contract/json.js';
import type { ResponseContext } from '../contract/schema-builders.js';
import { toIssues, type Issue } from '../errors/issues.js';
import { bigintsAsText } from '../errors/redact.js';
import type { HttpRequest } from './build-request.js';
import type { RawResponse } from './fetch.js';
import { InvalidBodyFailure } from './failures.js';
import type { Validation } from '../options/options.js';
import type { StandardResult, StandardSchema } from '../utils/standard-schema.js';
import type { Int64Mode } from '../types.js';

/**
 * Parses the response of an operation of the contract: `undefined` where its success has no body. Throws an
 * InvalidBodyFailure.
 */
export function parseResponse(
  row: Operation,
  raw: RawResponse,
  int64: Int64Mode,
  validation: Validation,
  onDrift: ResponseContext['onDrift'],
): unknown {
  const schema = row.responses[row.success];
  if (schema === undefined) return undefined;
  if (validation === 'strict' && !isJson(raw))
    throw new InvalidBodyFailure('the content type is not application/json', raw);
  let hasBigint = false as boolean;
  const readBigint = (digits: string) => {
    hasBigint = true;
    return BigInt(digits);
  };
  const value = readWith((text) => parseJson(text, readBigint), raw);
  const context: ResponseContext = { int64, validation, onDrift };
  const result = safeParse(schema, value, context);
  if (!result.success) throw bodyFailure(raw, toIssues(result.error.issues));
  if (!hasBigint || int64 === 'bigint') return result.data;
  // The schema accepted a bigint in a field that the contract does not know. `JSON.stringify` can write the text of its digits.
  return bigintsAsText(result.data);
}

/** Parses the response of a raw request, with the schema of the caller, if there is one. Throws an InvalidBodyFailure. */
export async function parseRawResponse<T>(
  { schema, method }: HttpRequest,
  raw: RawResponse,
  int64: Int64Mode,
): Promise<T> {
  const isEmpty = raw.text === '' && raw.problem === undefined;
  const value =
    isEmpty && (schema === undefined || method === 'HEAD')
      ? undefined
      : readWith((text) => parseJson(text, int64 === 'bigint' ? BigInt : String), raw);
  if (schema === undefined) return value as T;
  const verdict = await validate(schema as StandardSchema<T>, value, raw);
  if ('value' in verdict) return verdict.value;
  throw bodyFailure(raw, verdict.issues);
}

/** Whatever a schema does, the response is a success, and the error must say so. */
async function validate<T>(
  schema: StandardSchema<T>,
  input: unknown,
  raw: RawResponse,
): Promise<{ readonly value: T } | { readonly issues: readonly Issue[] }> {
  try {
    const result: StandardResult<T> = await schema['~standard'].validate(input);
    return result.issues === undefined
      ? { value: result.value }
      : { issues: toIssues(result.issues) };
  } catch (failure) {
    throw new InvalidBodyFailure(
      'the schema did not come to a verdict: it threw, or gave neither a value nor issues',
      raw,
      [],
      failure,
    );
  }
}

function readWith(parse: (text: string) => unknown, raw: RawResponse): unknown {
  if (raw.problem !== undefined) throw new InvalidBodyFailure(`the body is ${raw.problem}`, raw);
  try {
    return parse(raw.text);
  } catch (failure) {
    throw new InvalidBodyFailure(`the body ${notJson(raw.text, failure)}`, raw);
  }
}

function notJson(text: string, failure: unknown): string {
  // The call stack was too short.
  if (failure instanceof RangeError) return 'is JSON that is nested too deeply to be read exactly';
  if (text.trim() === '') return 'is empty';
  if (/^\s*</.test(text)) return 'is an HTML page, from a proxy or a captive portal perhaps';
  return /^\s*[[{]/.test(text) ? 'is JSON that breaks off or is malformed' : 'is not JSON';
}

function isJson({ response }: RawResponse): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
}

function bodyFailure(raw: RawResponse, issues: readonly Issue[]): InvalidBodyFailure {
  return new InvalidBodyFailure('the body is not what the contract says', raw, issues);
}
