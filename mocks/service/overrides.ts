import { pathPrefix, type Environment, type OperationName } from '../../src/contract/index.js';
import { Problem } from '../http/problem.js';
import { pathRow, rows, type Row } from '../http/route.js';
import type { Inputs, Results } from '../pets/handlers.js';
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

/** What a row does for one request. */
export interface Run {
  /** What an override is called with; `names`: of its path parameters. */
  readonly inputFor: (names: readonly string[]) => object;
  /** What the service does without overrides. */
  readonly live: () => unknown;
}

interface Override {
  readonly row: Row;
  readonly handler: Handler;
  /** The number of requests that it still handles. */
  left: number;
}

/** The overrides of a service, the newest first. */
export class Overrides {
  #all: readonly Override[] = [];

  /** @throws TypeError for an unknown operation, or an invalid route or handler. */
  add(name: string, handler: Handler, times: number): void {
    const row = rows.find(({ id }) => id === name) ?? readRoute(name);
    if (typeof handler !== 'function')
      throw new TypeError('override(operation, handler): the handler must be a function');
    this.#all = [{ row, handler, left: times }, ...this.#all];
  }

  /** The methods and paths of overrides that are in force, the newest first. */
  rows(): Row[] {
    const inForce = this.#all.filter(({ row, left }) => row.operation === undefined && left > 0);
    return inForce.map(({ row }) => row);
  }

  /** Runs the overrides of a row around what it does without them; undefined where it has none. */
  run({ id }: Row, run: Run): Promise<unknown> | undefined {
    const own = this.#all.filter(({ row, left }) => row.id === id && left > 0);
    return own.length === 0 ? undefined : runInOrder(own, run);
  }

  clear(): void {
    this.#all = [];
  }
}

/** Calls the first override, whose `next` calls the second one, and so on to `live`. */
async function runInOrder(overrides: readonly Override[], run: Run): Promise<unknown> {
  // Again: while the newer one waited, other requests may have used up the next.
  const [override, ...others] = overrides.filter(({ left }) => left > 0);
  if (!override) {
    const result = await run.live();
    // A problem is a value elsewhere; through `next()` it can only be thrown.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (result instanceof Problem) throw result;
    return result;
  }
  override.left--;
  const next = () => runInOrder(others, run) as Promise<never>;
  return override.handler(run.inputFor(override.row.params) as never, next);
}

const routeForm = /^([A-Z]+) (\/[^?#\s]*)$/;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Parses a method and a path, such as `GET /store/orders/{orderId}`. @throws TypeError for any other text, for an operation, and for a path with the prefix. */
function readRoute(name: string): Row {
  const known = rows.map(({ id }) => id);
  const [, method, path] = (typeof name === 'string' && routeForm.exec(name)) || [];
  if (method === undefined || path === undefined) {
    const near = typeof name === 'string' ? meant(name, known) : '';
    throw new TypeError(
      `There is no operation ${describeValue(name)}; there are: ${known.join(', ')}${near || '.'} For a path without an operation, give the method in capitals and a path with its slash: 'GET /store/orders'`,
    );
  }
  if (!methods.includes(method))
    throw new TypeError(`${name} would never match: the method is one of ${methods.join(', ')}`);
  const hasPrefix = path.startsWith(`${pathPrefix}/`);
  const inner = path.slice(hasPrefix ? pathPrefix.length : 0).replaceAll(/\/:(\w+)/g, '/{$1}');
  const row = pathRow(method, inner);
  const right =
    rows.find(
      ({ pattern, ...one }) => one.method === method && pattern.source === row.pattern.source,
    )?.id ?? `${method} ${inner}`;
  if (right !== name)
    throw new TypeError(
      `Instead of '${name}', give '${right}': a path has no ${pathPrefix}, its parameters are written as in {id}, and an operation is given by its name`,
    );
  return row;
}
