import type { Call } from '../call/call.js';
import { ConfigurationError } from '../errors/errors.js';
import { fieldsOf } from '../errors/redact.js';
import { sharedGate } from '../gate/shared-gates.js';
import { keyProblem } from '../options/api-key.js';
import { checkGate } from '../options/config.js';
import { GateRefusedError, type GateCall, type GatePermit } from '../rate-limit/types.js';
import { ignoreFailure, untilAborted } from '../utils/abort.js';
import { systemClock } from '../utils/clock.js';

/** A key that waited longer than this at the gate, in ms, may have expired. */
const maxKeyAge = 1_000;
/** How many keys a call asks for, if each wait makes its key old again. Each later attempt asks for one more. */
const maxKeys = 1_000;

/**
 * Acquires a permit from the gate of the key, `undefined` if the client has no gate. Calls a key function first, and again after a long wait, for
 * which the permit is given back.
 */
export async function acquirePermit(call: Call): Promise<GatePermit | undefined> {
  const { apiKey, clock, gate } = call.config;
  for (;;) {
    if (typeof apiKey === 'function') await requestKey(call, apiKey);
    if (gate === false) return undefined;
    const began = clock.monotonic();
    const permit = await passGate(call, began).finally(() => {
      call.endWait();
      call.waitedForLimit += clock.monotonic() - began;
    });
    const isFresh = clock.monotonic() - began < maxKeyAge;
    if (isFresh || typeof apiKey === 'string' || call.keys.length >= maxKeys) return permit;
    ignoreFailure(() => permit.cancel());
  }
}

/** Stops when the call may not wait any longer, whatever the gate does, because a gate of the caller may ignore its signal, or fail. */
async function passGate(call: Call, began: number): Promise<GatePermit> {
  const { gate, clock, fetch, origin, maxWait, maxHold, priority, signal } = call.config;
  const apiKey = call.keys.at(-1) as string;
  const waitUntil = Math.min(began + maxWait - call.waitedForLimit, call.deadline);
  const gateCall: GateCall = {
    signal,
    priority,
    waitUntil,
    maxHold,
    onWait: (cause) => call.beginWait(cause),
    onHold: call.config.emitter.onHold,
    place: call.number,
    // With its first key and no attempt, a call comes to a gate for the first time.
    isRetry: call.attempts.length + call.keys.length > 1,
  };
  let acquired = undefined as Promise<GatePermit> | undefined;
  try {
    const ownClock = clock === systemClock ? undefined : clock;
    const asked =
      typeof gate === 'function'
        ? checkGate(gate({ origin, apiKey, clock: ownClock }))
        : gate || sharedGate(origin, apiKey, clock, fetch);
    // A custom gate may not report waits.
    if (gate) call.beginWait(undefined);
    else if (waitUntil === Infinity) return await asked.acquire(gateCall);
    const over = () => new GateRefusedError('wait', undefined);
    const acquire = (signal: AbortSignal) =>
      (acquired = Promise.resolve(asked.acquire({ ...gateCall, signal })));
    return await untilAborted(signal, acquire, waitUntil - began, over);
  } catch (failure) {
    // A permit that arrives too late is not used.
    ignoreFailure(() => acquired?.then((permit) => permit.cancel()));
    if (failure instanceof GateRefusedError) throw failure;
    // The built-in gate fails only if a custom clock fails.
    throw new ConfigurationError(`the option ${gate ? 'gate' : 'clock'} failed`, {
      cause: failure,
    });
  }
}

/** Calls the key function. Stops waiting for it when the call is aborted, or after `totalTimeout`. */
async function requestKey(call: Call, apiKey: () => string | Promise<string>): Promise<void> {
  const key: unknown = await call.within(async () => {
    try {
      return await apiKey();
    } catch (failure) {
      throw new ConfigurationError(
        `the function apiKey failed (${safeErrorName(failure)}); its message is not shown, because it may contain the key`,
      );
    }
  });
  const problem = keyProblem(key);
  if (problem !== undefined)
    throw new ConfigurationError(`the function apiKey gave a key that cannot be sent: ${problem}`);
  call.keys.push(key as string);
}

/** An unusual name or code may contain the key, which is not known yet. */
const usual = /^(?:(?:[A-Z][A-Za-z]{0,30})?(?:Error|Exception)|E[A-Z]{2,12}|(?:UND_)?ERR_[A-Z_]+)$/;

/** `SyntaxError`, or `Error ENOENT`: what can be said of a failure without its message. */
function safeErrorName(failure: unknown): string {
  const { name, code } = fieldsOf(Object(failure) as object);
  const shown = [name, code].filter((text) => typeof text === 'string' && usual.test(text));
  return shown.join(' ') || 'unusual error';
}
