import { operations, type Environment, type OperationName } from '../../src/contract/index.js';
import type { Effects } from '../faults/fault-registry.js';
import { connectionFaultAt, injectedResponse } from '../faults/apply.js';
import { isPreflight, preflightResponse } from '../http/cors.js';
import { Problem } from '../http/problem.js';
import { mayHaveBody, type ServiceRequest } from '../http/request.js';
import {
  type CompleteResponse,
  explained,
  isResponse,
  problem,
  success,
  type ResponseParts,
} from '../http/response.js';
import { environmentOf, findRoute } from '../http/route.js';
import type { JournalEntry, OpenRecord } from '../inspect/journal.js';
import type { Caller } from '../limits/key-registry.js';
import { announcedUntil, writeRateHeaders } from '../limits/headers.js';
import { rateLimitProblem } from '../limits/refusal.js';
import { readInput, unknownQuery, type Read } from '../pets/inputs.js';
import { resolvers } from '../pets/resolvers.js';
import { forever, untilAborted } from '../utils/abort.js';
import { latencyOf, type ServiceContext } from './context.js';
import { failureOf, reportDefect } from './failure.js';
import { runRoute } from './run-route.js';
import { buildResponse } from './to-response.js';

/**
 * One request through the service: match, key and limit, fault, parse and resolve, respond.
 *
 * @throws the signal's reason, when the request is aborted.
 */
export async function respond(
  context: ServiceContext,
  request: ServiceRequest,
  givenEnvironment?: Environment,
): Promise<CompleteResponse | Response> {
  const { assumptions, clock, registry, limiter, overrides, faults, journal } = context;
  const { signal, headers, method, path } = request;
  if (signal?.aborted) throw signal.reason;
  const overriddenRows = overrides.all.length === 0 ? [] : overrides.rows();
  if (isPreflight(method, headers))
    return preflightResponse(
      headers,
      overriddenRows.map((row) => row.method),
    );
  const authorization = headers.get('authorization');
  let caller = registry.identify(authorization);
  const latency = context.latency === 0 ? 0 : latencyOf(context, request);
  const half = latency instanceof Problem ? 0 : latency / 2;
  const requestNumber = limiter.nextRequestNumber();
  let entry: JournalEntry | undefined;
  let body: string | undefined;
  const sent = journal.send();
  try {
    if (half > 0) {
      await clock.sleep(half, signal);
      // During the latency, the key may have been revoked, or the service reset.
      caller = registry.identify(authorization);
    }
    const now = clock.now() + assumptions.clockSkew;

    // Match
    const environment = givenEnvironment ?? environmentOf(request.url, context.addresses);
    const route = findRoute(method, path, context, now, overriddenRows);
    const row = route instanceof Problem ? undefined : route.row;
    const operation = row?.operation;
    const needsKey = row !== undefined || assumptions.unknownPathNeedsKey;

    // Key and limit
    const scope = { operation, environment };
    const decision =
      needsKey && (caller.key !== undefined || assumptions.unauthorizedCount)
        ? limiter.decide(caller.account, scope, now, requestNumber)
        : limiter.peek(caller.account, scope, now);
    const isLimited = decision.limitedBy !== undefined;
    const denied = isLimited ? rateLimitProblem(decision, assumptions, now) : caller.problem;
    const refused = latency instanceof Problem ? latency : needsKey ? denied : undefined;

    const query = request.search.length > 1 ? new URLSearchParams(request.search) : undefined;
    entry = journal.add(
      {
        environment,
        at: clock.now(),
        answeredAt: undefined,
        operation,
        method,
        path,
        body: undefined,
        input: undefined,
        key: caller.name,
        status: undefined,
        faults: noFaults,
        inCoolDown: decision.inCoolDown,
        remaining: decision.remaining,
      },
      { sent, search: request.search, key: caller.key, startsBan: decision.startsBan },
    );
    const { record } = entry;

    // Fault
    const effects: Effects | undefined =
      faults.all.length === 0
        ? undefined
        : faults.pick(
            operation,
            caller.key,
            refused && (caller.key === undefined ? 'key' : 'quota'),
          );
    if (effects) record.faults = effects.names;
    const { recorded } = context;
    const isReplayed =
      recorded !== undefined &&
      !(row && overrides.handles(row)) &&
      !isLimited &&
      (refused === undefined || authorization === null);
    if (isReplayed ? mayHaveBody(method) : row && !refused && takesBody(row.operation, method)) {
      body = await readRequestBody(context, request);
      if (body !== undefined && row && !refused) journal.addBody(entry, body);
    }
    if (effects?.delay) await clock.sleep(effects.delay, signal);
    if (effects && connectionFaultAt(effects) === 'before')
      return await breakConnection(effects, signal);

    // Parse and resolve
    const minuteEnd = () => limiter.usage(caller.account, 'minute', now).resetAt;
    const read = { params: route instanceof Problem ? [] : route.params, query, body, assumptions };
    const injected = refused
      ? undefined
      : effects && injectedResponse(effects, assumptions, minuteEnd);
    const live: ResponseParts | Response = refused
      ? problem(refused, assumptions)
      : (injected ??
        (route instanceof Problem
          ? problem(route, assumptions)
          : operation === undefined
            ? await runRoute(context, request, route, { caller, environment, body, now })
            : await runOperation(
                context,
                operation,
                { ...read, type: headers.get('content-type') },
                { caller, environment, record, signal },
              )));
    const answer = (isReplayed && !injected && recorded(request, body)) || live;
    if ('defect' in answer) reportDefect(context, entry, answer.defect!);
    if (effects && connectionFaultAt(effects) === 'after')
      return await breakConnection(effects, signal);
    if (isResponse(answer) && answer.type === 'error') return Response.error();

    // Respond
    const until = isResponse(answer) ? undefined : answer.until;
    if (!refused && until !== undefined) {
      const raw = effects?.['retry-after'];
      const form = raw === undefined ? assumptions.retryAfter : { raw: String(raw) };
      const announced = announcedUntil(form, now, until, effects?.['clock-skew']);
      limiter.startCoolDown(caller.account, scope, now, announced);
    }
    const written = writeRateHeaders(
      { decision, now, until, effects },
      assumptions,
      context.random,
    );
    const { response, isReadable } = await buildResponse(
      context,
      request,
      { answer, headers: written, effects },
      record,
    );
    record.status = response.status;
    if (half > 0) await clock.sleep(half, signal);
    if (signal?.aborted) throw signal.reason;
    // In a microtask: requests started in the same tick must not count as sent after this 429.
    if (until !== undefined || isLimited)
      queueMicrotask(() => limiter.markDelivered(caller.account, scope, now, decision.limitedBy));
    const { status } = response;
    // From 400 to 499, the status alone says that nothing was done.
    entry.isOutcomeKnown = status < 500 && status !== 408 && (status >= 400 || isReadable);
    return response;
  } finally {
    if (entry) {
      entry.record.answeredAt = clock.now();
      journal.end(entry);
    }
  }
}

