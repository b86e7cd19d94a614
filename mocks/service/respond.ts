import { headers as names, operations, type Environment } from '../../src/contract/index.js';
import { isPreflight, preflightResponse } from '../http/cors.js';
import { Problem } from '../http/problem.js';
import { mayHaveBody, type ServiceRequest } from '../http/request.js';
import { injected, isResponse, problem, type CompleteResponse } from '../http/response.js';
import { environmentOf, type Match } from '../http/route.js';
import { announcedRetryAt, writeRateHeaders } from '../limits/headers.js';
import { forever, untilAborted } from '../utils/abort.js';
import { sendAndArrive, type Arrived } from './arrive.js';
import type { ServiceContext } from './context.js';
import { runRow, type Answer } from './run.js';
import { buildResponse } from './to-response.js';

/**
 * One request through the service, step by step: arrive, refuse, inject, run, deliver, close.
 *
 * @throws the signal's reason, when the request is aborted.
 */
export async function respond(
  service: ServiceContext,
  request: ServiceRequest,
  environment: Environment = environmentOf(request.url, service.addresses),
): Promise<CompleteResponse | Response> {
  const { method, headers, signal } = request;
  if (signal?.aborted) throw signal.reason;
  if (isPreflight(method, headers)) {
    const rows = service.overrides.rows();
    return preflightResponse(headers, rows);
  }
  // Nothing is awaited that need not be: what happens at once does not depend on the requests that follow.
  const begun = sendAndArrive(service, request, environment);
  const arrived = begun instanceof Promise ? await begun : begun;
  try {
    const body = hasBody(arrived) ? await readBody(arrived) : undefined;
    const { effects } = arrived;
    if (effects?.delay) await service.clock.sleep(effects.delay, signal);
    const broken = effects?.['network-error'] ?? effects?.hang;
    if (broken === true || broken === 'before') return await breakConnection(arrived);
    const answer =
      refuse(arrived) ?? inject(arrived) ?? (await runRow(arrived, arrived.route as Match, body));
    if ('defect' in answer) reportDefect(arrived, answer.defect!);
    if (broken === 'after') return await breakConnection(arrived);
    return await deliver(arrived, answer);
  } finally {
    close(arrived);
  }
}

/** Whether a body is read: as the operation says, and for the route of an override by its method. */
function hasBody({ route, refusal, request }: Arrived): boolean {
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
function refuse({ refusal, service }: Arrived): Answer | undefined {
  return refusal && problem(refusal, service.assumptions);
}

/** The answer of a fault, or to a request that leads nowhere. A 429 of a fault announces the end of the minute. */
function inject({ effects, minuteEnd, route, service }: Arrived): Answer | undefined {
  const { assumptions } = service;
  const status = effects?.status ?? (effects?.['retry-after'] === undefined ? undefined : 429);
  if (status === undefined)
    return route instanceof Problem ? problem(route, assumptions) : undefined;
  const answer = injected(status, effects?.body, assumptions);
  return status === 429 ? { ...answer, retryAt: minuteEnd } : answer;
}

function breakConnection({ effects, request }: Arrived): Promise<Response> {
  return effects!.hang === undefined ? Promise.resolve(Response.error()) : forever(request.signal);
}

/** Makes the response with its headers and its body fault, and sends it back. */
async function deliver(arrived: Arrived, answer: Answer): Promise<CompleteResponse | Response> {
  if (isResponse(answer) && answer.type === 'error') return answer;
  const { service, request, entry, effects, decision, now, random, way } = arrived;
  const { assumptions, clock, limiter } = service;
  const retryAt = isResponse(answer) ? undefined : answer.retryAt;
  const headers = writeRateHeaders({ decision, now, retryAt, effects }, assumptions, random);
  if (retryAt !== undefined) startCoolDown(arrived, headers, retryAt);
  const built = await buildResponse(service, request, answer, { headers, effects });
  const { status } = built.response;
  entry.record.status = status;
  if (way > 0) await clock.sleep(way, request.signal);
  if (request.signal?.aborted) throw request.signal.reason;
  const { limitedBy } = decision;
  // In a microtask: requests started in the same tick must not count as sent after this 429.
  if (retryAt !== undefined || limitedBy !== undefined)
    queueMicrotask(() =>
      limiter.markDelivered(arrived.caller.account, arrived.counted, now, limitedBy),
    );
  // From 400 to 499, the status alone says that nothing was done.
  entry.isOutcomeKnown = status < 500 && status !== 408 && (status >= 400 || built.isReadable);
  return built.response;
}

/** A 429 that a fault has caused begins a cool-down; the limiter itself began that of a refused request. */
function startCoolDown(
  { service, caller, counted, now, refusal, effects }: Arrived,
  written: Readonly<Record<string, string>>,
  retryAt: number,
): void {
  if (refusal) return;
  const announced = announcedRetryAt(written[names.retryAfter], now, effects?.['clock-skew']);
  service.limiter.startCoolDown(caller.account, counted, now, announced ?? retryAt);
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

/** Completes the record of the request, however it ended. */
function close({ service: { journal, clock }, entry }: Arrived): void {
  entry.record.answeredAt = clock.now();
  journal.end(entry);
}
