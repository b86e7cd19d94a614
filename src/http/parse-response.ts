import { safeParse } from 'zod/v4/core';
import type { Operation } from '../contract/operations.js';
import { findDrift, responseSchema } from './response-schemas.js';
import { parseJson } from '../contract/json.js';
import { toIssues, type Issue } from '../errors/issues.js';
import type { RawResponse } from './fetch.js';
import { InvalidBodyFailure } from './failures.js';
import type { RawRequest, Validation } from '../options/options.js';
import type { StandardResult, StandardSchema } from '../utils/standard-schema.js';
import type { ReportDrift } from '../events/events.js';
import type { Int64Mode } from '../types.js';

/** Parses the body of a success. Throws an InvalidBodyFailure. */
export type ParseResponse<T> = (
  answer: RawResponse,
  validation: Validation,
  drift: ReportDrift | undefined,
) => T | Promise<T>;

/** Parses the response of an operation of the contract: `undefined` where its success has no body. */
export function parseResponse<T>(row: Operation, int64: Int64Mode): ParseResponse<T> {
  const schema = row.responses[row.success];
  return (answer, validation, drift) => {
    if (schema === undefined) return undefined as T;
    if (validation === 'strict' && !isJson(answer))
      throw new InvalidBodyFailure('the content type is not application/json', answer);
    let hasBigint = false as boolean;
    const readBigint = (digits: string) => {
      hasBigint = true;
      return BigInt(digits);
    };
    const value = readWith((text) => parseJson(text, readBigint), answer);
    const result = safeParse(responseSchema(schema, int64, validation), value);
    if (!result.success) throw invalid(answer, toIssues(result.error.issues));
    if (drift !== undefined) findDrift(schema, result.data, drift);
    // A bigint that the schema accepted stands in a field that the contract does not know.
    return (hasBigint && int64 === 'number' ? bigintsToText(result.data) : result.data) as T;
  };
}

/** A copy of a JSON value in which each bigint is the text of its digits, so that `JSON.stringify` can write it. */
function bigintsToText(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(bigintsToText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, bigintsToText(field)]),
  );
}

/** Parses the answer of a raw request, with the schema of the caller if there is one. */
export async function parseRaw<T>(
  { schema, method }: RawRequest<T>,
  int64: Int64Mode,
  answer: RawResponse,
): Promise<T> {
  const empty = answer.text === '' && answer.problem === undefined;
  const value =
    empty && (schema === undefined || /^head$/i.test(method))
      ? undefined
      : readWith((text) => parseJson(text, int64 === 'bigint' ? BigInt : String), answer);
  if (schema === undefined) return value as T;
  const verdict = await validate(schema, value, answer);
  if ('value' in verdict) return verdict.value;
  throw invalid(answer, verdict.issues);
}

/** Whatever a schema does or gives, the answer is a success of the service, and its error must say so. */
async function validate<T>(
  schema: StandardSchema<T>,
  input: unknown,
  answer: RawResponse,
): Promise<{ readonly value: T } | { readonly issues: readonly Issue[] }> {
  try {
    const result: StandardResult<T> = await schema['~standard'].validate(input);
    return result.issues === undefined
      ? { value: result.value }
      : { issues: result.issues.map(toIssue) };
  } catch {
    throw new InvalidBodyFailure(
      'the schema did not come to a verdict: it threw, or gave neither a value nor issues',
      answer,
    );
  }
}

function readWith(parse: (text: string) => unknown, answer: RawResponse): unknown {
  if (answer.problem !== undefined)
    throw new InvalidBodyFailure(`the body is ${answer.problem}`, answer);
  try {
    return parse(answer.text);
  } catch {
    throw new InvalidBodyFailure(`the body ${notJson(answer.text)}`, answer);
  }
}

function notJson(text: string): string {
  if (text.trim() === '') return 'is empty';
  if (/^\s*</.test(text)) return 'is an HTML page, from a proxy or a captive portal perhaps';
  return /^\s*[[{]/.test(text) ? 'is JSON that breaks off or is malformed' : 'is not JSON';
}

function isJson({ response }: RawResponse): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '');
}

function invalid(answer: RawResponse, issues: readonly Issue[]): InvalidBodyFailure {
  return new InvalidBodyFailure('the body is not what the contract says', answer, issues);
}

type StandardIssue = NonNullable<StandardResult<unknown>['issues']>[number];

function toIssue({ message, path = [] }: StandardIssue): Issue {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  return { message, path: keys.map((key) => (typeof key === 'symbol' ? String(key) : key)) };
}
