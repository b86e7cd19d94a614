import type { Operation } from '../contract/operations.js';
import type { Attempt, RateLimitError } from '../errors/errors.js';
import { singleLine } from '../errors/redact.js';
import { Emitter } from '../events/emitter.js';
import type { CallEndEvent } from '../events/events.js';
import { warnDeprecated } from '../events/notices.js';
import { buildRequest, nameOf, type HttpRequest, type Target } from '../http/build-request.js';
import { CallbackError, DeadlineExceeded, unsentRequest } from '../http/failures.js';
import { fetchResponse, requestHeaders, ResponseFailure, type RawResponse } from '../http/fetch.js';
import { parseRawResponse, parseResponse } from '../http/parse-response.js';
import { configureCall, type Config } from '../options/config.js';
import type { RequestOptions } from '../options/options.js';
import { readRateLimit } from '../rate-limit/headers.js';
import type { GatePermit, HoldChange, RateLimit } from '../rate-limit/types.js';
import { ignoreFailure, throwIfAborted, withDeadline } from '../utils/abort.js';
import { acquirePermit, watchWait } from './acquire-permit.js';
import { CallContext } from '../call/call-context.js';
import { requestIdOf } from '../call/describe-status.js';
import { RetryPolicy, type Pause } from './retry.js';
import { toError } from '../call/to-error.js';

/** The parsed response, together with the raw one and the attempts. */
export interface WithResponse<T> {
  /** The result of the call. */
  readonly data: T;
  /** The response of the service; its body has been read. */
  readonly response: Response;
  /** The quota that this response reported; `undefined` if a header was missing or invalid. */
  readonly rateLimit: RateLimit | undefined;
  /** Every attempt of the call. The last one was successful. */
  readonly attempts: readonly Attempt[];
}

/**
 * The promise that each method returns: of the parsed response, with a way to the raw one.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 *
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
 * const { data, rateLimit } = await client.listPets().withResponse();
 * console.log(data.length, rateLimit?.remaining); // 0 59
 * ```
 */
export interface ResponsePromise<T> extends Promise<T> {
  /** Resolves to the parsed response, the raw `Response`, the quota and the attempts. Rejects as the promise itself does. */
  withResponse(): Promise<WithResponse<T>>;
}

/** The result of one attempt: a response, whatever its status, or the reason why there is none that can be read. */
interface Outcome {
  readonly raw?: RawResponse;
  readonly failure?: unknown;
}

/** The number of drifts that a client remembers, so that each is reported once. */
const maxDrifts = 200;

/** Runs one call: waits for a permit, sends attempts, enforces deadlines, retries. All requests are sent from here; `to-error.ts` has the messages. */
export class Transport {
  readonly config: Config;
  /** The quota that the newest response reported. */
  rateLimit: RateLimit | undefined;
  readonly #emitter: Emitter;
  readonly #retries = new RetryPolicy();
  readonly #drifts = new Set<string>();
  readonly #onHold = (change: HoldChange) => this.#reportHold(change);

  constructor(config: Config) {
    this.config = config;
    this.#emitter = new Emitter(config.listeners);
  }

