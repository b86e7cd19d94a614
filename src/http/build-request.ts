import type * as core from 'zod/v4/core';
import { safeParse } from 'zod/v4/core';
import { describe, stringifyJson } from '../contract/json.js';
import type { Operation } from '../contract/operations.js';
import type { ResponseContext } from '../contract/schema-builders.js';
import { RequestValidationError } from '../errors/errors.js';
import { describeIssues, toIssues, type Issue } from '../errors/issues.js';
import { opaqueKind } from '../options/check.js';
import { isRequestOption, type Config } from '../options/config.js';
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

const json = 'application/json';
const safeMethods: readonly unknown[] = ['GET', 'HEAD', 'OPTIONS'];

/** The name of a call in errors and events; for a raw request its method and path, without the query. */
export function nameOf(target: Target<unknown>): string {
  if (target.row !== undefined) return target.row.name;
  try {
    const { method, path }: { method: unknown; path: unknown } = target.input;
    if (typeof method === 'string' && typeof path === 'string')
      return `${method.toUpperCase()} ${path.replace(/\?.*/s, '')}`;
  } catch {
    // A getter throws. Building the request fails too, and that error says more.
  }
  return 'request';
}

/** Checks the input of a call, and builds its request. Throws a RequestValidationError. */
export function buildRequest(target: Target<unknown>, config: Config): HttpRequest {
  const { row, input } = target;
  if (row === undefined) return buildRawRequest(input, config);
  let path: string = row.path;
  for (const [name, schema] of Object.entries(row.params ?? {})) {
    const value = parse(row, schema, input.params?.[name], [name]);
    path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
  }
  const query = row.query === undefined ? {} : parseQuery(row, row.query, input.query);
  // The response repeats the body. An id that a number cannot represent would be created, but could not be read.
  const context: ResponseContext = config.int64 === 'number' ? { int64: 'number' } : {};
  const body =
    row.body === undefined
      ? undefined
      : jsonText(row.name, parse(row, row.body, input.body, [], context));
  const url = config.baseUrl + path + queryString(row.name, query);
  return { method: row.method, url, body, contentType: json };
}

function parseQuery(row: Operation, schema: core.$ZodType, query: unknown): unknown {
  const names = Object.keys(query ?? {});
  const kind = names.every(isRequestOption) ? (opaqueKind(query) ?? names[0]) : undefined;
  if (kind === undefined) return parse(row, schema, query);
  const mustBe = `must be an object of query parameters, got ${kind}: options are the second argument`;
  throw argumentError(row.name, [], mustBe);
}

function parse(
  row: Operation,
  schema: core.$ZodType,
  value: unknown,
  path: readonly string[] = [],
  context: ResponseContext = {},
): unknown {
  const result = safeParse(schema, value, context);
  if (result.success) return result.data;
  throw withIssues(row.name, toIssues(result.error.issues, path));
}

/**
 * Builds the request of `client.request()`: a path of the service, and never another host. The fields are copied first, so later
 * changes by the caller have no effect.
 */
