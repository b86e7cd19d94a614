import { kindOf } from '../contract/json.js';
import { ConfigurationError } from '../errors/errors.js';
import { opaqueKind } from './check.js';
import type { HeaderRecord } from './options.js';

/** Headers that a caller cannot set. */
const refused =
  /^(?:authorization|connection|content-length|cookie|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
/** Headers that only a call of `request()` may set, since the body of an operation is JSON. */
const ofRawRequests = /^(?:accept|content-type)$/i;

/** Checks headers of the caller, and returns them by their names in lower case. Messages do not contain their values. */
export function checkHeaders(given: unknown, isRawRequest = false): HeaderRecord {
  const isIterable = Symbol.iterator in (Object(given) as object);
  if (typeof given !== 'object' || given === null || (opaqueKind(given) && !isIterable))
    throw new ConfigurationError(
      `headers must be an object of names and values, or Headers, got ${opaqueKind(given) ?? kindOf(given)}`,
    );
  const headers = new Headers();
  const removed: Record<string, undefined> = {};
  for (const pair of isIterable ? (given as Iterable<unknown>) : Object.entries(given)) {
    const [name, value] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const problem = headerProblem(name, value, isRawRequest);
    if (problem !== undefined) throw new ConfigurationError(`headers: ${problem}`);
    if (value === undefined) removed[(name as string).toLowerCase()] = undefined;
    else headers.append(name as string, value as string);
  }
  return { ...removed, ...Object.fromEntries(headers) };
}

function headerProblem(name: unknown, value: unknown, isRawRequest: boolean): string | undefined {
  if (typeof name !== 'string') return 'an iterable must yield [name, value] pairs';
  if (refused.test(name))
    return `${name} cannot be set here: the client and the connection set it (the API key by the option apiKey)`;
  if (!isRawRequest && ofRawRequests.test(name))
    return `${name} cannot be set here: only the options of a call of request() may set it, as a value, not from a function`;
  if (value !== undefined && typeof value !== 'string')
    return `${name} must be a string, got ${kindOf(value)}`;
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(value ?? ''))
    return undefined;
  return `${name} cannot be sent: its name or its value has characters that no header may have`;
}