  /** Runs a whole call, from top to bottom. Every attempt waits at the gate. A retry keeps the call's position in the queue. */
  async send<T>(target: Target<T>, options: RequestOptions | undefined): Promise<WithResponse<T>> {
    const { row } = target;
    const context = new CallContext(this.config, this.#emitter, this.#onHold);
    let outcome: CallEndEvent['outcome'] = 'error';
    let error: unknown;
    try {
      context.operation = nameOf(target);
      if (options !== undefined)
        context.config = configureCall(this.config, options, row === undefined);
      context.listen();
      context.request = buildRequest(target, context.config);
      if (row?.deprecated !== undefined) this.#reportDeprecated(context, row.deprecated);
      for (;;) {
        // After a 429 there is no pause, and the call waits here, at the gate, which has learned of the 429 from the response.
        const permit = await acquirePermit(context);
        if (context.attempts.length > 0) this.#reportRetry(context);
        const { raw, failure } = await this.#attempt(context, permit);
        if (raw?.response.ok) {
          this.#retries.succeeded();
          const data = (await this.#parse(context, row, raw)) as T;
          outcome = 'ok';
          const { attempts, rateLimit } = context;
          return { data, response: raw.response, rateLimit, attempts };
        }
        const pause = this.#retries.next(context, raw?.response, failure);
        if (pause === undefined) throw raw === undefined ? failure : new ResponseFailure(raw);
        if (pause.ms > 0) await sleep(context, pause);
      }
    } catch (failure) {
      if (context.signal?.aborted) outcome = 'aborted';
      error = toError(failure, context, this.rateLimit);
      throw error;
    } finally {
      context.release();
      this.#reportEnd(context, outcome, error);
    }
  }

  /** Makes one attempt, within `timeout` and the rest of `totalTimeout`. Throws when nothing was sent. */
  async #attempt(context: CallContext, permit: GatePermit | undefined): Promise<Outcome> {
    const { config, key, operation, deadline } = context;
    const { clock } = config;
    const request = context.request as HttpRequest;
    const { method, url } = request;
    const attempt = context.attempts.length + 1;
    const began = clock.monotonic();
    const waits = { waited: began - context.idleSince, cause: context.waitCause };
    const at = new Date(clock.now());
    let isSent = false as boolean;
    let received = undefined as Response | undefined;

    const onSend = () => {
      // If the event loop was blocked, the timer may not have run yet.
      if (clock.monotonic() >= deadline) throw context.totalTimeoutExceeded();
      isSent = true;
      context.emit(() => ({
        type: 'request',
        method,
        url: context.text(url),
        attempt,
        ...waits,
      }));
    };
    const onHeaders = (response: Response) => {
      received = response;
      this.#learn(context, permit, response);
    };
    const send = (signal: AbortSignal) => {
      const headers = requestHeaders(config.headers, { operation, attempt, method, url });
      return fetchResponse(config, { request, key, headers, signal, onSend, onHeaders });
    };
    const [ms, exceeded] = boundOf(context, began);
    const outcome = await withDeadline(context.signal, ms, exceeded, send).then(
      (raw): Outcome => ({ raw }),
      (failure: unknown): Outcome => outcomeOfFailure(failure, received),
    );
    if (!isSent) {
      ignoreFailure(() => permit?.cancel());
      throw outcome.failure;
    }
    if (received === undefined) ignoreFailure(() => permit?.lose());
    const took = clock.monotonic() - began;
    this.#record(context, outcome, received, { at, ...waits, took });
    throwIfAborted(context.signal);
    return outcome;
  }

  #learn(context: CallContext, permit: GatePermit | undefined, response: Response): void {
    const { status, headers } = response;
    // What was sent is sent, whatever a gate of the caller's own does.
    ignoreFailure(() => permit?.settle({ status, headers }));
    context.rateLimit = readRateLimit(headers);
    this.rateLimit = context.rateLimit ?? this.rateLimit;
  }

