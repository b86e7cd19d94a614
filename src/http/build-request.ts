import { safeParse, type $ZodIssue, type $ZodType } from 'zod/v4/core';
import { kindOf, describeValue, stringifyJson } from '../contract/json.js';
import type { Operation } from '../contract/operations.js';
import type { ResponseContext } from '../contract/schema-builders.js';
import { RequestValidationError } from '../errors/errors.js';
import { toIssues, type Issue, type SchemaIssue } from '../errors/issues.js';
import { opaqueKind } from '../options/check.js';
import type { Config } from '../options/config.js';
import type { HeaderRecord, RawRequest } from '../options/options.js';
import type { StandardSchema } from '../utils/standard-schema.js';

/** A request that is ready to be sent, except for the API key. */
export type HttpRequest = Readonly<ReturnType<typeof buildRawRequest>>;

type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** An operation with its path parameters, query and body, or a raw request. */
export type Target =
  | {
      readonly row: Operation;
      readonly params?: Readonly<Record<string, unknown>>;
      readonly query?: unknown;
      readonly body?: unknown;
    }
  | { readonly row?: undefined; readonly request: RawRequest };

/**
 * The methods that change nothing. DELETE is idempotent, but not among them: after a DELETE whose response was lost, the second one
 * would be answered 404 although the first succeeded.
 */
const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Checks the input of a call, and builds its request. Throws a RequestValidationError, for which `to-error.ts` has the message. */
export function buildRequest(target: Target, config: Config): HttpRequest {
  if (target.row === undefined) return buildRawRequest(target.request, config);
  const { row, params, query, body } = target;
  const kind = opaqueKind(query);
  if (kind)
    refuse(`must be an object of query parameters, got ${kind}: options are the second argument`);
  // The response repeats the body. An id that a number cannot represent would be created, but could not be read.
  const isChecked = row.body !== undefined && config.int64 === 'number';
  const context: ResponseContext = isChecked ? { int64: 'number' } : {};
  const parse = (schema: $ZodType, value: unknown, ...path: string[]) => {
    const result = safeParse(schema, value, context);
    if (result.success) return result.data;
    const issues = toIssues(result.error.issues.map(withHint), path);
    throw new RequestValidationError('', { issues });
  };
  let path: string = row.path;
  for (const [name, schema] of Object.entries(row.params ?? {})) {
    const value = parse(schema, params?.[name], name);
    path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
  }
  return {
    name: row.name,
    method: row.method,
    isSafe: safeMethods.includes(row.method),
    url: config.baseUrl + path + (row.query ? queryString(parse(row.query, query)) : ''),
    body: row.body && jsonOf(parse(row.body, body)),
    contentType: 'application/json',
    schema: undefined,
  };
}

/**
 * Builds the request of `client.request()`: a path of the service, and never another host. The fields are copied first, so later
 * changes by the caller have no effect.
 */
