import { safeParse } from 'zod/v4/core';
import type { Operation } from '../contract/operations.js';
import { parseJson, type ReadLongInteger } from '../contract/json.js';
import type { ResponseContext } from '../contract/schema-builders.js';
import { toIssues } from '../errors/issues.js';
import { bigintsAsText } from '../errors/redact.js';
import type { HttpRequest } from './build-request.js';
import { ResponseFailure } from './failures.js';
import type { RawResponse } from './fetch.js';
import type { Int64Mode } from '../types.js';

const mismatch = 'the body is not what the contract says';

/** Parses the response of an operation of the contract: `undefined` where its success has no body. Throws a ResponseFailure. */
export function parseResponse(row: Operation, raw: RawResponse, context: ResponseContext): unknown {
  const schema = row.responses[row.success];
  if (schema === undefined) return undefined;
  let hasBigint = false as boolean;
  const value = readJson(raw, (digits) => {
    hasBigint = true;
    return BigInt(digits);
  });
  const result = safeParse(schema, value, context);
  if (!result.success) throw new ResponseFailure(raw, mismatch, toIssues(result.error.issues));
  // The schema accepted a bigint in a field that the contract does not know. `JSON.stringify` can write the text of its digits.
  return hasBigint && context.int64 === 'number' ? bigintsAsText(result.data) : result.data;
}

/** Parses the response of a raw request, with the schema of the caller, if there is one. Throws a ResponseFailure. */
export async function parseRawResponse(
  { schema }: HttpRequest,
  raw: RawResponse,
  int64: Int64Mode,
): Promise<unknown> {
  const isEmpty = raw.text === '' && raw.problem === undefined;
  // After a HEAD and with a 204 there is no body at all, so the schema decides.
  const isNothing = isEmpty && (schema === undefined || raw.response.body === null);
  const value = isNothing ? undefined : readJson(raw, int64 === 'bigint' ? BigInt : String);
  if (schema === undefined) return value;
  try {
    const result = await schema['~standard'].validate(value);
    if (result.issues === undefined) return result.value;
    throw new ResponseFailure(raw, mismatch, toIssues(result.issues));
  } catch (failure) {
    if (failure instanceof ResponseFailure) throw failure;
    // The response is a success even if the schema fails, and the error must say so.
    const what = 'the schema threw, or gave no result: fix it';
    throw new ResponseFailure(raw, what, [], failure);
  }
}

function readJson(raw: RawResponse, readLongInteger: ReadLongInteger): unknown {
  let problem: string | undefined = raw.problem;
  try {
    if (problem === undefined) return parseJson(raw.text, readLongInteger);
  } catch (failure) {
    // The JSON is nested too deeply for the call stack.
    const isDeep = failure instanceof RangeError;
    problem = isDeep ? 'nested too deeply' : (kindOfText(raw.text) ?? 'not JSON, or it breaks off');
  }
  throw new ResponseFailure(raw, `the body is ${problem}`);
}

/** Describes a text that is not JSON, for messages; `undefined` if it is neither empty nor HTML. */
export function kindOfText(text: string): string | undefined {
  if (text.trim() === '') return 'empty';
  return /^\s*</.test(text) ? 'an HTML page, from a proxy or a captive portal perhaps' : undefined;
}
