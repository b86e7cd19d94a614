import { headers as names, operations, type Environment } from '../../src/contract/index.js';
import { bodyFaults } from '../faults/body-faults.js';
import { isPreflight, preflightResponse } from '../http/cors.js';
import { mockDefect, Problem } from '../http/problem.js';
import { mayHaveBody, type ServiceRequest } from '../http/request.js';
import {
  completed,
  hasBody,
  injected,
  isResponse,
  problemParts,
  type ResponseParts,
  type ServiceResponse,
} from '../http/response.js';
import { findRoute, type Match } from '../http/route.js';
import { announcedRetryAt, rateLimitProblem, writeRateHeaders } from '../limits/headers.js';
import { untilAborted } from '../utils/abort.js';
import { jsonOf } from '../utils/json.js';
import { showValue } from '../utils/options.js';
import type { Random } from '../utils/random.js';
import type { ServiceContext } from './service.js';
import { failureOf, runRow, type ResponseOrParts } from './run.js';
import { time } from './types.js';

/** A request that has arrived: where it leads, who sent it, whether it is refused, and the faults that hit it. */
export type Arrived = Readonly<ReturnType<typeof arrive>>;

/**
 * One request through the service, step by step: send, arrive, read the body, refuse, inject, run, deliver.
 *
 * @throws the signal's reason, when the request is aborted.
 */
export async function respond(
  service: ServiceContext,
  request: ServiceRequest,
  environment: Environment,
): Promise<ServiceResponse> {
  const { method, headers, signal } = request;
  if (signal?.aborted) throw signal.reason;
  if (isPreflight(method, headers)) return preflightResponse(headers, service.overrides.rows());
  const sent = send(service, request, environment);
  // Without latency there is no `await`, which would let other requests of the same tick come first.
  if (sent.way > 0) await service.clock.sleep(sent.way, signal);
  const arrived = arrive(sent);
  try {
    const body = readsBody(arrived) ? await readBody(arrived) : undefined;
    const { effects } = arrived;
    if (effects?.delay) await service.clock.sleep(effects.delay, signal);
    const broken = effects?.['network-error'] ?? effects?.hang;
    if (broken && broken !== 'after') return await breakConnection(arrived);
    const answer =
      refuse(arrived) ??
      inject(arrived, broken) ??
      (await runRow(arrived, arrived.route as Match, body));
    if ('defect' in answer) reportDefect(arrived, answer.defect!);
    if (broken === 'after') return await breakConnection(arrived);
    return await deliver(arrived, answer).catch((error: unknown) => {
      const defect = failureOf(error, isResponse(answer) ? 'Response' : 'Retry-After', signal);
      reportDefect(arrived, defect);
      return deliver(arrived, problemParts(defect, service.assumptions));
    });
  } finally {
    // The request has ended, with or without a response.
    arrived.entry.record.answeredAt = service.clock.now();
    service.journal.end(arrived.entry);
  }
}

/** Draws all that a request needs at the moment when it is sent, before anything is awaited. */
function send(service: ServiceContext, request: ServiceRequest, environment: Environment) {
  // Its own random numbers: they do not depend on the order in which requests at the same time continue.
  const random = service.random.fork();
  const latency = latencyOf(service, request, random);
  /** `way`: the time of one way, ms. `defect`: why the mock itself fails. */
  const [way, defect] = latency instanceof Problem ? [0, latency] : [latency / 2, undefined];
  const number = service.journal.event();
  return { service, request, environment, number, random, way, defect };
}

/** The latency of a request, ms; or a problem where the given function returns no valid latency. */
function latencyOf({ latency }: ServiceContext, { method, path }: ServiceRequest, random: Random) {
  if (typeof latency === 'number') return latency;
  if (typeof latency !== 'function') return latency[0] + random.next() * (latency[1] - latency[0]);
  try {
    const given = latency({ method, path });
    const why = `must return ms or a text such as '2s', up to 100 years, returned ${showValue(given)}`;
    return time.safeParse(given).data ?? mockDefect(`latency() ${why}`);
  } catch (error) {
    return mockDefect(`latency() threw ${String(error)}`, error);
  }
}

