import { pathPrefix, type Environment } from '../../src/contract/environments.js';
import { operations, type OperationName } from '../../src/contract/operations.js';
import { mockDefect, Problem } from '../http/problem.js';
import { mayHaveBody } from '../http/request.js';
import {
  completed,
  contractProblem,
  explained,
  isResponse,
  jsonParts,
  problemParts,
  toResponse,
  type ResponseParts,
} from '../http/response.js';
import { findRoute, pathRow, rows, type Match, type Row } from '../http/route.js';
import { jsonOrText } from '../inspect/journal.js';
import {
  bodyTooLarge,
  handlers,
  unknownQuery,
  type Inputs,
  type Results,
} from '../pets/handlers.js';
import { untilAborted } from '../utils/abort.js';
import { showValue, meant } from '../utils/options.js';
import type { Arrived } from './respond.js';

/** What a step answers: the parts of a response, or the `Response` of an override. */
export type ResponseOrParts = ResponseParts | Response;

/** Reads the input of a row, runs it or its overrides, and makes the response. */
export async function runRow(
  arrived: Arrived,
  match: Match,
  body: string | undefined,
): Promise<ResponseOrParts> {
  const { assumptions, overrides, journal } = arrived.service;
  const { method, path, signal } = arrived.request;
  const { row } = match;
  const ready =
    row.operation === undefined
      ? runOfPath(arrived, match, body)
      : runOfOperation(arrived, row.operation, match.params, body);
  if (ready instanceof Problem) return problemParts(ready, assumptions);
  try {
    // What was sent before a reset takes no override of after it.
    const overridden = journal.isKept(arrived.number) ? overrides.run(row, ready) : undefined;
    const result: unknown = await (overridden ? untilAborted(overridden, signal) : ready.live());
    // A copy: an override may return the same one again. One that was read already throws here.
    if (isResponse(Object(result) as object)) return (result as Response).clone();
    return result instanceof Problem
      ? problemParts(result, assumptions)
      : ready.write(result, overridden !== undefined);
  } catch (error) {
    return problemParts(
      failureOf(error, row.operation ?? `${method} ${path}`, signal),
      assumptions,
    );
  }
}

function runOfOperation(
  { service, request, environment, caller, entry, number, random }: Arrived,
  operation: OperationName,
  params: readonly string[],
  body: string | undefined,
): Run | Problem {
  const { assumptions, journal, stores } = service;
  const { search, headers } = request;
  const query = search.length > 1 ? new URLSearchParams(search) : undefined;
  const ignored = query && unknownQuery(operation, query, assumptions);
  if (ignored instanceof Problem) return ignored;
  const { read, run } = handlers[operation];
  const type = headers.get('content-type');
  const input = read({ params, query, body, type, assumptions });
  if (input instanceof Problem) return input;
  entry.record.input = Object.freeze(input) as unknown as Readonly<Record<string, unknown>>;
  return {
    // A copy, with the key as a property that is not enumerable: copies and JSON texts of the input do not contain it.
    inputFor: () => Object.defineProperty({ ...input }, 'key', { value: caller.account.key }),
    live() {
      const store = stores[environment];
      // What was sent before a reset changes nothing after it.
      const own = journal.isKept(number) ? store : store.copy();
      return run(input as never, own, assumptions, random);
    },
    write(result, isOverridden) {
      const broken = isOverridden && contractProblem(operation, result);
      if (broken) return problemParts(broken, assumptions);
      return explained(jsonParts(operations[operation].success, result), ignored);
    },
  };
}

/** Of the overrides of a method and path that have no operation. */
function runOfPath(arrived: Arrived, match: Match, body: string | undefined): Run | Problem {
  const { service, request, environment, caller, now } = arrived;
  const { method, path, search } = request;
  if (mayHaveBody(method) && body === undefined) return bodyTooLarge(service.assumptions);
  const given = {
    method,
    path,
    query: Object.fromEntries(new URLSearchParams(search)),
    body: body ? jsonOrText(body) : undefined,
    key: caller.account.key,
    environment,
  };
  return {
    inputFor: (names) => ({
      ...given,
      params: Object.fromEntries(names.map((name, index) => [name, match.params[index]!])),
    }),
    async live() {
      const route = findRoute(method, path, service, now, []);
      const answer =
        route instanceof Problem
          ? problemParts(route, service.assumptions)
          : await runRow(arrived, route, body);
      return isResponse(answer) ? answer : toResponse(completed(answer, {}, method));
    },
    write: (result) => jsonParts(result === undefined ? 204 : 200, result),
  };
}

/**
 * The problem to respond with when a function of the test throws: the one that `next()` of an override threw, else a 501.
 *
 * @throws the error itself when it is the reason of the aborted request.
 */
export function failureOf(error: unknown, name: string, signal: AbortSignal | undefined): Problem {
  if (signal?.aborted && Object.is(error, signal.reason)) throw error;
  if (error instanceof Problem) return error;
  // A failure of the mock itself, or of an override: its message, without the stack.
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return mockDefect(`${name} threw ${what}`, error);
}

/**
 * Handles an operation instead of the service: returns the result of the operation, or any `Response` (sent as it is, with
 * the rate-limit headers, and without `Content-Encoding` and `Content-Length`; `Response.error()` breaks the connection).
 * `next()` calls the next override, and finally the mock service itself; if that rejects the request, `next()` throws, and the error is the response. `input.key` is the key of
 * the request; it is not enumerable, so that `{ ...input, id: 7 }` contains only the fields of a pet.
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
  /** Makes the response with a result. */
  readonly write: (result: unknown, isOverridden: boolean) => ResponseParts;
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
  // Checked again: while the newer override waited, other requests may have used up the next one.
  const [override, ...others] = overrides.filter(({ left }) => left > 0);
  if (!override) {
    const result = await run.live();
    // Elsewhere a problem is a value. Only a thrown one passes through `next()`.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (result instanceof Problem) throw result;
    return result;
  }
  override.left--;
  const next = () => runInOrder(others, run) as Promise<never>;
  return override.handler(run.inputFor(override.row.params) as never, next);
}

/** Visible ASCII as in the path of a URL, and parameters. Anything else would never match. */
const routeForm = /^([A-Z]+) (\/(?:(?![?#*{}])[!-~]|\{\w+\})*)$/;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Parses a method and a path, such as `GET /store/orders/{orderId}`. @throws TypeError for any other text, for an operation, and for a path with the prefix. */
function readRoute(name: string): Row {
  const known = rows.map(({ id }) => id);
  const [, method, path] = (typeof name === 'string' && routeForm.exec(name)) || [];
  if (method === undefined || path === undefined)
    throw new TypeError(
      `There is no operation ${showValue(name)}; there are: ${known.join(', ')}${meant(name, known) || '.'} For a path without an operation, give the method in capitals and a path as in a URL, with {name} for a segment: 'GET /store/orders/{id}'`,
    );
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
