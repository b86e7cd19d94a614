import { acquirePermit } from './acquire-permit.js';
import { throwIfAborted } from '../utils/clock.js';
import type { Config } from '../options/config.js';
import type { Deprecation } from '../contract/operations.js';
import { Emitter } from '../events/emitter.js';
import type { PetStoreEvent, ReportDrift } from '../events/events.js';
import { fetchResponse, DeadlineExceeded, type RawResponse } from '../http/fetch.js';
import type { ParseResponse } from '../http/parse-response.js';
import { HttpStatusFailure } from '../http/failures.js';
import {
  boundOf,
  resolveRequestOptions,
  signalOf,
  type ResolvedRequestOptions,
} from '../options/request-options.js';
import type { RequestOptions } from '../options/options.js';
import { untilDeadline } from './patience.js';
import { isSafeMethod, type HttpRequest } from '../http/build-request.js';
import { readRateLimit, readWait } from '../rate-limit/headers.js';
import type { GateCall, GatePermit, HoldChange, RateLimit } from '../rate-limit/types.js';
import type { WithResponse } from '../http/response-promise.js';
import { backoff, isRetryableStatus, RetryQuota } from './retry.js';
import { CallContext } from './call-context.js';
import { Redactor } from '../errors/redact.js';
import { toError } from './to-error.js';

/** A call to the service that is ready to begin. */
export interface Call<T> {
  readonly operation: string;
  /** Checks the arguments and builds the request. Throws a RequestValidationError. */
  readonly buildRequest: () => HttpRequest;
  readonly parse: ParseResponse<T>;
  readonly deprecated: Deprecation | undefined;
}

/** 429s that one call takes before it is ended up, so that one bad endpoint cannot block the others. */
const maxRateLimitRetries = 5;
/** Drifts that a client remembers, so that each is reported once. */
const mostDrifts = 200;

/** The only way out: the gate, the attempts, the deadlines, and the one place where failures become errors. */
export class Transport {
  readonly config: Config;
  readonly emitter: Emitter;
  readonly #quota = new RetryQuota();
  readonly #drifts = new Set<string>();
  readonly #redactor = new Redactor();
  readonly #onHold = (change: HoldChange) => this.#reportHold(change);
  /** The quota, as the newest answer reported it. */
  rateLimit: RateLimit | undefined;

  constructor(config: Config) {
    this.config = config;
    this.emitter = new Emitter(config.onEvent);
    if (typeof config.apiKey === 'string') this.#redactor.add(config.apiKey);
  }

