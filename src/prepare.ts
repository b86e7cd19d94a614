import type * as core from 'zod/v4/core';
import { safeParse } from 'zod/v4/core';
import { stringifyJson } from './contract/json.js';
import type { Operation } from './contract/operations.js';
import { RequestValidationError, type Issue } from './errors.js';
import type { QueryValue, RawRequest } from './options.js';

/** A request that is ready to be sent, but for the key. */
export interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
}

/** The arguments of an operation, by the part of the request that each goes to. */
export interface Input {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** Checks the arguments of an operation against the contract, and builds its request. */
export function prepare(row: Operation, input: Input, baseUrl: string): PreparedRequest {
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = check(row, row.params?.[name], input.params?.[name], [name]) as string | number | bigint;
    return encodeURIComponent(String(value));
  });
  const query = row.query === undefined ? {} : check(row, row.query, input.query ?? {}, []);
  const body = row.body === undefined ? undefined : stringifyJson(check(row, row.body, input.body, []));
  return { method: row.method, url: baseUrl + path + queryString(query as RawRequest['query']), body };
}

function check(row: Operation, schema: core.$ZodType | undefined, value: unknown, path: readonly string[]): unknown {
  if (schema === undefined) return value;
  const result = safeParse(schema, value);
  if (result.success) return result.data;
  throw invalid(row.name, toIssues(result.error.issues, path));
}

/** Builds the request of `client.request()`: a path of the service, and never another host. */
export function prepareRaw(request: RawRequest, baseUrl: string): PreparedRequest {
  const { method, path, query, body } = request as { [Key in keyof RawRequest]: unknown };
  const name = rawName(request);
  if (typeof method !== 'string' || !/^[a-z]+$/i.test(method) || /^(?:connect|trace|track)$/i.test(method)) {
    throw invalid(name, [{ path: ['method'], message: 'must be an HTTP method that can be sent, as GET' }]);
  }
  const verb = method.toUpperCase();
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD'))
    throw invalid(name, [{ path: ['body'], message: `cannot be sent with ${verb}` }]);
  const [plain = '', ownQuery] = typeof path === 'string' ? path.split('?', 2) : [];
  const url = baseUrl + plain;
  // Only what the URL parser leaves as it stands: no other host, no way out of the version's prefix.
  if (!plain.startsWith('/') || plain.startsWith('//') || /[\\#\s]/.test(plain) || new URL(url).href !== url) {
    throw invalid(name, [
      {
        path: ['path'],
        message: 'must be an encoded path of the service that begins with one slash, as /store/orders: no address, no ".." segments',
      },
    ]);
  }
  const search = queryString(query as RawRequest['query'], ownQuery);
  return { method: verb, url: url + search, body: body === undefined ? undefined : stringifyJson(body) };
}

/** What a raw request is called in errors and events. */
export function rawName({ method, path }: { method?: unknown; path?: unknown }): string {
  return `${String(method).slice(0, 10).toUpperCase()} ${String(path).split('?')[0]?.slice(0, 60) ?? ''}`;
}

function queryString(query: RawRequest['query'], own = ''): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly QueryValue[]) : value === undefined ? [] : [value as QueryValue]).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`,
    ),
  );
  const all = [...(own === '' ? [] : [own]), ...pairs].join('&');
  return all === '' ? '' : `?${all}`;
}

function invalid(operation: string, issues: readonly Issue[]): RequestValidationError {
  return new RequestValidationError(`${operation}: ${describeIssues(issues)}. Nothing was sent.`, { operation, issues });
}

/** Issues in the words of a message: `categoryId is required: an integer (int64); status must be one of …`. */
export function describeIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, 3).map(({ path, message }) => `${path.length === 0 ? 'the value' : formatPath(path)} ${message}`);
  return lines.join('; ') + (issues.length > 3 ? `; and ${issues.length - 3} more` : '');
}

function formatPath(path: readonly (string | number)[]): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

export function toIssues(issues: readonly core.$ZodIssue[], prefix: readonly (string | number)[] = []): Issue[] {
  return issues.map((issue) => ({
    path: [...prefix, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
    message: issue.message,
  }));
}
