import { describe } from '../contract/json.js';
import { ConfigurationError } from '../errors/errors.js';
import { opaqueKind } from './check.js';

/** Headers by their names in lower case. `undefined` takes a header of the client away. */
export type HeaderRecord = Readonly<Record<string, string | undefined>>;

/** Headers that a caller cannot set. */
const refused =
  /^(?:authorization|connection|content-length|cookie|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
/** Headers that only a call of `request()` may set, since the body of an operation is JSON. */
const ofRawRequests = /^(?:accept|content-type)$/i;

/** Checks headers of the caller. Messages do not contain their values. */
export function checkHeaders(given: unknown, isRawRequest = false): HeaderRecord {
  const isObject = typeof given === 'object' && given !== null;
  const isIterable = isObject && Symbol.iterator in given;
  if (!isObject || (!isIterable && opaqueKind(given)))
    throw new ConfigurationError(
      `headers must be an object of names and values, or Headers, got ${opaqueKind(given) ?? describe(given)}`,
    );
  const pairs = isIterable ? [...(given as Iterable<unknown>)] : Object.entries(given);
  const headers = new Headers();
  const removed: [string, undefined][] = [];
  for (const pair of pairs) {
    const [name, value] = Array.isArray(pair) ? (pair as unknown[]) : [];
    if (typeof name !== 'string')
      throw new ConfigurationError('headers: an iterable must yield [name, value] pairs');
    const problem = problemOf(name, value, isRawRequest);
    if (problem !== undefined) throw new ConfigurationError(`headers: ${name} ${problem}`);
    if (value === undefined) removed.push([name.toLowerCase(), undefined]);
    else headers.append(name, value as string);
  }
  return Object.fromEntries([...removed, ...headers]);
}

function problemOf(name: string, value: unknown, isRawRequest: boolean): string | undefined {
  if (refused.test(name))
    return 'cannot be set here: the client and the connection set it (the API key by the option apiKey)';
  if (!isRawRequest && ofRawRequests.test(name))
    return 'cannot be set here: only the options of a call of request() may hold it, as a value, not from a function';
  if (value !== undefined && typeof value !== 'string')
    return `must be a string, got ${describe(value)}`;
  try {
    new Headers().has(name);
    if (!/[^\t\x20-\xff]/.test(value ?? '')) return undefined;
  } catch {
    // The name is not valid.
  }
  return 'cannot be sent: its name or its value has characters that no header may have';
}