  /** The whole of a call, top to bottom. Every attempt passes the gate; a retry goes back to the place of its call. */
  async send<T>(call: Call<T>, options: RequestOptions): Promise<WithResponse<T>> {
    const context = new CallContext(
      call.operation,
      this.config,
      signalOf(options),
      this.#redactor,
      () => this.rateLimit,
    );
    try {
      const limits = resolveRequestOptions(this.config, options);
      throwIfAborted(context.signal);
      context.request = call.buildRequest();
      if (call.deprecated !== undefined) this.#reportDeprecated(context, call.deprecated);
      for (;;) {
        const gateCall = this.#gateCall(context, limits);
        const { key, permit } = await acquirePermit(context, gateCall, limits);
        const outcome = await this.#attempt(context, context.request, key, permit, limits);
        if ('response' in outcome && outcome.response.ok) {
          this.#quota.giveBack();
          const { response } = outcome;
          const parsed = call.parse(outcome, limits.validation, this.#driftReporter(context));
          const data =
            parsed instanceof Promise ? await untilDeadline(context, limits, () => parsed) : parsed;
          return { data, response, rateLimit: context.reported, attempts: context.attempts };
        }
        const delay = this.#delay(context, outcome, isSafeMethod(context.request), limits);
        if (delay === undefined)
          throw 'response' in outcome ? new HttpStatusFailure(outcome) : outcome.failure;
        this.#emit(() => ({
          type: 'retry',
          ...context.ids,
          attempt: context.attempts.length + 1,
          delay,
          reason: reasonOf(outcome),
        }));
        if (delay > 0) await this.config.clock.sleep(delay, context.signal);
      }
    } catch (failure) {
      throw toError(failure, context);
    } finally {
      context.end();
    }
  }

  /** One attempt: an answer, whatever its status, or why none came. */
  async #attempt(
    context: CallContext,
    request: HttpRequest,
    key: string,
    permit: GatePermit | undefined,
    limits: ResolvedRequestOptions,
  ): Promise<Outcome> {
    const { clock, fetch } = this.config;
    const began = clock.monotonic();
    const waited = began - context.idleSince;
    const at = new Date(clock.now());
    const attempt = context.attempts.length + 1;
    let open = permit;
    let ended = false;
    this.#emit(() => ({
      type: 'request',
      ...context.ids,
      method: request.method,
      url: context.redactor.text(request.url),
      attempt,
      waited,
    }));
    const outcome = await fetchResponse({
      request,
      key,
      headers: limits.headers,
      fetch,
      signal: context.signal,
      bound: boundOf(limits, began),
      onHeaders: ({ status, headers }) => {
        // A fetch that ignores its signal may still answer. The attempt is over then, and its permit is used up.
        if (ended) return;
        open = undefined;
        permit?.settle({ status, headers });
        context.reported = readRateLimit(headers);
        this.rateLimit = context.reported ?? this.rateLimit;
      },
    }).catch((failure: unknown): Outcome => ({ failure }));
    ended = true;
    open?.lose();
    context.idleSince = clock.monotonic();
    const took = context.idleSince - began;
    const status = 'response' in outcome ? outcome.response.status : undefined;
    const failure = failureOf(outcome);
    if (status === 429)
      [context.rateLimitedCount, context.rateLimitResponse] = [
        context.rateLimitedCount + 1,
        outcome as RawResponse,
      ];
    context.attempts.push({ status, failure, at, waited, took });
    this.#emit(() => ({
      type: 'response',
      ...context.ids,
      attempt,
      status,
      failure: context.signal?.aborted ? 'aborted' : failure,
      took,
      rateLimit: 'response' in outcome ? context.reported : undefined,
    }));
    throwIfAborted(context.signal);
    return outcome;
  }

  /** ms until the next attempt, 0 where the gate decides; `undefined` when there is none. */
  #delay(
    context: CallContext,
    outcome: Outcome,
    repeatable: boolean,
    limits: ResolvedRequestOptions,
  ): number | undefined {
    const { rateLimit, clock } = this.config;
    const response = 'response' in outcome ? outcome.response : undefined;
    if (response?.status === 429)
      return rateLimit === false || context.rateLimitedCount >= maxRateLimitRetries ? undefined : 0;
    const attemptCount = context.attempts.length - context.rateLimitedCount;
    const curable =
      response !== undefined
        ? isRetryableStatus(response.status)
        : !isFinal((outcome as { failure: unknown }).failure);
    if (!repeatable || !curable || attemptCount > limits.retryLimit) return undefined;
    const fromServer = response === undefined ? 0 : (readWait(response.headers, clock.now()) ?? 0);
    const delay = Math.max(fromServer, backoff(attemptCount, Math.random()));
    if (
      fromServer > (rateLimit === false ? Infinity : rateLimit.maxHold) ||
      clock.monotonic() + delay >= limits.deadline
    )
      return undefined;
    return this.#quota.take() ? delay : undefined;
  }

  #gateCall(context: CallContext, { priority }: ResolvedRequestOptions): GateCall {
    const {
      maxHold = Infinity,
      maxQueue = Infinity,
      maxConcurrency = Infinity,
    } = this.config.rateLimit || {};
    return {
      signal: context.signal,
      priority,
      waitUntil: Infinity,
      maxHold,
      maxQueue,
      maxConcurrency,
      onHold: this.#onHold,
      place: context.number,
      returning: context.attempts.length > 0,
    };
  }

  #emit(make: () => PetStoreEvent): void {
    if (this.emitter.active) this.emitter.emit(make());
  }

  #reportHold(change: HoldChange): void {
    this.#emit(() => {
      if (change.type === 'resume') return { type: 'rate-limit-resume' };
      const { delay, fromServer } = change;
      return {
        type: 'rate-limit-hold',
        delay,
        fromServer,
        until: new Date(this.config.clock.now() + delay),
      };
    });
  }

  #reportDeprecated(context: CallContext, { removedOn, replacement }: Deprecation): void {
    this.#emit(() => ({ type: 'deprecated', ...context.ids, removedOn, replacement }));
  }

  /** Nothing is looked for while nobody listens. */
  #driftReporter(context: CallContext): ReportDrift | undefined {
    if (!this.emitter.active) return undefined;
    return (kind, found) => {
      const value = context.redactor.text(found).slice(0, 100);
      const name = `${kind} ${value}`;
      if (this.#drifts.has(name) || this.#drifts.size >= mostDrifts) return;
      this.#drifts.add(name);
      this.emitter.emit({ type: 'drift', ...context.ids, kind, value });
    };
  }
}

/** An answer, whatever its status, or why none came. */
type Outcome = RawResponse | { readonly failure: unknown };

function failureOf(outcome: Outcome): 'connection' | 'timeout' | 'body' | undefined {
  if ('response' in outcome) return outcome.problem === undefined ? undefined : 'body';
  return kindOf(outcome.failure);
}

function kindOf(failure: unknown): 'connection' | 'timeout' {
  return failure instanceof DeadlineExceeded ? 'timeout' : 'connection';
}

/** When the whole call's time is over, no other attempt follows. */
function isFinal(failure: unknown): boolean {
  return failure instanceof DeadlineExceeded && failure.bound.name === 'totalTimeout';
}

function reasonOf(outcome: Outcome): string {
  return 'response' in outcome ? String(outcome.response.status) : kindOf(outcome.failure);
}
