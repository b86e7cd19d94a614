import type { OperationName } from '../../src/contract/index.js';
import { Problem } from '../http/problem.js';
import { mayHaveBody } from '../http/request.js';
import {
  completed,
  explained,
  jsonParts,
  problem,
  success,
  toResponse,
  type ResponseParts,
} from '../http/response.js';
import { findRoute, type RouteRow } from '../http/route.js';
import { jsonOrText } from '../inspect/journal.js';
import { bodyTooLarge, readInput, unknownQuery } from '../pets/inputs.js';
import { resolvers } from '../pets/resolvers.js';
import { untilAborted } from '../utils/abort.js';
import type { Arrived } from './context.js';
import { failureOf } from './failure.js';

/** Reads the input of an operation, runs the operation or its overrides, and makes the response. */
export async function runOperation(
  { service, request, environment, caller, entry, random }: Arrived,
  operation: OperationName,
  params: readonly string[],
  body: string | undefined,
): Promise<ResponseParts | Response> {
  const { assumptions, overrides, stores } = service;
  const { search, headers, signal } = request;
  const query = search.length > 1 ? new URLSearchParams(search) : undefined;
  const ignored = query && unknownQuery(operation, query, assumptions);
  if (ignored instanceof Problem) return problem(ignored, assumptions);
  const type = headers.get('content-type');
  const input = readInput[operation]({ params, query, body, type, assumptions });
  if (input instanceof Problem) return problem(input, assumptions);
  entry.record.input = input as unknown as Readonly<Record<string, unknown>>;
  try {
    const live = () =>
      resolvers[operation](input as never, stores[environment], assumptions, random);
    const overridden = overrides.runOperation(operation, input, caller.account.key, live);
    const result: unknown = overridden ? await untilAborted(overridden, signal) : live();
    if (overridden && result instanceof Response) return result;
    return result instanceof Problem
      ? problem(result, assumptions)
      : explained(success(operation, result, assumptions), ignored);
  } catch (error) {
    return problem(failureOf(error, operation, signal), assumptions);
  }
}

/** Runs the overrides of a method and path that have no operation, and makes the response. */
export async function runRoute(
  { service, request, environment, caller, now }: Arrived,
  row: RouteRow,
  params: readonly string[],
  body: string | undefined,
): Promise<ResponseParts | Response> {
  const { assumptions, overrides } = service;
  const { method, path, search, signal } = request;
  if (mayHaveBody(method) && body === undefined)
    return problem(bodyTooLarge(assumptions), assumptions);
  const given = {
    method,
    path,
    query: Object.fromEntries(new URLSearchParams(search)),
    body: body ? jsonOrText(body) : undefined,
    key: caller.account.key,
    environment,
  };
  /** The response without overrides. */
  const live = () => {
    const route = findRoute(method, path, service, now, []);
    if (route instanceof Problem)
      return toResponse(completed(problem(route, assumptions), {}, method));
    throw new TypeError(
      `next() of an override of a path cannot call the operation ${route.row.operation}`,
    );
  };
  try {
    const result = await untilAborted(overrides.runRoute(row, params, given, live), signal);
    if (result instanceof Response) return result;
    return jsonParts(result === undefined ? 204 : 200, result);
  } catch (error) {
    return problem(failureOf(error, `${method} ${path}`, signal), assumptions);
  }
}
