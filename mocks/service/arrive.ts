import type { Environment } from '../../src/contract/index.js';
import { mockDefect, Problem } from '../http/problem.js';
import type { ServiceRequest } from '../http/request.js';
import { findRoute } from '../http/route.js';
import { rateLimitProblem } from '../limits/refusal.js';
import { describeValue } from '../utils/options.js';
import type { Random } from '../utils/random.js';
import type { ServiceContext } from './context.js';
import { time } from './types.js';

/** A request that has arrived: where it leads, who sent it, whether it is refused, and the faults that hit it. */
export type Arrived = Readonly<ReturnType<typeof arrive>>;

/**
 * Sends a request, and lets it arrive after half of its latency, or at once.
 *
 * @throws the signal's reason, as a rejection, when it is aborted on the way.
 */
export function sendAndArrive(
  service: ServiceContext,
  request: ServiceRequest,
  environment: Environment,
): Arrived | Promise<Arrived> {
  const sent = send(service, request, environment);
  if (sent.way === 0) return arrive(sent);
  return service.clock.sleep(sent.way, request.signal).then(() => arrive(sent));
}

/** Draws all that a request needs at the moment when it is sent, before anything is awaited. */
function send(service: ServiceContext, request: ServiceRequest, environment: Environment) {
  // Its own random numbers: they do not depend on the order in which requests at the same time continue.
  const random = service.random.fork();
  const latency = latencyOf(service, request, random);
  /** `way`: the time of one way, ms. `defect`: why the mock itself fails. */
  const [way, defect] = latency instanceof Problem ? [0, latency] : [latency / 2, undefined];
  /** The number of the request for the limiter, and its time for the journal. */
  const number = service.limiter.nextRequestNumber();
  const event = service.journal.send();
  return { service, request, environment, number, event, random, way, defect };
}

/** The latency of a request, ms; or a problem where the given function returns no valid latency. */
function latencyOf(
  { latency }: ServiceContext,
  { method, path }: ServiceRequest,
  random: Random,
): number | Problem {
  if (typeof latency === 'number') return latency;
  if (typeof latency !== 'function') return latency[0] + random.next() * (latency[1] - latency[0]);
  try {
    const given = latency({ method, path });
    const why = `must return ms or a text such as '2s', up to 100 years, returned ${describeValue(given)}`;
    return time.safeParse(given).data ?? mockDefect(`latency() ${why}`);
  } catch (error) {
    return mockDefect(`latency() threw ${String(error)}`, error);
  }
}

/** Finds the route and the key, counts the request, notes it, and picks its faults: all that does not need the body. */
function arrive(sent: ReturnType<typeof send>) {
  const { service, request, environment, number, event, defect } = sent;
  const { assumptions, clock, keys, limiter, journal, overrides, faults } = service;
  const { method, path, search, headers } = request;
  const at = clock.now();
  const now = at + assumptions.clockSkew;
  const route = findRoute(method, path, service, now, overrides.rows());
  const operation = route instanceof Problem ? undefined : route.row.operation;
  const caller = keys.identify(headers.get('authorization'));
  const { account, key, name } = caller;
  const counted = { operation, environment };
  const needsKey = !(route instanceof Problem) || assumptions.unknownPathNeedsKey;
  const isCounted = needsKey && (key !== undefined || assumptions.unauthorizedCount);
  const decision = isCounted
    ? limiter.decide(account, counted, now, number)
    : limiter.peek(account, counted, now);
  const { inCoolDown, remaining, startsBan } = decision;
  const denial = rateLimitProblem(decision, assumptions, now) ?? caller.problem;
  const refusal = defect ?? (needsKey ? denial : undefined);
  const entry = journal.add(
    { environment, at, operation, method, path, key: name, inCoolDown, remaining },
    { sent: event, search, key, startsBan },
  );
  const effects = faults.pick({ operation, key }, refusal && (key === undefined ? 'key' : 'quota'));
  if (effects) entry.record.faults = effects.names;
  // When the minute of its key ends, for a 429 of a fault. Read now: it may depend on the requests that follow.
  const minuteEnd = effects ? limiter.usage(account, 'minute', now).resetAt : now;
  return { ...sent, now, route, caller, counted, decision, refusal, entry, effects, minuteEnd };
}
