import type { Operation } from '../contract/operations.js';
import { Redactor } from '../errors/redact.js';
import { ApiError } from '../errors/api-errors.js';
import { Emitter } from '../events/emitter.js';
import type { PetStoreEvent, ReportDrift } from '../events/events.js';
import { warnDeprecated } from '../events/notices.js';
import {
  buildRequest,
  isSafeMethod,
  nameOf,
  type HttpRequest,
  type Target,
} from '../http/build-request.js';
import { DeadlineExceeded, isFinal, kindOf, unconnectedCode } from '../http/failures.js';
import { fetchResponse, requestHeaders, type RawResponse } from '../http/fetch.js';
import { parseRawResponse, parseResponse } from '../http/parse-response.js';
import type { WithResponse } from '../http/response-promise.js';
import type { Config } from '../options/config.js';
import type { RequestOptions } from '../options/options.js';
import { resolveRequestOptions, signalOf } from '../options/request-options.js';
import { readRateLimit, readWait } from '../rate-limit/headers.js';
import type { GatePermit, HoldChange, RateLimit } from '../rate-limit/types.js';
import { throwIfAborted, withDeadline } from '../utils/abort.js';
import { singleton } from '../utils/singleton.js';
import { acquirePermit, returnPermit, settlePermit } from './acquire-permit.js';
import { toApiError } from './to-api-error.js';
import {
  eventIds,
  lastReason,
  requestIdOf,
  totalTimeoutExceeded,
  withTotalTimeout,
  type CallContext,
} from './call-context.js';
import { backoff, retryableStatuses, retryBudget } from './retry.js';
import { to429Error } from './to-rate-limit-error.js';
import { toError } from './to-error.js';

/** The result of one attempt: a response, whatever its status, or the reason why there is none. */
interface Outcome {
  readonly raw?: RawResponse;
  readonly failure?: unknown;
}

/** The number of 429s after which a call ends, so that one bad endpoint cannot block the others. */
const maxRateLimitedAttempts = 5;
/** The number of drifts that a client remembers, so that each is reported once. */
const maxDrifts = 200;

/** The number of calls so far. The two builds share it, because one listener may receive the events of both. */
let calls: { count: number } | undefined;

/** Runs one call: waits for a permit, sends attempts, enforces deadlines, retries. All requests are sent from here; the error messages are in `to-*.ts`. */
export class Transport {
  readonly config: Config;
  /** The quota that the newest response reported. */
  rateLimit: RateLimit | undefined;
  readonly #emitter: Emitter;
  readonly #redactor = new Redactor();
  readonly #onHold = (change: HoldChange) => this.#reportHold(change);
  /** Spares most calls the search in the notices of the process. */
  readonly #warned = new Set<string>();
  readonly #drifts = new Set<string>();
  #retryBudgetLeft: number = retryBudget.capacity;

  constructor(config: Config) {
    this.config = config;
    this.#emitter = new Emitter(config.listeners);
    if (typeof config.apiKey === 'string') this.#redactor.add(config.apiKey);
  }

