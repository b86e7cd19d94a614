import { fieldsOf } from '../errors/redact.js';
import { watchWait } from '../events/notices.js';
import { CallbackError } from '../http/failures.js';
import { keyProblem } from '../options/api-key.js';
import { gateObject } from '../options/config.js';
import type { Gate } from '../rate-limit/gate.js';
import { sharedGate } from '../rate-limit/shared-gates.js';
import {
  GateRefusedError,
  type GateCall,
  type GatePermit,
  type GateResponse,
  type RateLimitGate,
} from '../rate-limit/types.js';
import { withDeadline } from '../utils/abort.js';
import { systemClock } from '../utils/clock.js';
import { withTotalTimeout, type CallContext } from './call-context.js';
import { subject } from './messages.js';

/** A key that is older than this, in ms, may have expired in the queue. */
const maxKeyAge = 1_000;
/**
 * How often the key function is called for one attempt. If it returns a new key each time, and the gate of each of them makes
 * the call wait, the attempt is still made.
 */
const maxKeyRequests = 10;

/** Permission to send one attempt, and the API key to send. */
export interface AcquiredPermit {
  readonly key: string;
  /** `undefined` if the client has no gate. */
  readonly permit: GatePermit | undefined;
}

/**
 * Waits for the gate of the key. Returns a value, not a promise, if the call need not wait: every `await` makes a call slower.
 */
export function acquirePermit(context: CallContext): AcquiredPermit | Promise<AcquiredPermit> {
  const { apiKey: key } = context.config;
  if (typeof key !== 'string') return acquireWithKey(context, key);
  const permit = passGate(context, key, ownGate(context, key));
  return permit instanceof Promise ? permit.then((permit) => ({ key, permit })) : { key, permit };
}

/** The key function is called once for each attempt: for the first attempt to find the gate, for later ones after the wait. */
async function acquireWithKey(
  context: CallContext,
  apiKey: () => string | Promise<string>,
): Promise<AcquiredPermit> {
  const { clock } = context.config;
  let requests = 0;
  // A retry begins with the key of the previous attempt. The key function is called again after the wait at the gate.
  let receivedAt = -Infinity;
  if (context.key === undefined) {
    context.key = await requestKey(context, apiKey);
    receivedAt = clock.monotonic();
    requests += 1;
  }
  let own = ownGate(context, context.key);
  for (;;) {
    const key: string = context.key;
    const permit = await passGate(context, key, own);
    if (clock.monotonic() - receivedAt < maxKeyAge || requests === maxKeyRequests)
      return { key, permit };
    const last = own;
    try {
      context.key = await requestKey(context, apiKey);
      if (context.key === key) return { key, permit };
      own = ownGate(context, context.key);
    } catch (failure) {
      returnPermit(permit, 'cancel');
      throw failure;
    }
    // In the queue of the same gate the new key would become old again.
    if (own !== undefined && own === last) return { key: context.key, permit };
    returnPermit(permit, 'cancel');
    receivedAt = clock.monotonic();
    requests += 1;
  }
}

function passGate(
  context: CallContext,
  key: string,
  own: RateLimitGate | undefined,
): GatePermit | undefined | Promise<GatePermit> {
  const { rateLimit, clock, fetch, origin } = context.config;
  if (rateLimit === false) return undefined;
  const shared =
    own === undefined ? sharedGate(origin, key, clock, fetch, clock === systemClock) : undefined;
  const gate = own ?? (shared as Gate);
  if (rateLimit.plan !== undefined) shared?.expect(rateLimit.plan);
  const began = clock.monotonic();
  const { maxWait, maxHold, priority } = context.options;
  const waitUntil = Math.min(began + maxWait - context.waited, context.deadline);
  const call: GateCall = {
    signal: context.signal,
    priority,
    waitUntil,
    maxHold,
    maxQueue: rateLimit.maxQueue,
    maxConcurrency: rateLimit.maxConcurrency,
    onHold: context.onHold,
    place: context.number,
    isRetry: context.attempts.length > 0,
  };
  const permit = shared?.acquireNow(call);
  if (permit !== undefined) return permit;
  return waitAtGate(
    context,
    own === undefined && waitUntil === Infinity
      ? gate.acquire(call)
      : acquireUntil(gate, call, waitUntil - began, own !== undefined),
    began,
  );
}

async function waitAtGate(
  context: CallContext,
  acquired: Promise<GatePermit>,
  began: number,
): Promise<GatePermit> {
  const { clock, warnsOfLongWait } = context.config;
  const endWatch = warnsOfLongWait ? await watch(context, acquired) : undefined;
  try {
    return await acquired;
  } finally {
    context.waited += clock.monotonic() - began;
    endWatch?.();
  }
}

