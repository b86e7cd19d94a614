import { ApiError, ConnectionError, RateLimitError } from '../../src/index.js';
import type { RunPlan } from './fleet-plan.js';
import { aborted, type CallEnd, type RunLog } from './fleet-run.js';

/** What a run broke of what the documentation promises: one text each. */
export function brokenPromises(plan: RunPlan, log: RunLog): string[] {
  return [
    ...log.ends.filter((end) => !isAskedFor(plan, end)).map((end) => `end of ${nameOf(end)}`),
    ...log.sentLate,
    ...log.problems,
    ...refusals(plan, log),
    ...Object.entries(log.left).flatMap(([what, count]) =>
      count === 0 ? [] : `${count} ${what} left after close`,
    ),
  ];
}

/** Whether the options of the call, and what goes wrong in the run, ask for this end. */
function isAskedFor(plan: RunPlan, { burst, outcome }: CallEnd): boolean {
  if (outcome === 'served') return burst.through !== 'broken headers';
  if (outcome === 'none') return false;
  const { error } = outcome;
  const has = (...names: string[]) =>
    plan.serviceFaults.some(({ fault }) => names.some((name) => name in fault));
  if (error === aborted) return burst.abortAfter !== undefined;
  if (error instanceof RateLimitError) {
    if (error.reason === 'wait') return burst.maxWait !== undefined;
    // A wait of more than two minutes: for the next day, the end of a ban, or the blind backoff.
    const isLong = plan.ban !== undefined || plan.perDay !== undefined || has('status');
    if (error.reason === 'attempts') return has('status');
    return error.reason === 'hold' && (burst.maxHold !== undefined || isLong);
  }
  if (error instanceof ApiError) return has('status') && [500, 503].includes(error.status);
  if (error instanceof ConnectionError) return has('network-error');
  return burst.through === 'broken headers' && String(error).includes('headers');
}

function nameOf({ burst, process, outcome, at }: CallEnd): string {
  const end = typeof outcome === 'string' ? outcome : String(outcome.error);
  return `a call of process ${process} at ${at} ms: ${end} ${JSON.stringify(burst)}`;
}

function refusals(plan: RunPlan, log: RunLog): string[] {
  const { rateLimited, bans } = log.service.report();
  const allowed = allowedRefusals(plan, log);
  return [
    ...(rateLimited > allowed ? [`${rateLimited} responses 429, and ${allowed} are allowed`] : []),
    ...(bans > 0 && allowed < Infinity ? [`${bans} bans`] : []),
  ];
}

/** How many 429s the documentation allows. */
function allowedRefusals(plan: RunPlan, { ends, events, service }: RunLog): number {
  // A process that has never reached the store has the gate of one process, and does not know of the others.
  const isBlind = events.some((event) => event.type === 'fleet-lost' && event.share === undefined);
  if (isBlind) return Infinity;
  const { maxInFlight } = service.report();
  const isFlushed = plan.storeFaults.some(({ kind }) => kind === 'flushed');
  const flushed = isFlushed ? 3 : 0;
  // Few are in flight when the day ends, unless the store has forgotten how many it had. A process that is stopped then does not tell the others.
  const isStopped = plan.processes.some(({ stops }) => stops.length > 0);
  const ofDay = (isFlushed ? maxInFlight : 4) * (plan.rotates ? 2 : 1) * (isStopped ? 2 : 1);
  const day = plan.perDay === undefined ? 0 : ofDay;
  // A ban that runs already refuses the first request, and another one if a caller gave up just as the response came.
  const givenUp = ends.some(
    ({ outcome }) => typeof outcome !== 'string' && outcome.error === aborted,
  );
  // One that begins refuses the requests in flight.
  const banned = plan.ban === undefined ? 0 : plan.ban.at === 0 ? 1 + Number(givenUp) : maxInFlight;
  // The store's clock that is set forward ends waits too early; one that is set back stands still, beside windows that end.
  const isSet = plan.storeFaults.some(({ kind }) => kind === 'set');
  // Who reaches the store does not know what those send who do not.
  const isApart = plan.storeFaults.some(({ to }) => to !== undefined);
  // After a 503 with Retry-After one request finds out about the window. Without headers there is nothing to go by.
  const probes = plan.serviceFaults.filter(({ fault }) => fault.status === 503).length;
  const isBare = plan.serviceFaults.some(
    ({ fault }) => fault.status === undefined && fault['no-rate-limit-headers'] === true,
  );
  const inFlight = [isSet, isApart, isBare].filter(Boolean).length * maxInFlight;
  const injected = service.requests.filter(
    ({ status, faults }) => status === 429 && faults.length > 0,
  ).length;
  // The 429 of a fault has used the quota, which the log of a rolling window does not count.
  const isRolling = ['sliding', 'token-bucket'].includes(plan.window);
  return flushed + day + banned + inFlight + probes + (isRolling ? 2 : 1) * injected;
}