function buildRawRequest(request: RawRequest, { baseUrl, headers }: Config) {
  if (typeof request !== 'object' || (request as unknown) === null)
    refuse(
      `must be an object, as { method: 'GET', path: '/store/orders' }, got ${kindOf(request)}`,
    );
  const { method, path, query, body, schema, ...others } = { ...request } as {
    readonly [Field in keyof RawRequest]: unknown;
  };
  const verb = typeof method === 'string' ? method.toUpperCase() : '';
  if (!/^[A-Z]+$/.test(verb) || ['CONNECT', 'TRACE', 'TRACK'].includes(verb))
    refuse('must be an HTTP method that can be sent, as GET', 'method');
  const known = 'known: method, path, query, body, schema';
  for (const name of Object.keys(others))
    refuse(`is unknown (${known}): options are the second argument`, name);
  const plain = typeof path === 'string' ? path : '';
  const url = baseUrl + plain;
  // Only paths that the URL parser leaves unchanged: no other host, and no path outside the version prefix.
  if (!/^\/(?!\/)[^\\#\s]*$/.test(plain) || new URL(url).href !== url)
    refuse(
      'must be an encoded path of the service that begins with one slash, as /store/orders: no address, no ".." segments',
      'path',
    );
  const validate = (schema as RawRequest['schema'])?.['~standard']?.validate;
  if (schema !== undefined && typeof validate !== 'function')
    refuse('must be a Standard Schema, as those of Zod, Valibot and ArkType are', 'schema');
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD'))
    refuse(`cannot be sent with ${verb}`, 'body');
  // Only the options of the call can set it. Their headers come last.
  const contentType = (headers.at(-1) as HeaderRecord)['content-type'];
  return {
    /** For errors and events: its method and path, without the query; of an operation its name. */
    name: `${verb} ${plain.replace(/\?.*/, '')}`,
    method: verb,
    /** The client sends it again after a failure that leaves its effect open. */
    isSafe: safeMethods.includes(verb),
    url: url + queryString(query, plain.includes('?') ? '&' : '?'),
    body: body === undefined ? undefined : rawBody(body, contentType),
    /** Of the body. */
    contentType: contentType ?? 'application/json',
    /** The schema that parses the response. */
    schema: schema as StandardSchema | undefined,
  };
}

/** JSON, or, with a content type of the caller, a string or bytes as they are. */
function rawBody(body: unknown, contentType: string | undefined): string | Bytes {
  if (contentType === undefined) return jsonOf(body, 'body');
  if (typeof body === 'string' || isBytes(body)) return structuredClone(body);
  refuse(
    `must be a string or bytes, because the headers of the call set a Content-Type, got ${kindOf(body)}`,
    'body',
  );
}

/** The text of a body, whose place in the argument is `path`. */
function jsonOf(body: unknown, ...path: Issue['path']): string {
  const text = stringifyJson(body);
  refuseOpaque(body, path);
  return text;
}

/** By its kind: `instanceof` would miss one of another realm. */
function isBytes(value: unknown): value is Bytes {
  return ArrayBuffer.isView(value) || opaqueKind(value) === 'ArrayBuffer';
}

/** Refuses what `JSON.stringify` would silently write as `{}`, such as a Map, a FormData or a promise, or as `null`, as NaN, and bytes, also in a Buffer: at any depth. */
function refuseOpaque(value: unknown, path: Issue['path']): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    refuse(`is sent as JSON, and cannot be ${value}`, ...path);
  if (typeof value !== 'object' || value === null) return;
  // What has a JSON form of its own, such as a Date, is written by it. That of a Buffer is not its bytes.
  const isBinary = isBytes(value);
  if ('toJSON' in value && !isBinary) return;
  const kind = opaqueKind(value);
  const isEmpty = kind !== undefined && kind !== 'Array' && Object.keys(value).length === 0;
  // A wrapped number has a JSON form.
  if (isBinary || (isEmpty && typeof value.valueOf() === 'object')) {
    const hint = ': for a string or bytes, set Content-Type in the headers of the call';
    // Only the whole body of `request()` can be sent as it is.
    const isWhole = path.length === 1 && path[0] === 'body';
    refuse(`is sent as JSON, and cannot be of type ${kind}${isWhole ? hint : ''}`, ...path);
  }
  const fields = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [name, field] of fields) refuseOpaque(field, [...path, name]);
}

function queryString(query: unknown = {}, joint = '?'): string {
  const kind = opaqueKind(query);
  if (typeof query !== 'object' || query === null || (kind && kind !== 'URLSearchParams'))
    refuse('must be an object, or URLSearchParams', 'query');
  const pairs: string[] = [];
  for (const [name, value] of kind ? (query as URLSearchParams) : Object.entries(query))
    for (const one of value === undefined ? [] : ([value].flat() as unknown[])) {
      if (!['string', 'bigint', 'boolean'].includes(typeof one) && !Number.isFinite(one))
        refuse(
          `must be a string, number, bigint or boolean, got ${describeValue(one)}`,
          'query',
          name,
        );
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`);
    }
  return pairs.length === 0 ? '' : joint + pairs.join('&');
}

/** Adds to what a schema refuses what to pass instead. */
function withHint({ code, message, path }: $ZodIssue): SchemaIssue {
  if (code === 'unrecognized_keys') message += ': options are the second argument';
  if (message.endsWith('(int64), got a string')) message += ': pass a number or a bigint';
  return { path, message };
}

function refuse(message: string, ...path: Issue['path']): never {
  throw new RequestValidationError('', { issues: [{ path, message }] });
}
