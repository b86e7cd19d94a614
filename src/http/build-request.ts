import type * as core from 'zod/v4/core';
import { safeParse } from 'zod/v4/core';
import { describe } from '../contract/int64.js';
import { stringifyJson } from '../contract/json.js';
import type { Operation } from '../contract/operations.js';
import type { ResponseContext } from '../contract/schema-builders.js';
import { RequestValidationError } from '../errors/errors.js';
import { describeIssues, toIssues, type Issue } from '../errors/issues.js';
import type { Config } from '../options/config.js';
import type { RawRequest } from '../options/options.js';
import { requestChecks } from '../options/request-options.js';
import { opaqueKind } from '../options/validate.js';
import type { Int64Mode } from '../types.js';
import type { StandardSchema } from '../utils/standard-schema.js';

/** A request that is ready to be sent, except for the API key. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
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

const safeMethods: readonly unknown[] = ['GET', 'HEAD', 'OPTIONS'];

/** `true` if the request can be sent twice without harm, whatever the result of the first was. */
export function isSafeMethod(request: HttpRequest | undefined): boolean {
  return safeMethods.includes(request?.method);
}

/** The name of a call in errors and events. */
export function nameOf(target: Target<unknown>): string {
  return target.row === undefined ? rawName(target.input) : target.row.name;
}

/** Checks the input of a call, and builds its request. Throws a RequestValidationError. */
export function buildRequest(
  target: Target<unknown>,
  { baseUrl, int64 }: Pick<Config, 'baseUrl' | 'int64'>,
): HttpRequest {
  return target.row === undefined
    ? buildRawRequest(target.input, baseUrl)
    : buildOperationRequest(target.row, target.input, baseUrl, int64);
}

/** Checks the input of an operation against the contract. */
function buildOperationRequest(
  row: Operation,
  input: Input,
  baseUrl: string,
  int64: Int64Mode,
): HttpRequest {
  let path: string = row.path;
  for (const name in row.params) {
    const value = check(row, row.params[name] as core.$ZodType, input.params?.[name], [name]);
    path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
  }
  const query = row.query === undefined ? {} : checkQuery(row, row.query, input.query);
  let body: string | undefined;
  if (row.body !== undefined) {
    // The response repeats the body. An id that a number cannot represent would be created, but could not be read.
    const context: ResponseContext = int64 === 'number' ? { int64 } : {};
    body = bodyText(row.name, check(row, row.body, input.body, [], context));
  }
  return { method: row.method, url: baseUrl + path + queryString(row.name, query), body };
}

function checkQuery(row: Operation, schema: core.$ZodType, query: unknown): unknown {
  const names = Object.keys(query ?? {});
  const isOptions = names.every((name) => Object.hasOwn(requestChecks, name));
  const kind = isOptions ? (opaqueKind(query) ?? names[0]) : undefined;
  if (kind === undefined) return check(row, schema, query, []);
  const mustBe = `must be an object of query parameters, got ${kind}: options are the second argument`;
  throw argumentError(row.name, [], mustBe);
}

function check(
  row: Operation,
  schema: core.$ZodType,
  value: unknown,
  path: readonly string[],
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
function buildRawRequest(request: RawRequest, baseUrl: string): HttpRequest {
  const { method, path, query, body, schema, ...others } = { ...request } as {
    [Key in keyof RawRequest]: unknown;
  };
  const name = rawName({ method, path });
  if (
    typeof method !== 'string' ||
    !/^[a-z]+$/i.test(method) ||
    /^(?:connect|trace|track)$/i.test(method)
  )
    throw argumentError(name, ['method'], 'must be an HTTP method that can be sent, as GET');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw argumentError(
      name,
      [unknown],
      'is unknown (known: method, path, query, body, schema): options are the second argument',
    );
  const verb = method.toUpperCase();
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD'))
    throw argumentError(name, ['body'], `cannot be sent with ${verb}`);
  const plain = typeof path === 'string' ? path : '';
  const url = baseUrl + plain;
  // Only paths that the URL parser leaves unchanged: no other host, and no path outside the version prefix.
  if (!/^\/(?!\/)[^\\#\s]*$/.test(plain) || new URL(url).href !== url)
    throw argumentError(
      name,
      ['path'],
      'must be an encoded path of the service that begins with one slash, as /store/orders: no address, no ".." segments',
    );
  if (
    schema !== undefined &&
    typeof (schema as RawRequest['schema'])?.['~standard']?.validate !== 'function'
  )
    throw argumentError(
      name,
      ['schema'],
      'must be a Standard Schema, as those of Zod, Valibot and ArkType are',
    );
  const search = queryString(name, query, plain.includes('?') ? '&' : '?');
  return {
    method: verb,
    url: url + search,
    body: body === undefined ? undefined : bodyText(name, body),
    schema: schema as StandardSchema | undefined,
  };
}

/** The name of a raw request in errors and events: its method and path, without the query. */
function rawName(request: unknown): string {
  try {
    const { method, path } = { ...(request as RawRequest) } as { method?: unknown; path?: unknown };
    const [verb, way] = [method, path].map((part) =>
      typeof part === 'string' ? part : describe(part),
    );
    return `${verb?.toUpperCase()} ${way?.replace(/\?.*/s, '')}`;
  } catch {
    // A getter throws. Building the request fails too, and that error says more.
    return 'request';
  }
}

function bodyText(operation: string, body: unknown): string {
  try {
    return stringifyJson(body);
  } catch {
    // A circular value, a toJSON that throws, or a value without a JSON form, such as a function.
  }
  throw argumentError(operation, ['body'], 'cannot be written as JSON');
}

function queryString(operation: string, query: unknown, joint = '?'): string {
  if (query === undefined) return '';
  const pairs: string[] = [];
  for (const [name, value] of queryEntries(operation, query)) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    for (const one of value === undefined ? [] : values) {
      if (!['string', 'number', 'bigint', 'boolean'].includes(typeof one))
        throw argumentError(
          operation,
          ['query', name],
          `must be a string, number, bigint or boolean, got ${describe(one)}`,
        );
      pairs.push(`${encode(name)}=${encode(String(one))}`);
    }
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
