import type * as core from 'zod/v4/core';
import { safeParse } from 'zod/v4/core';
import { describe, stringifyJson } from '../contract/json.js';
import type { Operation } from '../contract/operations.js';
import type { ResponseContext } from '../contract/schema-builders.js';
import { RequestValidationError } from '../errors/errors.js';
import { toIssues, type Issue } from '../errors/issues.js';
import { opaqueKind } from '../options/check.js';
import type { Config } from '../options/config.js';
import type { HeaderRecord } from '../options/headers.js';
import type { RawRequest } from '../options/options.js';
import type { StandardSchema } from '../utils/standard-schema.js';

/** A request that is ready to be sent, except for the API key. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | ArrayBuffer | ArrayBufferView<ArrayBuffer> | undefined;
  /** Of the body. */
  readonly contentType: string;
  /** The schema that parses the response of a raw request. */
  readonly schema?: StandardSchema | undefined;
}

/** What a call sends: an operation of the contract with its input, or a raw request of the caller. */
export type Target<T> =
  | { readonly row: Operation; readonly input: Input }
  | { readonly row?: undefined; readonly input: RawRequest<T> };

/** The arguments of an operation, by the part of the request that each goes to. */
export interface Input {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** `true` if the request can be sent twice without harm, whatever the result of the first was. */
export function isSafeMethod(request: HttpRequest | undefined): boolean {
  return safeMethods.includes(request?.method);
}

const safeMethods: readonly unknown[] = ['GET', 'HEAD', 'OPTIONS'];

/** The name of a call in errors and events; for a raw request its method and path, without the query. */
export function nameOf({ row, input }: Target<unknown>): string {
  if (row !== undefined) return row.name;
  const { method, path } = ((input as unknown) ?? {}) as { method?: unknown; path?: unknown };
  if (typeof method !== 'string' || typeof path !== 'string') return 'request';
  return `${method.toUpperCase()} ${path.replace(/\?.*/s, '')}`;
}

/** Checks the input of a call, and builds its request. Throws a RequestValidationError, for which `to-error.ts` has the message. */
export function buildRequest({ row, input }: Target<unknown>, config: Config): HttpRequest {
  if (row === undefined) return buildRawRequest(input, config);
  const { params, query, body } = input;
  const kind = query === undefined ? undefined : opaqueKind(query);
  if (kind !== undefined)
    refuse(
      [],
      `must be an object of query parameters, got ${kind}: options are the second argument`,
    );
  // The response repeats the body. An id that a number cannot represent would be created, but could not be read.
  const isChecked = row.body !== undefined && config.int64 === 'number';
  const context: ResponseContext = isChecked ? { int64: 'number' } : {};
  const parse = (schema: core.$ZodType, value: unknown, path: readonly string[] = []) => {
    const result = safeParse(schema, value, context);
    if (result.success) return result.data;
    throw invalid(toIssues(result.error.issues, path));
  };
  let path: string = row.path;
  for (const [name, schema] of Object.entries(row.params ?? {})) {
    const value = parse(schema, params?.[name], [name]);
    path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
  }
  const search = row.query === undefined ? '' : queryString(parse(row.query, query));
  return {
    method: row.method,
    url: config.baseUrl + path + search,
    body: row.body === undefined ? undefined : jsonOf(parse(row.body, body), []),
    contentType: 'application/json',
  };
}

/**
 * Builds the request of `client.request()`: a path of the service, and never another host. The fields are copied first, so later
 * changes by the caller have no effect.
 */
function buildRawRequest(request: RawRequest, { baseUrl, headers }: Config): HttpRequest {
  if (typeof request !== 'object' || (request as unknown) === null)
    refuse(
      [],
      `must be an object, as { method: 'GET', path: '/store/orders' }, got ${describe(request)}`,
    );
  const { method, path, query, body, schema, ...others } = { ...request } as {
    readonly [Field in keyof RawRequest]: unknown;
  };
  const verb = typeof method === 'string' ? method.toUpperCase() : '';
  if (!/^[A-Z]+$/.test(verb) || /^(?:CONNECT|TRACE|TRACK)$/.test(verb))
    refuse(['method'], 'must be an HTTP method that can be sent, as GET');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    refuse(
      [unknown],
      'is unknown (known: method, path, query, body, schema): options are the second argument',
    );
  const plain = typeof path === 'string' ? path : '';
  const url = baseUrl + plain;
  // Only paths that the URL parser leaves unchanged: no other host, and no path outside the version prefix.
  if (!/^\/(?!\/)[^\\#\s]*$/.test(plain) || new URL(url).href !== url)
    refuse(
      ['path'],
      'must be an encoded path of the service that begins with one slash, as /store/orders: no address, no ".." segments',
    );
  if (
    schema !== undefined &&
    typeof (schema as RawRequest['schema'])?.['~standard']?.validate !== 'function'
  )
    refuse(['schema'], 'must be a Standard Schema, as those of Zod, Valibot and ArkType are');
  // Only the options of the call, whose headers are the last, may hold it.
  const contentType = (headers.at(-1) as HeaderRecord | undefined)?.['content-type'];
  const isSent = body !== undefined;
  if (isSent && (verb === 'GET' || verb === 'HEAD'))
    refuse(['body'], `cannot be sent with ${verb}`);
  return {
    method: verb,
    url: url + queryString(query, plain.includes('?') ? '&' : '?'),
    body: isSent ? rawBody(body, contentType) : undefined,
    contentType: contentType ?? 'application/json',
    schema: schema as StandardSchema | undefined,
  };
}

/** JSON, or, with a content type of the caller, a string or bytes as they are. */
function rawBody(body: unknown, contentType: string | undefined): HttpRequest['body'] {
  if (contentType === undefined) return jsonOf(body, ['body']);
  if (typeof body === 'string' || isBytes(body))
    return structuredClone(body as HttpRequest['body']);
  refuse(
    ['body'],
    `must be a string or bytes, since the headers of the call hold a Content-Type, got ${describe(body)}`,
  );
}

/** The text of a body, whose place in the argument is `path`. */
function jsonOf(body: unknown, path: Issue['path']): string {
  const text = stringifyJson(body);
  const opaque = opaquePart(body);
  if (opaque === undefined) return text;
  // What could be sent as it is, by `request()` alone.
  const hint =
    path.length > opaque.path.length
      ? ': for a string or bytes, set Content-Type in the headers of the call'
      : '';
  refuse([...path, ...opaque.path], `is sent as JSON, and cannot be of type ${opaque.kind}${hint}`);
}

/** By its kind: `instanceof` would miss one of another realm. */
function isBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) || opaqueKind(value) === 'ArrayBuffer';
}

/** The kind of an object whose content is not in its fields, such as a Map, a FormData or a promise. Bytes are one, also in a Buffer. */
function kindWithoutFields(value: object): string | undefined {
  const kind = opaqueKind(value);
  if (isBytes(value)) return kind;
  if (kind === undefined || kind === 'Array') return undefined;
  // A Date has a form of its own, and an object around a number that of the number.
  const hasForm = 'toJSON' in value || typeof value.valueOf() !== 'object';
  return hasForm || Object.keys(value).length > 0 ? undefined : kind;
}

/** The first part of a value that `JSON.stringify` would write as `{}` without a word, at any depth. */
function opaquePart(
  value: unknown,
): { readonly kind: string; readonly path: Issue['path'] } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const kind = kindWithoutFields(value);
  if (kind !== undefined) return { kind, path: [] };
  if ('toJSON' in value) return undefined;
  for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const found = opaquePart((value as Record<string | number, unknown>)[name]);
    if (found !== undefined) return { kind: found.kind, path: [name, ...found.path] };
  }
  return undefined;
}

function queryString(query: unknown = {}, joint = '?'): string {
  const isSearch = query instanceof URLSearchParams;
  if (typeof query !== 'object' || query === null || (opaqueKind(query) && !isSearch))
    refuse(['query'], 'must be an object, or URLSearchParams');
  const pairs: string[] = [];
  for (const [name, value] of isSearch ? query : Object.entries(query))
    for (const one of value === undefined ? [] : ([value].flat() as unknown[])) {
      if (!['string', 'number', 'bigint', 'boolean'].includes(typeof one))
        refuse(
          ['query', name],
          `must be a string, number, bigint or boolean, got ${describe(one)}`,
        );
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`);
    }
  return pairs.length === 0 ? '' : joint + pairs.join('&');
}

function refuse(path: Issue['path'], message: string): never {
  throw invalid([{ path, message }]);
}

function invalid(issues: readonly Issue[]): RequestValidationError {
  return new RequestValidationError('', { issues });
}
