import { systemClock } from '../utils/clock.js';
import { CallbackError } from '../http/failures.js';
import type { ResolvedRequestOptions } from '../options/request-options.js';
import { abortable, bounded, untilDeadline } from './patience.js';
import { sharedGate } from '../rate-limit/shared-gates.js';
import {
  GateRefusedError,
  type GateCall,
  type GatePermit,
  type RateLimitGate,
} from '../rate-limit/types.js';
import type { CallContext } from './call-context.js';
import { keyProblem } from '../errors/redact.js';

/** A key that was asked for this long ago, in ms, may have expired in the queue. */
const keyAge = 1_000;

/** The right to send one attempt, and the key to send it with. */
export interface AcquiredPermit {
  readonly key: string;
  /** `undefined` when the client has no gate. */
  readonly permit: GatePermit | undefined;
}

/** Waits for the gate of the key. A key function is asked once an attempt: at first to know the gate, later after the wait. */
export async function acquirePermit(
  context: CallContext,
  call: GateCall,
  limits: ResolvedRequestOptions,
): Promise<AcquiredPermit> {
  const { clock, apiKey } = context.config;
  if (typeof apiKey === 'string')
    return { key: apiKey, permit: await pass(context, call, limits, apiKey) };
  let askedAt = context.key === undefined ? clock.monotonic() : -Infinity;
  context.key ??= await askKey(context, limits, apiKey);
  for (;;) {
    const key: string = context.key;
    const permit = await pass(context, call, limits, key);
    if (clock.monotonic() - askedAt < keyAge) return { key, permit };
    askedAt = clock.monotonic();
    context.key = await askKey(context, limits, apiKey).catch((failure: unknown) => {
      permit?.cancel();
      throw failure;
    });
    if (context.key === key) return { key, permit };
    permit?.cancel();
  }
}

async function pass(
  context: CallContext,
  call: GateCall,
  limits: ResolvedRequestOptions,
  key: string,
): Promise<GatePermit | undefined> {
  const gate = gateOf(context, key);
  if (gate === undefined) return undefined;
  const { clock } = context.config;
  const began = clock.monotonic();
  const waitUntil = Math.min(began + limits.maxWait - context.waited, limits.deadline);
  const asked =
    context.config.rateLimit && context.config.rateLimit.gate === undefined ? gate : foreign(gate);
  const permit = await (waitUntil === Infinity
    ? asked.acquire(call)
    : acquireUntil(asked, call, context, waitUntil - began, waitUntil));
  context.waited += clock.monotonic() - began;
  return permit;
}

/** A gate of the caller's own: it may ignore its signal, and fail in ways of its own. */
function foreign(gate: RateLimitGate): Pick<RateLimitGate, 'acquire'> {
  return {
    async acquire(call) {
      const acquired = Promise.resolve().then(() => gate.acquire(call));
      try {
        return await abortable(call.signal, () => acquired);
      } catch (failure) {
        // A permit that comes too late is not used.
        acquired.then((permit) => permit.cancel()).catch(() => undefined);
        if (call.signal?.aborted || failure instanceof GateRefusedError) throw failure;
        throw new CallbackError('rateLimit.gate failed', failure);
      }
    },
  };
}

/** Gives up at the moment until which the call may wait, whatever the gate knows of it. */
function acquireUntil(
  gate: Pick<RateLimitGate, 'acquire'>,
  call: GateCall,
  context: CallContext,
  left: number,
  waitUntil: number,
): Promise<GatePermit> {
  const late = new AbortController();
  const acquired = gate.acquire({ ...call, waitUntil, signal: late.signal });
  return bounded(context, left, () => new GateRefusedError('wait', undefined), late, acquired);
}

function gateOf({ config }: CallContext, key: string): RateLimitGate | undefined {
  const { rateLimit, clock, fetch, origin } = config;
  if (rateLimit === false) return undefined;
  const gate: RateLimitGate =
    rateLimit.gate ?? sharedGate(origin, key, clock, fetch, clock === systemClock);
  if (rateLimit.perMinute !== undefined) gate.expect?.(rateLimit.perMinute);
  return gate;
}

/** Asks the key function; gives up waiting for it when the caller does, or when the time of the whole call is over. */
async function askKey(
  context: CallContext,
  limits: ResolvedRequestOptions,
  apiKey: () => string | Promise<string>,
): Promise<string> {
  const key: unknown = await untilDeadline(context, limits, async () => {
    try {
      return await apiKey();
    } catch (failure) {
      throw new CallbackError(
        `the function apiKey failed (${kindOf(failure)}); what it says is not shown, for it may hold the key`,
      );
    }
  });
  const problem = keyProblem(key);
  if (problem !== undefined)
    throw new CallbackError(`the function apiKey gave a key that cannot be sent: ${problem}`);
  context.useKey(key as string);
  return key as string;
}

/** `SyntaxError`, or `Error ENOENT`: what can be told of a failure without its message. */
function kindOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'with no error';
  const { code } = failure as { code?: unknown };
  return typeof code === 'string' ? `${failure.name} ${code}` : failure.name;
}
