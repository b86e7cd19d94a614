import { describe } from '../contract/json.js';
import { ConfigurationError } from '../errors/errors.js';
import { describeName, opaqueKind } from './check.js';

/** Headers by their names in lower case. `undefined` takes a header of the client away. */
export type HeaderRecord = Readonly<Record<string, string | undefined>>;

/** Headers that a caller cannot set, with the reason. */
const refused = /* @__PURE__ */ new Map([
  ['authorization', 'use the option apiKey'],
  ['cookie', 'the service takes the API key alone'],
]);
const ofTheConnection =
  /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;
/** Headers that only a call of `request()` may set, since the body of an operation is JSON. */
const ofRawRequests = /^(?:accept|content-type)$/;

function whyRefused(name: string, isRawRequest: boolean): string | undefined {
  if (ofTheConnection.test(name)) return 'the connection sets it';
  return !isRawRequest && ofRawRequests.test(name)
    ? 'only the options of a call of request() may hold it'
    : refused.get(name);
}

/** Checks headers of the caller. Messages do not contain their values. */
export function checkHeaders(given: unknown, isRawRequest = false): HeaderRecord {
  const isIterable = typeof given === 'object' && given !== null && Symbol.iterator in given;
  if (!isIterable && (typeof given !== 'object' || given === null || opaqueKind(given)))
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
    if (value === undefined) removed.push([name.toLowerCase(), undefined]);
    else append(headers, name, value);
  }
  const checked = Object.fromEntries([...removed, ...headers]);
  for (const name of Object.keys(checked)) {
    const reason = whyRefused(name, isRawRequest);
    if (reason !== undefined)
      throw new ConfigurationError(`headers: ${name} cannot be set here: ${reason}`);
  }
  return checked;
}

function append(headers: Headers, name: string, value: unknown): void {
  try {
    headers.has(name);
  } catch {
    throw new ConfigurationError(
      `headers: ${JSON.stringify(describeName(name))} is not a valid header name`,
    );
  }
  if (typeof value !== 'string')
    throw new ConfigurationError(
      `headers: the value of ${describeName(name)} must be a string, got ${describe(value)}` +
        (typeof value === 'function' ? ': pass one function as headers, which returns all' : ''),
    );
  if (/[^\t\x20-\xff]/.test(value))
    throw new ConfigurationError(`headers: the value of ${describeName(name)} cannot be sent`);
  headers.append(name, value);
}