/** Finds the route and the key, counts the request, notes it, and picks its faults: all that does not need the body. */
function arrive(sent: ReturnType<typeof send>) {
  const { service, request, environment, number, defect } = sent;
  const { assumptions, clock, keys, limiter, journal, overrides, faults } = service;
  const { method, path, search, headers } = request;
  const at = clock.now();
  const now = at + assumptions.clockSkew;
  const route = findRoute(method, path, service, now, overrides.rows());
  const operation = route instanceof Problem ? undefined : route.row.operation;
  const caller = keys.identify(headers.get('authorization'));
  const { account, key, name } = caller;
  const counted = { operation, environment };
  // Store orders and a removed operation are known, so they need a key.
  const isUnknown = route instanceof Problem && /unknownPath|wrongMethod/.test(route.rule);
  const needsKey = !isUnknown || assumptions.unknownPathNeedsKey;
  // What was sent before a reset uses no quota and no fault of after it.
  const isKept = journal.isKept(number);
  const isCounted = isKept && needsKey && (key !== undefined || assumptions.unauthorizedCount);
  const decision = isCounted
    ? limiter.decide(account, counted, now, number)
    : limiter.peek(account, counted, now);
  const { inCoolDown, remaining, startsBan } = decision;
  const denial = rateLimitProblem(decision, assumptions, now) ?? caller.problem;
  const refusal = defect ?? (needsKey ? denial : undefined);
  const entry = journal.add(
    { environment, at, operation, method, path, key: name, inCoolDown, remaining },
    { sent: number, search, key, startsBan },
  );
  const refused = refusal && (key === undefined ? 'key' : 'quota');
  const effects = isKept ? faults.pick({ operation, key }, refused) : undefined;
  if (effects) entry.record.faults = effects.names;
  return { ...sent, now, route, caller, counted, decision, refusal, entry, effects };
}

/** Whether a body is read: as the operation says, and for the route of an override by its method. */
function readsBody({ route, refusal, request }: Arrived): boolean {
  if (route instanceof Problem || refusal) return false;
  const { operation } = route.row;
  return operation === undefined ? mayHaveBody(request.method) : 'body' in operations[operation];
}

/** Undefined when the body is too long. A virtual clock does not advance while it is read. */
async function readBody({ service, request, entry }: Arrived): Promise<string | undefined> {
  const { clock, assumptions, journal } = service;
  clock.hold();
  try {
    const read = request.readText(assumptions.maxBodyBytes);
    const body = await (read instanceof Promise ? untilAborted(read, request.signal) : read);
    if (body !== undefined) journal.addBody(entry, body);
    return body;
  } finally {
    clock.release();
  }
}

/** The answer to a request without a valid key, beyond its quota, or on which the mock fails. */
const refuse = ({ refusal, service }: Arrived): ResponseOrParts | undefined =>
  refusal && problemParts(refusal, service.assumptions);

/** The answer of a fault, or to a request that leads nowhere. A 429 of a fault announces the end of the minute. */
function inject(
  { effects, decision, route, service }: Arrived,
  broken: unknown,
): ResponseOrParts | undefined {
  const { assumptions } = service;
  const is429 = effects?.['retry-after'] !== undefined && !broken;
  const status = effects?.status ?? (is429 && 429);
  if (!status) return route instanceof Problem ? problemParts(route, assumptions) : undefined;
  const answer = injected(status, effects?.body, assumptions);
  return status === 429 ? { ...answer, retryAt: decision.minuteEnd } : answer;
}

/** Breaks the connection, or never resolves. */
const breakConnection = ({ effects, request }: Arrived) =>
  effects!.hang ? untilAborted(new Promise<never>(() => {}), request.signal) : Response.error();

