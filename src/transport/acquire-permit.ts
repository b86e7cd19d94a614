import { fieldsOf } from '../errors/redact.js';
import { warnOfLongWait } from '../events/notices.js';
import { CallbackError } from '../http/failures.js';
import { keyProblem } from '../options/address.js';
import { checkGate } from '../options/config.js';
import { sharedGate } from '../gate/shared-gates.js';
import {
  GateRefusedError,
  type GateCall,
  type GatePermit,
  type RateLimitGate,
  type WaitCause,
} from '../rate-limit/types.js';
import { ignoreFailure, withDeadline } from '../utils/abort.js';
import { systemClock } from '../utils/clock.js';
import type { CallContext } from '../call/call-context.js';

/** A key that waited longer than this at the gate, in ms, may have expired. */
const maxKeyAge = 1_000;
/** How often the key function is called for one attempt, if each wait makes its key old again. */
const maxKeyRequests = 1_000;
/** ms after which a wait without a hold has an event, and after which the console mentions a wait that nothing else shows. */
const shownWait = 1_000;
const longWait = 5_000;

/**
 * Waits for the gate of the key, which is in the context then. A key function is asked before, and again after a long wait; no permit is held
 * meanwhile. `undefined` if the client has no gate.
 */
export function acquirePermit(context: CallContext): Promise<GatePermit | undefined> {
  const { apiKey } = context.config;
  return typeof apiKey === 'string' ? passGate(context) : acquireWithFreshKey(context, apiKey);
}

async function acquireWithFreshKey(
  context: CallContext,
  apiKey: () => string | Promise<string>,
): Promise<GatePermit | undefined> {
  const { clock } = context.config;
  for (let requests = 1; ; requests += 1) {
    await requestKey(context, apiKey);
    const began = clock.monotonic();
    const permit = await passGate(context);
    if (clock.monotonic() - began < maxKeyAge || requests === maxKeyRequests) return permit;
    ignoreFailure(() => permit?.cancel());
  }
}

async function passGate(context: CallContext): Promise<GatePermit | undefined> {
  const { gate: own, clock, fetch, origin, maxWait, maxHold, priority } = context.config;
  if (own === false) return undefined;
  const gate = own === undefined ? sharedGate(origin, context.key, clock, fetch) : ownGate(context);
  const began = clock.monotonic();
  const waitUntil = Math.min(began + maxWait - context.waitedForLimit, context.deadline);
  const wait = watchWait(context);
  // A gate of the caller's own need not say that a call waits.
  if (own !== undefined) wait.begin(undefined);
  try {
    const call: GateCall = {
      signal: context.signal,
      priority,
      waitUntil,
      maxHold,
      onWait: wait.begin,
      onHold: context.onHold,
      place: context.number,
      isRetry: context.attempts.length > 0,
    };
    const isBounded = own !== undefined || waitUntil < Infinity;
    return await (isBounded ? acquireUntil(gate, call, waitUntil - began) : gate.acquire(call));
  } catch (failure) {
    if (failure instanceof GateRefusedError || context.signal?.aborted) throw failure;
    // The gate of the package fails only if a clock of the caller fails.
    throw new CallbackError(`the option ${own === undefined ? 'clock' : 'gate'} failed`, failure);
  } finally {
    wait.end();
    context.waitedForLimit += clock.monotonic() - began;
  }
}

/**
 * Reports a wait. If somebody listens: with the event `rate-limit-wait` after 1 s, unless the wait is a hold at the gate, which has its own
 * event. Otherwise: with one line on the console after 5 s.
 */
export function watchWait(
  context: CallContext,
  isAtGate = true,
): {
  readonly begin: (cause: WaitCause | undefined) => void;
  readonly end: () => void;
} {
  const { emitter, config } = context;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    const cause = context.waitCause;
    if (!emitter.isObserved) return warnOfLongWait(context.subject, cause);
    const isHold = cause === '429' || cause === 'overload' || cause === 'exhausted';
    if (cause !== undefined && !(isHold && isAtGate))
      context.emit(() => ({ type: 'rate-limit-wait', cause }));
  };
  return {
    begin(cause) {
      // A gate of the caller's own may name none.
      context.waitCause = cause ?? context.waitCause;
      if (timer !== undefined) return;
      if (emitter.isObserved) timer = setTimeout(show, shownWait);
      else if (config.warnsOfLongWait) timer = setTimeout(show, longWait);
    },
    end: () => clearTimeout(timer),
  };
}

/** The gate that the option `gate` is, or that its function returns. */
function ownGate({ config, key: apiKey }: CallContext): RateLimitGate {
  const { gate, origin, clock } = config;
  if (typeof gate !== 'function') return gate as RateLimitGate;
  try {
    // Each copy of the package has a system clock of its own.
    return checkGate(gate({ origin, apiKey, clock: clock === systemClock ? undefined : clock }));
  } catch (failure) {
    throw new CallbackError('the option gate failed', failure);
  }
}

/** Stops when the call may not wait any longer, whatever the gate does, because a gate of the caller may ignore its signal, or fail. */
async function acquireUntil(gate: RateLimitGate, call: GateCall, ms: number): Promise<GatePermit> {
  let acquired = undefined as Promise<GatePermit> | undefined;
  const over = () => new GateRefusedError('wait', undefined);
  try {
    return await withDeadline(call.signal, ms, over, (signal) => {
      acquired = Promise.resolve(gate.acquire({ ...call, signal }));
      return acquired;
    });
  } catch (failure) {
    // A permit that arrives too late is not used.
    acquired?.then((permit) => permit.cancel()).catch(() => undefined);
    throw failure;
  }
}

/** Calls the key function. Stops waiting for it when the call is aborted, or after `totalTimeout`. */
async function requestKey(
  context: CallContext,
  apiKey: () => string | Promise<string>,
): Promise<void> {
  const key: unknown = await context.within(async () => {
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
  context.key = key as string;
  if (!context.keys.includes(context.key)) context.keys.push(context.key);
}

/**
 * `SyntaxError`, or `Error ENOENT`: what can be said of a failure without its message. A name or code that has not the usual
 * form may hold the key, which nobody knows yet.
 */
function safeErrorName(failure: unknown): string {
  if (typeof failure !== 'object' || failure === null) return 'with no error';
  const { name, code } = fieldsOf(failure);
  const isUsualName = /^[A-Z][A-Za-z]{0,30}(?:Error|Exception)$|^Error$/.test(String(name));
  const isUsualCode =
    typeof code === 'string' && /^(?:E[A-Z]{2,12}|(?:UND_)?ERR_[A-Z_]{3,40})$/.test(code);
  return `${isUsualName ? String(name) : 'Error'}${isUsualCode ? ` ${code}` : ''}`;
}
