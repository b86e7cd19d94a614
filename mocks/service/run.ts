import { operations, type OperationName } from '../../src/contract/index.js';
import { mockDefect, Problem } from '../http/problem.js';
import { mayHaveBody } from '../http/request.js';
import {
  completed,
  contractProblem,
  explained,
  isResponse,
  jsonParts,
  problem,
  toResponse,
  type ResponseParts,
} from '../http/response.js';
import { findRoute, type Match } from '../http/route.js';
import { jsonOrText } from '../inspect/journal.js';
import { bodyTooLarge, handlers, unknownQuery } from '../pets/handlers.js';
import { untilAborted } from '../utils/abort.js';
import type { Run } from './overrides.js';
import type { Arrived } from './respond.js';

/** What a step answers: the parts of a response, or the `Response` of an override. */
export type Answer = ResponseParts | Response;

/** What a row does for one request, and the response with its result. */
interface WrittenRun extends Run {
  readonly write: (result: unknown, isOverridden: boolean) => ResponseParts;
}

/** Reads the input of a row, runs it or its overrides, and makes the response. */
export async function runRow(
  arrived: Arrived,
  match: Match,
  body: string | undefined,
): Promise<Answer> {
  const { assumptions, overrides } = arrived.service;
  const { method, path, signal } = arrived.request;
  const { row } = match;
  const ready =
    row.operation === undefined
      ? runOfPath(arrived, match, body)
      : runOfOperation(arrived, row.operation, match.params, body);
  if (ready instanceof Problem) return problem(ready, assumptions);
  try {
    const overridden = overrides.run(row, ready);
    const result: unknown = await (overridden ? untilAborted(overridden, signal) : ready.live());
    // `instanceof` would make Node load its `fetch`.
    if ((overridden || row.operation === undefined) && result instanceof Response) return result;
    return result instanceof Problem
      ? problem(result, assumptions)
      : ready.write(result, overridden !== undefined);
  } catch (error) {
    return problem(failureOf(error, row.operation ?? `${method} ${path}`, signal), assumptions);
  }
}

function runOfOperation(
  { service, request, environment, caller, entry, random }: Arrived,
  operation: OperationName,
  params: readonly string[],
  body: string | undefined,
): WrittenRun | Problem {
  const { assumptions, stores } = service;
  const { search, headers } = request;
  const query = search.length > 1 ? new URLSearchParams(search) : undefined;
  const ignored = query && unknownQuery(operation, query, assumptions);
  if (ignored instanceof Problem) return ignored;
  const { read, run } = handlers[operation];
  const type = headers.get('content-type');
  const input = read({ params, query, body, type, assumptions });
  if (input instanceof Problem) return input;
  entry.record.input = input as unknown as Readonly<Record<string, unknown>>;
  return {
    // A copy, with the key where no copy and no text of the input contains it.
    inputFor: () => Object.defineProperty({ ...input }, 'key', { value: caller.account.key }),
    live: () => run(input as never, stores[environment], assumptions, random),
    write(result, isOverridden) {
      const broken = isOverridden && contractProblem(operation, result);
      if (broken) return problem(broken, assumptions);
      return explained(jsonParts(operations[operation].success, result), ignored);
    },
  };
}

/** Of the overrides of a method and path that have no operation. */
function runOfPath(arrived: Arrived, match: Match, body: string | undefined): WrittenRun | Problem {
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
          ? problem(route, service.assumptions)
          : await runRow(arrived, route, body);
      return isResponse(answer) ? answer : toResponse(completed(answer, {}, method));
    },
    write: (result) => jsonParts(result === undefined ? 204 : 200, result),
  };
}

/**
 * The problem to respond with when an override throws: the one that `next()` threw, else a 501.
 *
 * @throws the error itself when it is the reason of the aborted request.
 */
function failureOf(error: unknown, name: string, signal: AbortSignal | undefined): Problem {
  if (signal?.aborted && Object.is(error, signal.reason)) throw error;
  if (error instanceof Problem) return error;
  // A failure of the mock itself, or of an override: its message, without the stack.
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return mockDefect(`${name} threw ${what}`, error);
}