  /** Adds an attempt to the call, and reports it. */
  #record(
    context: CallContext,
    { raw, failure: reason }: Outcome,
    received: Response | undefined,
    times: Pick<Attempt, 'at' | 'waited' | 'cause' | 'took'>,
  ): void {
    context.idleSince = context.config.clock.monotonic();
    context.waitCause = undefined;
    const status = received?.status;
    const kind = reason instanceof DeadlineExceeded ? 'timeout' : 'connection';
    const failure = raw === undefined ? kind : raw.problem && 'body';
    if (status === 429) context.rateLimitResponse = raw;
    else if (received !== undefined || unsentRequest(reason) === undefined) context.isUnsure = true;
    context.attempts.push({ status, failure, ...times });
    context.emit(() => ({
      type: 'response',
      attempt: context.attempts.length,
      status,
      failure: context.signal?.aborted ? 'aborted' : failure,
      took: times.took,
      rateLimit: received && context.rateLimit,
      requestId: received && requestIdOf(received, context),
    }));
  }

  /** Parses a success. What the contract does not know is an event, once each. */
  #parse(context: CallContext, row: Operation | undefined, raw: RawResponse): unknown {
    const { int64, validation } = context.config;
    if (row === undefined)
      return context.within(() => parseRawResponse(context.request as HttpRequest, raw, int64));
    const onDrift = (kind: 'field' | 'status', found: string) => {
      const value = singleLine(context.text(found, 100));
      if (this.#drifts.has(`${kind} ${value}`) || this.#drifts.size >= maxDrifts) return;
      this.#drifts.add(`${kind} ${value}`);
      context.emit(() => ({ type: 'drift', kind, value }));
    };
    const isObserved = this.#emitter.isObserved;
    return parseResponse(row, raw, {
      int64,
      validation,
      onDrift: isObserved ? onDrift : undefined,
    });
  }

  #reportDeprecated(context: CallContext, deprecated: NonNullable<Operation['deprecated']>): void {
    const { removedOn, replacement } = deprecated;
    warnDeprecated(context.operation, deprecated);
    context.emit(() => ({ type: 'deprecated', removedOn, replacement }));
  }

  #reportRetry(context: CallContext): void {
    const { status, failure } = context.attempts.at(-1) as Attempt;
    const delay = context.config.clock.monotonic() - context.idleSince;
    const attempt = context.attempts.length + 1;
    context.emit(() => ({
      type: 'retry',
      attempt,
      delay,
      reason: String(failure === 'timeout' ? failure : (status ?? failure)),
    }));
  }

  #reportHold(change: HoldChange): void {
    this.#emitter.emit(() => {
      if (change.type === 'resume') return { type: 'rate-limit-resume' };
      const { delay, fromServer, cause } = change;
      const until = new Date(this.config.clock.now() + delay);
      return { type: 'rate-limit-hold', delay, fromServer, until, cause };
    });
  }

  /** The last event of every call. */
  #reportEnd(context: CallContext, outcome: CallEndEvent['outcome'], error: unknown): void {
    const { name, reason } = (outcome === 'error' ? (error ?? {}) : {}) as Partial<RateLimitError>;
    context.emit(() => ({
      type: 'call-end',
      outcome,
      error: name,
      reason,
      took: context.config.clock.monotonic() - context.beganAt,
      attempts: context.attempts.length,
    }));
  }
}

/** Waits before a retry. What the service has stated is a wait for the rate limit: it counts for `maxWait`, and is shown. */
async function sleep(context: CallContext, { ms, stated }: Pause): Promise<void> {
  const wait = watchWait(context, false);
  if (stated > 0) {
    context.waitedForLimit += stated;
    wait.begin('overload');
  }
  try {
    await context.config.clock.sleep(ms, context.signal);
  } catch (failure) {
    throw new CallbackError('the option clock failed', failure);
  } finally {
    wait.end();
  }
}

/** How long an attempt may take, ms, and the failure after that: by `timeout`, or by the rest of `totalTimeout`. */
function boundOf(context: CallContext, began: number): readonly [number, () => DeadlineExceeded] {
  const { timeout } = context.config;
  const left = context.deadline - began;
  return timeout === false || timeout >= left
    ? [left, () => context.totalTimeoutExceeded()]
    : [timeout, () => new DeadlineExceeded('timeout', timeout)];
}

/** The status is the result of a request, even if the rest of the body does not arrive; a success without its body is of no use. */
function outcomeOfFailure(failure: unknown, received: Response | undefined): Outcome {
  return received === undefined || received.ok
    ? { failure }
    : { raw: { response: received, text: '', problem: 'cut short' } };
}

/** One call with two views. If only the second view is used, the rejection of the first is not an unhandled rejection. */
export function responsePromise<T>(result: Promise<WithResponse<T>>): ResponsePromise<T> {
  const data = result.then(({ data }) => data);
  const withResponse = () => {
    data.catch(() => undefined);
    // This promise is new, so no handler of its rejection exists yet.
    return result.then((whole) => whole);
  };
  return Object.assign(data, { withResponse });
}
