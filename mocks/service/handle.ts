import { operations } from '../../src/contract/index.js';
import { parseJson } from '../../src/contract/json.js';
import { injected, problem, type ResponseParts } from '../http/response.js';
import { bearer, identify } from '../limits/authorize.js';
import type { ServiceContext } from './context.js';
import type { Effects } from '../faults/faults.js';
import type { ServiceRequest } from '../http/request.js';
import { markKey, type OpenRecord } from '../inspect/journal.js';
import { Problem } from '../http/problem.js';
import { writeRateHeaders } from '../limits/headers.js';
import { refusal } from '../limits/authorize.js';
import { toldUntil } from '../limits/headers.js';
import { route } from '../http/route.js';
import { send, sendRaw } from './to-response.js';
import { forever, untilAborted } from '../utils/abort.js';
import { latencyOf } from './context.js';
import { runOperation } from './run-operation.js';

/**
 * One request through the service: match, key, limit, fault, parse, resolve, answer.
 *
 * @throws the signal's reason, when the request is aborted.
 */
export async function respond(
  context: ServiceContext,
  incoming: ServiceRequest,
): Promise<Response> {
  const { assumptions, clock, limiter, journal, conduct } = context;
  const { signal, headers, method, path } = incoming;
  if (signal?.aborted) throw signal.reason;
  const authorization = headers.get('authorization');
  const key = bearer(authorization);
  const tally = key !== undefined && context.registry.find(key) ? key : undefined;
  const latency = latencyOf(context, incoming);
  const half = latency instanceof Problem ? 0 : latency / 2;
  const ticket = limiter.ticket();
  let record: OpenRecord | undefined;
  let body: string | undefined;
  let lost = true;
  conduct.begin(tally);
  try {
    if (half > 0) await clock.sleep(half, signal);
    const now = clock.now() + assumptions.clockSkew;

    // Match
    const found = route(method, path, context.basePath, assumptions, now);
    const operation = found instanceof Problem ? undefined : found.operation;
    const open = found instanceof Problem && !assumptions.unknownPathNeedsKey;

    // Key
    const who = identify(authorization, key, context.registry);
    const known = !(who instanceof Problem);
    const caller = known ? who : context.anonymous;

    // Limit
    const counts = !open && (known || assumptions.unauthorizedCount);
    const told = (until: number) => toldUntil(assumptions.retryAfter, now, until);
    const verdict = counts
      ? limiter.admit(caller, operation, now, ticket, told)
      : limiter.peek(caller, operation, now);
    const refused =
      latency instanceof Problem
        ? latency
        : open
          ? undefined
          : refusal(who, verdict, assumptions, now);

    const query = incoming.search.length > 1 ? new URLSearchParams(incoming.search) : undefined;
    const name = known ? caller.key : key === undefined ? undefined : markKey(key);
    record = journal.add({
      ...blank,
      at: clock.now(),
      operation,
      method,
      path,
      key: name,
      inCoolDown: verdict.inCoolDown,
      remaining: verdict.remaining,
    });
    if (query) record.query = Object.fromEntries(query);
    conduct.arrived(record, known, verdict.startsBan);

    // Fault
    const effects = context.faults.pick(
      operation,
      known ? caller.key : undefined,
      refused && (known ? 'quota' : 'key'),
    );
    if (effects) record.faults = effects.names;
    if (operation && !refused && 'body' in operations[operation])
      body = await readBody(context, incoming);
    if (body !== undefined) {
      record.body = jsonOrText(body);
      conduct.posted(record, body);
    }
    if (effects?.delay) await clock.sleep(effects.delay, signal);
    if (breaks(effects) === 'before') return await broken(effects, signal);

    // Parse, resolve
    const minuteEnd = () => limiter.usage(caller, 'minute', now).resetAt;
    const answer: ResponseParts | Response = refused
      ? problem(refused, assumptions)
      : (decided(effects, assumptions, minuteEnd) ??
        (found instanceof Problem
          ? problem(found, assumptions)
          : await runOperation(
              context,
              found.operation,
              { params: found.params, query, body, type: headers.get('content-type'), assumptions },
              record,
              signal,
            )));
    if (breaks(effects) === 'after') return await broken(effects, signal);

    // Answer
    const until = answer instanceof Response ? undefined : answer.until;
    const raw = effects?.['retry-after'];
    if (!refused && until !== undefined)
      limiter.startCoolDown(
        caller,
        operation,
        now,
        toldUntil(raw === undefined ? assumptions.retryAfter : { raw: String(raw) }, now, until),
      );
    const lines = writeRateHeaders({ verdict, now, until, effects }, assumptions, context.random);
    const whole =
      answer instanceof Response
        ? sendRaw(answer, lines)
        : send(answer, lines, effects, clock, signal);
    const response = method === 'HEAD' ? new Response(null, whole) : whole;
    record.status = response.status;
    if (half > 0) await clock.sleep(half, signal);
    if (signal?.aborted) throw signal.reason;
    // Not at once: what is called beside this request, in the same breath, does not know of its answer.
    if (until !== undefined || verdict.refusedFor)
      queueMicrotask(() => limiter.markDelivered(caller, operation, now));
    lost = response.status >= 500 || response.status === 408 || spoils(effects);
    return response;
  } finally {
    conduct.end(tally);
    if (record) {
      record.answeredAt = clock.now();
      conduct.answered(record, tally !== undefined, body, lost);
      Object.freeze(record);
    }
  }
}

/** A record of which nothing is known yet. */
const blank = {
  answeredAt: undefined,
  query: {},
  body: undefined,
  input: undefined,
  status: undefined,
  faults: [],
} as const;

/** The whole body, while the clock stands still; undefined when it is too long. */
async function readBody(
  { clock, assumptions }: ServiceContext,
  incoming: ServiceRequest,
): Promise<string | undefined> {
  clock.hold();
  try {
    const body = incoming.readBody(assumptions.maxBodyBytes);
    return await (body instanceof Promise ? untilAborted(body, incoming.signal) : body);
  } finally {
    clock.release();
  }
}

/** A body for the journal. */
function jsonOrText(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return body;
  }
}

/** Whether a fault breaks the connection, before or after the work is done. */
function breaks(effects: Effects | undefined): 'before' | 'after' | undefined {
  const when = effects?.['network-error'] ?? effects?.hang;
  return when === true ? 'before' : when;
}

async function broken(
  effects: Effects | undefined,
  signal: AbortSignal | undefined,
): Promise<Response> {
  return effects?.hang === undefined ? Response.error() : forever(signal);
}

/** The answer of a fault that leaves the work undone. A 429 tells to wait until the end of the minute. */
function decided(
  effects: Effects | undefined,
  assumptions: ServiceContext['assumptions'],
  minuteEnd: () => number,
): ResponseParts | undefined {
  const status = effects?.status ?? (effects?.['retry-after'] === undefined ? undefined : 429);
  if (effects === undefined || status === undefined) return undefined;
  const answer = injected(status, effects.body, assumptions);
  return status === 429 ? { ...answer, until: minuteEnd() } : answer;
}

/** Whether a fault leaves the client without the answer. */
function spoils(effects: Effects | undefined): boolean {
  return (
    effects !== undefined &&
    (['drop-body', 'malformed-json', 'empty-body', 'html'] as const).some((name) => effects[name])
  );
}
