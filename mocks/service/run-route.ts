import type { Environment } from '../../src/contract/index.js';
import { Problem } from '../http/problem.js';
import { mayHaveBody, type ServiceRequest } from '../http/request.js';
import { completed, jsonParts, problem, toResponse, type ResponseParts } from '../http/response.js';
import { findRoute, type RouteRow } from '../http/route.js';
import { jsonOrText } from '../inspect/journal.js';
import type { Caller } from '../limits/key-registry.js';
import { bodyTooLarge } from '../pets/inputs.js';
import { untilAborted } from '../utils/abort.js';
import type { ServiceContext } from './context.js';
import { failureOf } from './failure.js';

/** The facts about a request for the route of an override. */
interface RouteFacts {
  readonly caller: Caller;
  readonly environment: Environment;
  /** Undefined when it was too long. */
  readonly body: string | undefined;
  readonly now: number;
}

/** Runs the overrides of a method and path that have no operation, and makes the response. */
export async function runRoute(
  context: ServiceContext,
  { method, path, search, signal }: ServiceRequest,
  { row, params }: { readonly row: RouteRow; readonly params: readonly string[] },
  { caller, environment, body, now }: RouteFacts,
): Promise<ResponseParts | Response> {
  const { assumptions, overrides } = context;
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
    const route = findRoute(method, path, context, now, []);
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