/** The gate of the option, if there is one. It receives the plan. */
function ownGate(context: CallContext, apiKey: string): RateLimitGate | undefined {
  const { rateLimit, origin, clock } = context.config;
  if (rateLimit === false) return undefined;
  const { gate, plan } = rateLimit;
  // Each copy of the package has a system clock of its own.
  const key = { origin, apiKey, clock: clock === systemClock ? undefined : clock };
  try {
    // Without the check, the calls of a function that returns nothing would go through the shared gate.
    const own = typeof gate === 'function' ? gateObject(gate(key), 'its result') : gate;
    if (plan !== undefined) own?.expect?.(plan);
    return own;
  } catch (failure) {
    throw new CallbackError('rateLimit.gate failed', failure);
  }
}

/** For a call without bounds at the built-in gate, a permit that is granted at once arrives after one microtask, and needs no timer. */
async function watch(
  context: CallContext,
  acquired: Promise<GatePermit>,
): Promise<(() => void) | undefined> {
  let isPending = true as boolean;
  const settled = () => void (isPending = false);
  acquired.then(settled, settled);
  await Promise.resolve();
  return isPending ? watchWait(() => subject(context)) : undefined;
}

/** Stops when the call may not wait any longer, whatever the gate does, because a custom gate may ignore its signal, or fail. */
async function acquireUntil(
  gate: RateLimitGate,
  call: GateCall,
  ms: number,
  isOwn: boolean,
): Promise<GatePermit> {
  let acquired = undefined as Promise<GatePermit> | undefined;
  let isOver = false as boolean;
  const over = () => ((isOver = true), new GateRefusedError('wait', undefined));
  try {
    return await withDeadline(call.signal, ms, over, (signal) => {
      acquired = Promise.resolve(gate.acquire({ ...call, signal }));
      return acquired;
    });
  } catch (failure) {
    // A permit that arrives too late is not used.
    acquired?.then((permit) => permit.cancel()).catch(() => undefined);
    if (isOver || !isOwn || call.signal?.aborted || failure instanceof GateRefusedError)
      throw failure;
    throw new CallbackError('rateLimit.gate failed', failure);
  }
}

/** A response has arrived. */
export function settlePermit(permit: GatePermit | undefined, { status, headers }: Response): void {
  returnPermit(permit, 'settle', { status, headers });
}

/**
 * Calls one method of a permit. If that fails, no other is called, because the gate may have done a part of its work. The
 * failure is ignored: what was sent is sent all the same, and the result of the call has to say so.
 */
export function returnPermit(
  permit: GatePermit | undefined,
  how: keyof GatePermit,
  response?: GateResponse,
): void {
  try {
    const result: unknown = permit?.[how](response as GateResponse);
    // The types allow an async method. A rejection that nobody handles would end the process.
    if (result !== undefined) Promise.resolve(result).catch(() => undefined);
  } catch {
    // See above.
  }
}

/** Calls the key function. Stops waiting for it when the call is aborted, or after `totalTimeout`. */
async function requestKey(
  context: CallContext,
  apiKey: () => string | Promise<string>,
): Promise<string> {
  const key: unknown = await withTotalTimeout(context, async () => {
    try {
      return await apiKey();
    } catch (failure) {
      throw new CallbackError(
        `the function apiKey failed (${safeErrorName(failure)}); its message is not shown, because it may contain the key`,
      );
    }
  });
  const problem = keyProblem(key);
  if (problem !== undefined)
    throw new CallbackError(`the function apiKey gave a key that cannot be sent: ${problem}`);
  context.redactor.add(key as string);
  context.usedKeys.push(key as string);
  return key as string;
}

/**
 * `SyntaxError`, or `Error ENOENT`: what can be said of a failure without its message. A name or code that has not the usual
 * form may hold the key, which nobody knows yet.
 */
function safeErrorName(failure: unknown): string {
  if (!(failure instanceof Error)) return 'with no error';
  const { name, code } = fieldsOf(failure);
  const shownName = /^[A-Z][A-Za-z]{0,30}(?:Error|Exception)$|^Error$/.test(String(name))
    ? String(name)
    : 'Error';
  const isUsual =
    typeof code === 'string' && /^(?:E[A-Z]{2,12}|(?:UND_)?ERR_[A-Z_]{3,40})$/.test(code);
  return isUsual ? `${shownName} ${code}` : shownName;
}