  /** Runs a whole call, from top to bottom. Every attempt waits at the gate. A retry keeps the call's position in the queue. */
  async send<T>(target: Target<T>, options: RequestOptions | undefined): Promise<WithResponse<T>> {
    const { int64, clock, request: defaults } = this.config;
    const context = this.#begin(target, options);
    try {
      if (options !== undefined) context.options = resolveRequestOptions(options, defaults);
      const { totalTimeout, validation } = context.options;
      if (totalTimeout !== false) context.deadline = context.idleSince + totalTimeout;
      throwIfAborted(context.signal);
      const request = (context.request = buildRequest(target, this.config));
      if (target.row !== undefined) this.#reportMarkers(context, target.row);
      for (;;) {
        const acquired = acquirePermit(context);
        const { key, permit } = acquired instanceof Promise ? await acquired : acquired;
        const outcome = await this.#attempt(context, key, permit);
        const { raw, failure } = outcome;
        if (raw?.response.ok) {
          this.#retryBudgetLeft = Math.min(retryBudget.capacity, this.#retryBudgetLeft + 1);
          const drift = this.#driftReporter(context);
          const data =
            target.row === undefined
              ? await withTotalTimeout(context, () => parseRawResponse<T>(request, raw, int64))
              : (parseResponse(target.row, raw, int64, validation, drift) as T);
          const { attempts, reported } = context;
          return { data, response: raw.response, rateLimit: reported, attempts };
        }
        const delay = this.#retryDelay(outcome, context);
        if (delay === undefined) {
          if (raw === undefined) throw failure;
          throw raw.response.status === 429 ? to429Error(raw, context) : toApiError(raw, context);
        }
        this.#emit(() => ({
          type: 'retry',
          ...eventIds(context),
          attempt: context.attempts.length + 1,
          delay,
          reason: lastReason(context),
        }));
        if (delay > 0) await clock.sleep(delay, context.signal);
      }
    } catch (failure) {
      throw failure instanceof ApiError ? failure : toError(failure, context, this.rateLimit);
    } finally {
      for (const key of context.usedKeys) this.#redactor.release(key);
    }
  }

  #begin(target: Target<unknown>, options: RequestOptions | undefined): CallContext {
    return {
      operation: nameOf(target),
      number: ++(calls ??= singleton('calls', () => ({ count: 0 }))).count,
      config: this.config,
      signal: options === undefined ? undefined : signalOf(options),
      redactor: this.#redactor,
      onHold: this.#onHold,
      options: this.config.request,
      deadline: Infinity,
      request: undefined,
      key: undefined,
      usedKeys: [],
      attempts: [],
      rateLimitResponse: undefined,
      rateLimitedCount: 0,
      isUnsure: false,
      reported: undefined,
      waited: 0,
      idleSince: this.config.clock.monotonic(),
    };
  }

  /** Makes one attempt, within `timeout` and the rest of `totalTimeout`. Throws when nothing was sent. */
  async #attempt(
    context: CallContext,
    key: string,
    permit: GatePermit | undefined,
  ): Promise<Outcome> {
    const { clock } = this.config;
    const request = context.request as HttpRequest;
    const { method, url } = request;
    const { timeout, headers: sources } = context.options;
    const began = clock.monotonic();
    const at = new Date(clock.now());
    const waited = began - context.idleSince;
    const attempt = context.attempts.length + 1;
    let isSent = false as boolean;
    let received = undefined as Response | undefined;

    const onSend = () => {
      // If the event loop was blocked, the timer may not have run yet.
      if (context.deadline < Infinity && clock.monotonic() >= context.deadline)
        throw totalTimeoutExceeded(context);
      isSent = true;
      this.#emit(() => ({
        type: 'request',
        ...eventIds(context),
        method,
        url: context.redactor.text(url),
        attempt,
        waited,
      }));
    };
    const onHeaders = (response: Response) => {
      received = response;
      settlePermit(permit, response);
      context.reported = readRateLimit(response.headers);
      this.rateLimit = context.reported ?? this.rateLimit;
    };
    const send = (signal: AbortSignal) => {
      const { operation } = context;
      const headers = requestHeaders(sources, { operation, attempt, method, url });
      return fetchResponse(this.config, { request, key, headers, signal, onSend, onHeaders });
    };
    const left = context.deadline - began;
    const [ms, exceeded] =
      timeout === false || timeout >= left
        ? [left, () => totalTimeoutExceeded(context)]
        : [timeout, () => new DeadlineExceeded('timeout', timeout)];
    const outcome = await withDeadline(context.signal, ms, exceeded, send).then(
      (raw): Outcome => ({ raw }),
      (failure: unknown): Outcome =>
        // The status is the result of the request, even if the rest of the body does not arrive.
        received === undefined || received.ok
          ? { failure }
          : { raw: { response: received, text: '', problem: 'cut short' } },
    );
    if (!isSent) {
      returnPermit(permit, 'cancel');
      throw outcome.failure;
    }
    if (received === undefined) returnPermit(permit, 'lose');
    this.#record(context, outcome, at, waited, began);
    throwIfAborted(context.signal);
    return outcome;
  }

  #record(
    context: CallContext,
    { raw, failure: reason }: Outcome,
    at: Date,
    waited: number,
    began: number,
  ): void {
    context.idleSince = this.config.clock.monotonic();
    const took = context.idleSince - began;
    const status = raw?.response.status;
    const failure = raw === undefined ? kindOf(reason) : raw.problem && 'body';
    if (status === 429) {
      context.rateLimitedCount += 1;
      context.rateLimitResponse = raw;
    } else if (raw !== undefined || unconnectedCode(reason) === undefined) context.isUnsure = true;
    context.attempts.push({ status, failure, at, waited, took });
    this.#emit(() => ({
      type: 'response',
      ...eventIds(context),
      attempt: context.attempts.length,
      status,
      failure: context.signal?.aborted ? 'aborted' : failure,
      took,
      rateLimit: raw && context.reported,
      requestId: raw && requestIdOf(raw.response, context.redactor),
    }));
  }

  /** ms until the next attempt; 0 if the gate decides; `undefined` if there is no next attempt. */
  #retryDelay({ raw, failure }: Outcome, context: CallContext): number | undefined {
    const { rateLimit, clock } = this.config;
    const { options, attempts, rateLimitedCount, deadline } = context;
    if (raw?.response.status === 429)
      return rateLimit === false || rateLimitedCount >= maxRateLimitedAttempts ? undefined : 0;
    const attemptCount = attempts.length - rateLimitedCount;
    const isTemporary =
      raw === undefined ? !isFinal(failure) : retryableStatuses.has(raw.response.status);
    const mayRetry = attemptCount <= options.retry && this.#retryBudgetLeft >= retryBudget.cost;
    if (!isTemporary || !mayRetry || !isSafeMethod(context.request)) return undefined;
    const fromServer = raw === undefined ? 0 : (readWait(raw.response.headers, clock.now()) ?? 0);
    const delay = Math.max(fromServer, backoff(attemptCount, Math.random()));
    const longest = Math.min(options.maxHold, Math.max(0, options.maxWait - context.waited));
    if (fromServer > longest || clock.monotonic() + delay >= deadline) return undefined;
    this.#retryBudgetLeft -= retryBudget.cost;
    return delay;
  }

  /** `false` if there is no listener, so that no event needs to be created. */
  get #isObserved(): boolean {
    const { listeners, channel } = this.#emitter;
    return listeners.length > 0 || channel?.hasSubscribers === true;
  }

  #emit(make: () => PetStoreEvent): void {
    if (this.#isObserved) this.#emitter.emit(make());
  }

  #reportHold(change: HoldChange): void {
    this.#emit(() => {
      if (change.type === 'resume') return { type: 'rate-limit-resume' };
      const { delay, fromServer } = change;
      const until = new Date(this.config.clock.now() + delay);
      return { type: 'rate-limit-hold', delay, fromServer, until };
    });
  }

  /** Reports that the contract marks an operation as deprecated, or as less than stable. */
  #reportMarkers(context: CallContext, { name, stability, deprecated }: Operation): void {
    if (stability !== 'stable')
      this.#emit(() => ({ type: 'unstable', ...eventIds(context), stability }));
    if (deprecated === undefined) return;
    if (!this.#warned.has(name)) warnDeprecated(name, deprecated);
    this.#warned.add(name);
    const { removedOn, replacement } = deprecated;
    this.#emit(() => ({
      type: 'deprecated',
      ...eventIds(context),
      removedOn,
      replacement,
    }));
  }

  /** Reports each unknown field and status once. Without a listener, it does nothing. */
  #driftReporter(context: CallContext): ReportDrift | undefined {
    if (!this.#isObserved) return undefined;
    return (kind, found) => {
      const value = context.redactor.text(found, 100);
      if (this.#drifts.has(`${kind} ${value}`) || this.#drifts.size >= maxDrifts) return;
      this.#drifts.add(`${kind} ${value}`);
      this.#emit(() => ({ type: 'drift', ...eventIds(context), kind, value }));
    };
  }
}