const noFaults: readonly string[] = Object.freeze([]);

/** Reads the input of an operation, runs the operation or its override, and makes the response. */
async function runOperation(
  context: ServiceContext,
  operation: OperationName,
  read: Read,
  {
    caller,
    environment,
    record,
    signal,
  }: {
    readonly caller: Caller;
    readonly environment: Environment;
    readonly record: OpenRecord;
    readonly signal: AbortSignal | undefined;
  },
): Promise<ResponseParts | Response> {
  const { assumptions, overrides, stores } = context;
  const ignored = read.query && unknownQuery(operation, read.query, assumptions);
  if (ignored instanceof Problem) return problem(ignored, assumptions);
  const input = readInput[operation](read);
  if (input instanceof Problem) return problem(input, assumptions);
  record.input = input as unknown as Readonly<Record<string, unknown>>;
  const { key } = caller.account;
  try {
    const live = () => resolvers[operation](input as never, stores[environment], assumptions);
    const overridden =
      overrides.all.length === 0 ? undefined : overrides.runOperation(operation, input, key, live);
    const result: unknown = overridden ? await untilAborted(overridden, signal) : live();
    if (overridden && result instanceof Response) return result;
    return result instanceof Problem
      ? problem(result, assumptions)
      : explained(success(operation, result, assumptions), ignored);
  } catch (error) {
    return problem(failureOf(error, operation, signal), assumptions);
  }
}

/** Whether a request may have a body: as the operation says, and for the route of an override by its method. */
function takesBody(operation: OperationName | undefined, method: string): boolean {
  return operation === undefined ? mayHaveBody(method) : 'body' in operations[operation];
}

/** The body; undefined when it is too long. A virtual clock does not advance while it is read. */
async function readRequestBody(
  { clock, assumptions }: ServiceContext,
  request: ServiceRequest,
): Promise<string | undefined> {
  clock.hold();
  try {
    const body = request.readBody(assumptions.maxBodyBytes);
    return await (body instanceof Promise ? untilAborted(body, request.signal) : body);
  } finally {
    clock.release();
  }
}

async function breakConnection(
  effects: Effects,
  signal: AbortSignal | undefined,
): Promise<Response> {
  return effects.hang === undefined ? Response.error() : forever(signal);
}
