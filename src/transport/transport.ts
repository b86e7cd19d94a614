import { admit } from './acquire-permit.js';
import { throwIfAborted } from '../utils/clock.js';
import type { Config } from '../options/config.js';
import type { Deprecation } from '../contract/operations.js';
import { Emitter } from '../events/emitter.js';
import type { PetStoreEvent } from '../events/events.js';
import { exchange, Expired, type Answer } from '../http/fetch.js';
import { Refused } from '../http/failures.js';
import { boundOf, limitsOf, signalOf, type Limits } from '../options/request-options.js';
import type { RequestOptions, Validation } from '../options/options.js';
import { untilDeadline } from './patience.js';
import { isHarmless, type PreparedRequest } from '../http/build-request.js';
import { readRateLimit, readWait } from '../rate-limit/headers.js';
import type { GateCall, GatePermit, HoldChange, RateLimit } from '../rate-limit/types.js';
import type { WithResponse } from '../http/response-promise.js';
import { backoff, isCurable, RetryQuota } from './retry.js';
import { Run } from './call-context.js';
import { KeyRing } from '../errors/redact.js';
import { toError } from './to-error.js';

/** Reports something that the contract does not know. */
export type ReportDrift = (kind: 'field' | 'status', value: string) => void;

/** A call to the service that is ready to begin. */
export interface Call<T> {
  readonly operation: string;
  /** Checks the arguments and builds the request. Throws a RequestValidationError. */
  readonly prepare: () => PreparedRequest;
  /** Parses the body of a success. Throws a BodyProblem. */
  readonly parse: (answer: Answer, validation: Validation, drift: ReportDrift | undefined) => T | Promise<T>;
  readonly deprecated: Deprecation | undefined;
}

/** 429s that one call takes before it is given up, so that one bad endpoint cannot block the others. */
const most429 = 5;
/** Drifts that a client remembers, so that each is reported once. */
const mostDrifts = 200;

/** The only way out: the gate, the attempts, the deadlines, and the one place where failures become errors. */
export class Transport {
  readonly config: Config;
  readonly emitter: Emitter;
  readonly #quota = new RetryQuota();
  readonly #drifts = new Set<string>();
  readonly #keys = new KeyRing();
  readonly #onHold = (change: HoldChange) => this.#reportHold(change);
  /** The quota, as the newest answer reported it. */
  rateLimit: RateLimit | undefined;

  constructor(config: Config) {
    this.config = config;
    this.emitter = new Emitter(config.onEvent);
    if (typeof config.apiKey === 'string') this.#keys.add(config.apiKey);
  }

