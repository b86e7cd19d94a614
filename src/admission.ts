import { systemClock } from './clock.js';
import { checkKey } from './config.js';
import { KeyFailure } from './failures.js';
import type { Limits } from './limits.js';
import { sharedGate } from './rate-limit/registry.js';
import { GateRefusal, type GateCall, type GatePermit, type RateLimitGate } from './rate-limit/types.js';
import type { Run } from './run.js';

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
  if (typeof apiKey === 'string') {
    run.keys.add(apiKey);
    return { key: apiKey, permit: await pass(run, call, limits, apiKey) };
  }
  let askedAt = run.key === undefined ? clock.monotonic() : -Infinity;
  run.key ??= await askKey(run, apiKey);
  for (;;) {
    const key: string = run.key;
    const permit = await pass(run, call, limits, key);
    if (clock.monotonic() - askedAt < keyAge) return { key, permit };
    askedAt = clock.monotonic();
    run.key = await askKey(run, apiKey).finally(() => (run.signal?.aborted ? permit?.cancel() : undefined));
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
  const permit = await (waitUntil === Infinity ? gate.acquire(call) : acquireUntil(gate, call, run, waitUntil - began, waitUntil));
  run.waited += clock.monotonic() - began;
  return permit;
}

/** Gives up at the moment until which the call may wait, whatever the gate knows of it. */
function acquireUntil(gate: RateLimitGate, call: GateCall, run: Run, left: number, waitUntil: number): Promise<GatePermit> {
  const late = new AbortController();
  const done = new AbortController();
  const giveUp = () => late.abort(new GateRefusal('wait', undefined));
  const signal = run.signal === undefined ? late.signal : AbortSignal.any([run.signal, late.signal]);
  const acquired = gate.acquire(Object.assign(call, { waitUntil, signal }));
  run.config.clock.sleep(Math.max(0, left), done.signal).then(giveUp, () => undefined);
  return acquired.finally(() => done.abort());
}

function gateOf({ config }: Run, key: string): RateLimitGate | undefined {
  const { rateLimit, clock, fetch, origin } = config;
  if (rateLimit === false) return undefined;
  const gate: RateLimitGate = rateLimit.gate ?? sharedGate(origin, key, clock, fetch, clock === systemClock);
  if (rateLimit.perMinute !== undefined) gate.expect?.(rateLimit.perMinute);
  return gate;
}

/** Asks the key function; gives up waiting for it when the caller does. */
async function askKey(run: Run, apiKey: () => string | Promise<string>): Promise<string> {
  const { signal } = run;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', stop, { once: true });
  });
  const asked = Promise.resolve()
    .then(apiKey)
    .catch((error: unknown) => Promise.reject(new KeyFailure(error)));
  const key: unknown = await Promise.race([asked, aborted]).finally(() => stop && signal?.removeEventListener('abort', stop));
  checkKey(key);
  run.keys.add(key);
  return key;
}