function buildRawRequest(request: RawRequest, { baseUrl, headers }: Config): HttpRequest {
  if (typeof request !== 'object' || (request as unknown) === null) {
    const mustBe = `must be an object, as { method: 'GET', path: '/store/orders' }, got ${describe(request)}`;
    throw argumentError('request', [], mustBe);
  }
  const { method, path, query, body, schema, ...others } = { ...request } as {
    readonly [Field in keyof RawRequest]: unknown;
  };
  const name = nameOf({ input: request });
  const refuse = (field: string, message: string) => argumentError(name, [field], message);
  const verb = String(method).toUpperCase();
  if (
    typeof method !== 'string' ||
    !/^[A-Z]+$/.test(verb) ||
    /^(?:CONNECT|TRACE|TRACK)$/.test(verb)
  )
    throw refuse('method', 'must be an HTTP method that can be sent, as GET');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw refuse(
      unknown,
      'is unknown (known: method, path, query, body, schema): options are the second argument',
    );
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD'))
    throw refuse('body', `cannot be sent with ${verb}`);
  const plain = typeof path === 'string' ? path : '';
  const url = baseUrl + plain;
  // Only paths that the URL parser leaves unchanged: no other host, and no path outside the version prefix.
  if (!/^\/(?!\/)[^\\#\s]*$/.test(plain) || new URL(url).href !== url)
    throw refuse(
      'path',
      'must be an encoded path of the service that begins with one slash, as /store/orders: no address, no ".." segments',
    );
  if (
    schema !== undefined &&
    typeof (schema as RawRequest['schema'])?.['~standard']?.validate !== 'function'
  )
    throw refuse('schema', 'must be a Standard Schema, as those of Zod, Valibot and ArkType are');
  const given = headers.map((one) => (typeof one === 'function' ? undefined : one['content-type']));
  const contentType = given.findLast((one) => one !== undefined);
  const write = contentType === undefined ? jsonText : rawBody;
  return {
    method: verb,
    url: url + queryString(name, query, plain.includes('?') ? '&' : '?'),
    body: body === undefined ? undefined : write(name, body),
    contentType: contentType ?? json,
    schema: schema as StandardSchema | undefined,
  };
}

/** The body of a request with a content type of the caller. */
function rawBody(name: string, body: unknown): HttpRequest['body'] {
  // By its kind: `instanceof` would miss one of another realm.
  if (typeof body === 'string' || ArrayBuffer.isView(body) || opaqueKind(body) === 'ArrayBuffer')
    return structuredClone(body as HttpRequest['body']);
  const message = `must be a string or bytes, since the headers of the call hold a Content-Type, got ${describe(body)}`;
  throw argumentError(name, ['body'], message);
}

/** `JSON.stringify` would make `{}` of a Map, a FormData or a promise. Arrays and Dates have a form of their own. */
function jsonText(name: string, body: unknown): string {
  const kind = opaqueKind(body) ?? 'Array';
  try {
    const hasForm = typeof (body as { toJSON?: unknown } | null)?.toJSON === 'function';
    if (kind === 'Array' || hasForm) return stringifyJson(body);
  } catch {
    // A circular value, a toJSON that throws, or a value without a JSON form, such as a function.
    throw argumentError(name, ['body'], 'cannot be written as JSON');
  }
  const hint = 'for a string or bytes, set Content-Type in the headers of the call';
  throw argumentError(name, ['body'], `is sent as JSON, and cannot be of type ${kind}: ${hint}`);
}

function queryString(operation: string, query: unknown, joint = '?'): string {
  if (query === undefined) return '';
  const pairs: string[] = [];
  for (const [name, value] of queryEntries(operation, query))
    for (const one of value === undefined ? [] : ([value].flat() as unknown[])) {
      if (!['string', 'number', 'bigint', 'boolean'].includes(typeof one))
        throw argumentError(
          operation,
          ['query', name],
          `must be a string, number, bigint or boolean, got ${describe(one)}`,
        );
      pairs.push(`${encode(name)}=${encode(String(one))}`);
    }
  return pairs.length === 0 ? '' : joint + pairs.join('&');
}

function queryEntries(operation: string, query: unknown): [string, unknown][] {
  if (query instanceof URLSearchParams) return [...query];
  if (typeof query === 'object' && query !== null && !(Symbol.iterator in query))
    return Object.entries(query);
  throw argumentError(operation, ['query'], 'must be an object, or URLSearchParams');
}

/** Half of a surrogate pair cannot be encoded: it becomes the replacement character, as in URLSearchParams. */
function encode(text: string): string {
  return /^\w*$/.test(text)
    ? text
    : encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));
}

function argumentError(
  operation: string,
  path: readonly string[],
  message: string,
): RequestValidationError {
  return withIssues(operation, [{ path, message }]);
}

function withIssues(operation: string, issues: readonly Issue[]): RequestValidationError {
  const message = `${operation}: ${describeIssues(issues, 'the argument')}. Nothing was sent.`;
  return new RequestValidationError(message, { operation, issues });
}