  /** The whole of a call, top to bottom. Every attempt passes the gate; a retry goes back to the place of its call. */
  async send<T>(call: Call<T>, options: RequestOptions): Promise<WithResponse<T>> {
    const run = new Run(call.operation, this.config, signalOf(options), this.#keys, () => this.rateLimit);
    try {
      const limits = limitsOf(this.config, options);
      throwIfAborted(run.signal);
      run.request = call.prepare();
      if (call.deprecated !== undefined) this.#reportDeprecated(run, call.deprecated);
      const gateCall = this.#gateCall(run, limits);
      for (;;) {
        const { key, permit } = await admit(run, gateCall, limits);
        const outcome = await this.#attempt(run, run.request, key, permit, limits);
        if ('response' in outcome && outcome.response.ok) {
          this.#quota.giveBack();
          const { response } = outcome;
          const parsed = call.parse(outcome, limits.validation, this.#driftReporter(run));
          const data = parsed instanceof Promise ? await untilDeadline(run, limits, () => parsed) : parsed;
          return { data, response, rateLimit: run.reported, attempts: run.attempts };
        }
        const delay = this.#delay(run, outcome, isHarmless(run.request), limits);
        if (delay === undefined) throw 'response' in outcome ? new Refused(outcome) : outcome.failure;
        this.#emit(() => ({ type: 'retry', ...run.ids, attempt: run.attempts.length + 1, delay, reason: reasonOf(outcome) }));
        if (delay > 0) await this.config.clock.sleep(delay, run.signal);
      }
    } catch (failure) {
      throw toError(failure, run);
    }
  }

  /** One attempt: an answer, whatever its status, or why none came. */
  async #attempt(run: Run, request: PreparedRequest, key: string, permit: GatePermit | undefined, limits: Limits): Promise<Outcome> {
    const { clock, fetch } = this.config;
    const began = clock.monotonic();
    const waited = began - run.idleSince;
    const at = new Date(clock.now());
    const attempt = run.attempts.length + 1;
    let open = permit;
    this.#emit(() => ({
      type: 'request',
      ...run.ids,
      method: request.method,
      url: run.scrub.text(request.url),
      attempt,
      waited,
    }));
    const outcome = await exchange({
      request,
      key,
      headers: limits.headers,
      fetch,
      signal: run.signal,
      bound: boundOf(limits, began),
      onHeaders: ({ status, headers }) => {
        open = undefined;
        permit?.settle({ status, headers });
        run.reported = readRateLimit(headers);
        this.rateLimit = run.reported ?? this.rateLimit;
      },
    }).catch((failure: unknown): Outcome => ({ failure }));
    open?.lose();
    run.idleSince = clock.monotonic();
    const took = run.idleSince - began;
    const status = 'response' in outcome ? outcome.response.status : undefined;
    const failure = failureOf(outcome);
    if (status === 429) [run.refused, run.refusal] = [run.refused + 1, outcome as Answer];
    run.attempts.push({ status, failure, at, waited, took });
    this.#emit(() => ({
      type: 'response',
      ...run.ids,
      attempt,
      status,
      failure: run.signal?.aborted ? 'aborted' : failure,
      took,
      rateLimit: 'response' in outcome ? run.reported : undefined,
    }));
    throwIfAborted(run.signal);
    return outcome;
  }

  /** ms until the next attempt, 0 where the gate decides; `undefined` when there is none. */
  #delay(run: Run, outcome: Outcome, repeatable: boolean, limits: Limits): number | undefined {
    const { rateLimit, clock } = this.config;
    const response = 'response' in outcome ? outcome.response : undefined;
    if (response?.status === 429) return rateLimit === false || run.refused >= most429 ? undefined : 0;
    const tries = run.attempts.length - run.refused;
    const curable = response !== undefined ? isCurable(response.status) : !isFinal((outcome as { failure: unknown }).failure);
    if (!repeatable || !curable || tries > limits.retryLimit) return undefined;
    const told = response === undefined ? 0 : (readWait(response.headers, clock.now()) ?? 0);
    const delay = Math.max(told, backoff(tries, Math.random()));
    if (told > (rateLimit === false ? Infinity : rateLimit.maxHold) || clock.monotonic() + delay >= limits.deadline) return undefined;
    return this.#quota.take() ? delay : undefined;
  }

  #gateCall({ signal }: Run, { priority }: Limits): GateCall {
    const { maxHold = Infinity, maxQueue = Infinity, maxConcurrency = Infinity } = this.config.rateLimit || {};
    return { signal, priority, waitUntil: Infinity, maxHold, maxQueue, maxConcurrency, onHold: this.#onHold, place: undefined };
  }

  #emit(make: () => PetStoreEvent): void {
    if (this.emitter.active) this.emitter.emit(make());
  }

  #reportHold(change: HoldChange): void {
    this.#emit(() => {
      if (change.type === 'resume') return { type: 'rate-limit-resume' };
      const { delay, told } = change;
      return { type: 'rate-limit-hold', delay, told, until: new Date(this.config.clock.now() + delay) };
    });
  }

  #reportDeprecated(run: Run, { removedOn, replacement }: Deprecation): void {
    this.#emit(() => ({ type: 'deprecated', ...run.ids, removedOn, replacement }));
  }

  /** Nothing is looked for while nobody listens. */
  #driftReporter(run: Run): ReportDrift | undefined {
    if (!this.emitter.active) return undefined;
    return (kind, found) => {
      const value = run.scrub.text(found).slice(0, 100);
      const name = `${kind} ${value}`;
      if (this.#drifts.has(name) || this.#drifts.size >= mostDrifts) return;
      this.#drifts.add(name);
      this.emitter.emit({ type: 'drift', ...run.ids, kind, value });
    };
  }
}

/** An answer, whatever its status, or why none came. */
type Outcome = Answer | { readonly failure: unknown };

function failureOf(outcome: Outcome): 'connection' | 'timeout' | 'body' | undefined {
  if ('response' in outcome) return outcome.problem === undefined ? undefined : 'body';
  return kindOf(outcome.failure);
}

function kindOf(failure: unknown): 'connection' | 'timeout' {
  return failure instanceof Expired ? 'timeout' : 'connection';
}

/** When the whole call's time is over, no other attempt follows. */
function isFinal(failure: unknown): boolean {
  return failure instanceof Expired && failure.bound.name === 'totalTimeout';
}

function reasonOf(outcome: Outcome): string {
  return 'response' in outcome ? String(outcome.response.status) : kindOf(outcome.failure);
}
