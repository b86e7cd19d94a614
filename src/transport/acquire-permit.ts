import { systemClock } from '../utils/clock.js';
import { OwnFailure } from '../http/failures.js';
import type { Limits } from '../options/request-options.js';
import { abortable, bounded, untilDeadline } from './patience.js';
import { sharedGate } from '../rate-limit/shared-gates.js';
import { GateRefusal, type GateCall, type GatePermit, type RateLimitGate } from '../rate-limit/types.js';
import type { Run } from './call-context.js';
import { keyProblem } from '../errors/redact.js';

/** A key that was asked for this long ago, in ms, may have expired in the queue. */
const keyAge = 1_000;

/** The right to send one attempt, and the key to send it with. */
export interface Admission {
  readonly key: string;
  /** `undefined` when the client has no gate. */
  readonly permit: GatePermit | undefined;
}

/** Waits for the gate of the key. A key function is asked once an attempt: at first to know the gate, later after the wait. */
export async function admit(run: Run, call: GateCall, limits: Limits): Promise<Admission> {
  const { clock, apiKey } = run.config;
  if (typeof apiKey === 'string') return { key: apiKey, permit: await pass(run, call, limits, apiKey) };
  let askedAt = run.key === undefined ? clock.monotonic() : -Infinity;
  run.key ??= await askKey(run, limits, apiKey);
  for (;;) {
    const key: string = run.key;
    const permit = await pass(run, call, limits, key);
    if (clock.monotonic() - askedAt < keyAge) return { key, permit };
    askedAt = clock.monotonic();
    run.key = await askKey(run, limits, apiKey).catch((failure: unknown) => {
      permit?.cancel();
      throw failure;
    });
    if (run.key === key) return { key, permit };
    permit?.cancel();
  }
}

async function pass(run: Run, call: GateCall, limits: Limits, key: string): Promise<GatePermit | undefined> {
  const gate = gateOf(run, key);
  if (gate === undefined) return undefined;
  const { clock } = run.config;
  const began = clock.monotonic();
  const waitUntil = Math.min(began + limits.maxWait - run.waited, limits.deadline);
  const asked = run.config.rateLimit && run.config.rateLimit.gate === undefined ? gate : foreign(gate);
  const permit = await (waitUntil === Infinity ? asked.acquire(call) : acquireUntil(asked, call, run, waitUntil - began, waitUntil));
  run.waited += clock.monotonic() - began;
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
        if (call.signal?.aborted || failure instanceof GateRefusal) throw failure;
        throw new OwnFailure('rateLimit.gate failed', failure);
      }
    },
  };
}

/** Gives up at the moment until which the call may wait, whatever the gate knows of it. */
function acquireUntil(
  gate: Pick<RateLimitGate, 'acquire'>,
  call: GateCall,
  run: Run,
  left: number,
  waitUntil: number,
): Promise<GatePermit> {
  const late = new AbortController();
  const acquired = gate.acquire(Object.assign(call, { waitUntil, signal: late.signal }));
  return bounded(run, left, () => new GateRefusal('wait', undefined), late, acquired);
}

function gateOf({ config }: Run, key: string): RateLimitGate | undefined {
  const { rateLimit, clock, fetch, origin } = config;
  if (rateLimit === false) return undefined;
  const gate: RateLimitGate = rateLimit.gate ?? sharedGate(origin, key, clock, fetch, clock === systemClock);
  if (rateLimit.perMinute !== undefined) gate.expect?.(rateLimit.perMinute);
  return gate;
}

/** Asks the key function; gives up waiting for it when the caller does, or when the time of the whole call is over. */
async function askKey(run: Run, limits: Limits, apiKey: () => string | Promise<string>): Promise<string> {
  const key: unknown = await untilDeadline(run, limits, async () => {
    try {
      return await apiKey();
    } catch (failure) {
      throw new OwnFailure(`the function apiKey failed (${kindOf(failure)}); what it says is not shown, for it may hold the key`);
    }
  });
  const problem = keyProblem(key);
  if (problem !== undefined) throw new OwnFailure(`the function apiKey gave a key that cannot be sent: ${problem}`);
  run.keys.add(key as string);
  return key as string;
}

/** `SyntaxError`, or `Error ENOENT`: what can be told of a failure without its message. */
function kindOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'with no error';
  const { code } = failure as { code?: unknown };
  return typeof code === 'string' ? `${failure.name} ${code}` : failure.name;
}
