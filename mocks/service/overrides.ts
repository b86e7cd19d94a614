import { operations, type Environment, type OperationName } from '../../src/contract/index.js';
import { Problem } from '../http/problem.js';
import { pathPattern, type RouteRow } from '../http/route.js';
import type { Inputs } from '../pets/inputs.js';
import type { Results } from '../pets/resolvers.js';
import { describeValue, meant } from '../utils/options.js';

/**
 * Handles an operation instead of the service: returns the result of the operation, or any `Response` (sent as it is,
 * with the rate-limit headers; `Response.error()` breaks the connection). `next()` calls the next override, and finally
 * the mock service itself; if that rejects the request, `next()` throws, and the error is the response. `input.key` is
 * the key of the request; it is not enumerable, so that `{ ...input, id: 7 }` is a pet and no more.
 */
export type OverrideHandler<Name extends OperationName> = (
  input: Inputs[Name] & { readonly key: string },
  next: () => Promise<Results[Name]>,
) => Results[Name] | Response | Promise<Results[Name] | Response>;

/** A request for the route of an override. */
export interface RouteRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The path, with the `/v1` prefix, without the query. */
  readonly path: string;
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The query; the last value of a repeated parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** The body: JSON as its value, anything else as text; undefined for GET and HEAD, and where there was none. */
  readonly body: unknown;
  /** The key of the request. */
  readonly key: string;
  /** The environment whose address was called. */
  readonly environment: Environment;
}

/**
 * Handles a method and path for which the interface has no operation: returns a `Response`, a value that is sent as JSON
 * with status 200, or undefined (204, no body). `next()` calls the next override of the route, and finally returns the
 * `Response` that the service has without overrides: a 404, a 405, or the 501 of `GET /store/orders`.
 */
export type RouteHandler = (request: RouteRequest, next: () => Promise<unknown>) => unknown;

type Handler = (input: never, next: () => Promise<never>) => unknown;

interface Override {
  /** The operation, or the method and path as they were given. */
  readonly name: string;
  /** Set when the override has a route of its own. */
  readonly row: RouteRow | undefined;
  /** The names of the path parameters of that route. */
  readonly params: readonly string[];
  readonly handler: Handler;
  /** The number of requests that it still handles. */
  left: number;
}

/** The overrides of a service, the newest first. */
export class Overrides {
  all: readonly Override[] = [];

  /** @throws TypeError for an unknown operation, or an invalid route or handler. */
  add(name: string, handler: Handler, times: number, basePath: string): void {
    const { row, params } = Object.hasOwn(operations, name)
      ? { row: undefined, params: [] }
      : readRoute(name, basePath);
    if (typeof handler !== 'function')
      throw new TypeError('override(operation, handler): the handler must be a function');
    this.all = [{ name, row, params, handler, left: times }, ...this.all];
  }

  /** The routes of overrides that are in force, the newest first. */
  rows(): RouteRow[] {
    return this.all.flatMap(({ row, left }) => (row && left > 0 ? [row] : []));
  }

  /** Runs the overrides of an operation around `live`; undefined when there are none. */
  runOperation(
    operation: OperationName,
    input: object,
    key: string,
    live: () => unknown,
  ): Promise<unknown> | undefined {
    const own = this.all.filter(({ name, left }) => name === operation && left > 0);
    if (own.length === 0) return undefined;
    return runInOrder(
      own,
      () => withKey(input, key),
      () => {
        const result = live();
        // A problem is a value elsewhere; through `next()` it can only be thrown.
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        if (result instanceof Problem) throw result;
        return result;
      },
    );
  }

  /** Runs the overrides of a route around `live`. */
  runRoute(
    row: RouteRow,
    values: readonly string[],
    request: Omit<RouteRequest, 'params'>,
    live: () => unknown,
  ): Promise<unknown> {
    const own = this.all.filter((override) => isSameRoute(override.row, row) && override.left > 0);
    return runInOrder(
      own,
      ({ params }) => ({
        ...request,
        params: Object.fromEntries(params.map((name, index) => [name, values[index]!])),
      }),
      live,
    );
  }

  clear(): void {
    this.all = [];
  }
}

/** Calls the first override, whose `next` calls the second one, and so on to `live`. */
async function runInOrder(
  overrides: readonly Override[],
  inputOf: (override: Override) => object,
  live: () => unknown,
): Promise<unknown> {
  const [override, ...others] = overrides;
  if (!override) return await live();
  override.left--;
  const next = () => runInOrder(others, inputOf, live) as Promise<never>;
  return override.handler(inputOf(override) as never, next);
}

/** A copy of the input, with the key where no copy and no text of the input contains it. */
function withKey(input: object, key: string): object {
  return Object.defineProperty({ ...input }, 'key', { value: key });
}

const routeForm = /^([A-Z]+) (\/[^?#\s]*)$/;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Parses a method and a path, such as `GET /store/orders/{orderId}`. @throws TypeError for any other text, for an operation, and for a path with the prefix. */
function readRoute(name: string, basePath: string): { row: RouteRow; params: string[] } {
  const known = Object.keys(operations);
  const [, method, path] = (typeof name === 'string' && routeForm.exec(name)) || [];
  if (method === undefined || path === undefined) {
    const near = typeof name === 'string' ? meant(name, known) : '';
    throw new TypeError(
      `There is no operation ${describeValue(name)}; there are: ${known.join(', ')}${near || '.'} For a path without an operation, give the method in capitals and a path with its slash: 'GET /store/orders'`,
    );
  }
  if (!methods.includes(method))
    throw new TypeError(`${name} would never match: the method is one of ${methods.join(', ')}`);
  const express = path.replaceAll(/\/:(\w+)/g, '/{$1}');
  if (express !== path)
    throw new TypeError(`${name} would never match: write '${method} ${express}'`);
  if (basePath !== '' && path.startsWith(`${basePath}/`)) {
    const inner = path.slice(basePath.length);
    const right = operationAt(method, inner) ?? `${method} ${inner}`;
    throw new TypeError(
      `${name} would never match: the path is given without ${basePath}, so give '${right}'`,
    );
  }
  const row = { method, pattern: pathPattern(path), operation: undefined };
  const operation = operationAt(method, path);
  if (operation !== undefined)
    throw new TypeError(
      `${name} is the operation ${operation}: use override('${operation}', handler)`,
    );
  return { row, params: [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!) };
}

/** The operation at a method and path; undefined when there is none. */
function operationAt(method: string, path: string): OperationName | undefined {
  const { source } = pathPattern(path);
  return Object.values(operations).find(
    (one) => one.method === method && pathPattern(one.path).source === source,
  )?.name;
}

function isSameRoute(one: RouteRow | undefined, other: RouteRow): boolean {
  return one?.method === other.method && one.pattern.source === other.pattern.source;
}