/** Makes the response with its headers and its body fault, and sends it back. */
async function deliver(arrived: Arrived, answer: ResponseOrParts): Promise<ServiceResponse> {
  if (isResponse(answer) && answer.type === 'error') return answer;
  const { service, request, caller, counted, entry, effects, decision, now, random, way } = arrived;
  const { assumptions, clock, limiter, journal } = service;
  const retryAt = isResponse(answer) ? undefined : answer.retryAt;
  const headers = writeRateHeaders({ decision, now, retryAt, effects }, assumptions, random);
  // A 429 of a fault begins a cool-down here. For a refused request, the limiter has begun it already.
  if (retryAt !== undefined && !arrived.refusal) {
    const told = announcedRetryAt(headers[names.retryAfter], now, effects?.['clock-skew']);
    limiter.startCoolDown(caller.account, counted, now, told ?? retryAt);
  }
  const built = await build(arrived, answer, headers);
  const { status } = built.response;
  entry.record.status = status;
  if (way > 0) await clock.sleep(way, request.signal);
  if (request.signal?.aborted) throw request.signal.reason;
  const { limitedBy } = decision;
  // In a microtask: requests started in the same tick must not count as sent after this 429.
  if (retryAt !== undefined || limitedBy !== undefined)
    queueMicrotask(() =>
      limiter.markDelivered(caller.account, counted, now, journal.event(), limitedBy),
    );
  // From 400 to 499, the status alone shows that the request had no effect.
  entry.isOutcomeKnown = status < 500 && status !== 408 && (status >= 400 || built.isReadable);
  return built.response;
}

const bodyFaultNames = Object.keys(bodyFaults) as (keyof typeof bodyFaults)[];

/** Makes the response, with its body fault, which changes nothing where there is no body for it. */
async function build(
  { service: { clock }, request: { method, signal }, effects }: Arrived,
  answer: ResponseOrParts,
  headers: Record<string, string>,
): Promise<{ readonly response: ServiceResponse; readonly isReadable: boolean }> {
  const name = effects && bodyFaultNames.find((one) => effects[one] !== undefined);
  if (isResponse(answer) && name === undefined)
    return { response: withHeaders(answer, headers, method), isReadable: true };
  let parts = isResponse(answer) ? await readParts(answer) : answer;
  if (name !== undefined && hasBody(parts, method) && parts.text !== '') {
    const body = { parts, text: parts.text, clock, signal };
    parts = { ...parts, ...bodyFaults[name].run(body, effects![name] as never) };
  }
  return { response: completed(parts, headers, method), isReadable: !parts.isUnreadable };
}

/** The headers of an override: if it is a response of `fetch`, its body is decoded, and has neither this coding nor this length. */
function decodedHeaders({ headers, body }: Response): Headers {
  const kept = new Headers(headers);
  if (body !== null) for (const name of ['content-encoding', 'content-length']) kept.delete(name);
  return kept;
}

/** The `Response` of an override, with the headers of every response. */
function withHeaders(response: Response, added: Readonly<Record<string, string>>, method: string) {
  const headers = decodedHeaders(response);
  for (const [name, value] of Object.entries(added))
    if (!headers.has(name)) headers.set(name, value);
  const { status, statusText, body } = response;
  return { status, statusText, headers, body: method === 'HEAD' ? null : body };
}

/** A `Response` of an override as parts, for a body fault to change. */
async function readParts(response: Response): Promise<ResponseParts> {
  const { 'content-type': type = 'text/plain;charset=utf-8', ...headers } = Object.fromEntries(
    decodedHeaders(response),
  );
  const text = response.body === null ? undefined : await response.text();
  const value = text === undefined ? undefined : jsonOf(text);
  return { status: response.status, value, text, type, headers };
}

/** Counts a failure of the mock itself, and prints it once, because the code under test may catch the error of the client. */
function reportDefect(
  { service: { journal }, entry }: Arrived,
  { hint, more: { cause } }: Problem,
): void {
  if (!journal.addDefect(entry, hint)) return;
  const message = `petstore-client/mocks: ${hint}. The request was answered 501, and report().mockDefects counts it.`;
  if (cause === undefined) console.error(message);
  else console.error(message, cause);
}
