import type { Operation } from '../contract/operations.js';
import { Call } from '../call/call.js';
import { requestIdOf } from '../call/status-error.js';
import { toError } from '../call/to-error.js';
import type { Attempt, RateLimitReason } from '../errors/errors.js';
import { singleLine } from '../errors/redact.js';
import type { CallEndEvent } from '../events/events.js';
import { warnDeprecated } from '../events/notices.js';
import { buildRequest, type HttpRequest, type Target } from '../http/build-request.js';
import { DeadlineExceeded, ResponseFailure, unsentRequest } from '../http/failures.js';
import { fetchResponse, readBody, requestInit, type RawResponse } from '../http/fetch.js';
import { parseRawResponse, parseResponse } from '../http/parse-response.js';
import { configureCall, type Config } from '../options/config.js';
import type { RequestOptions } from '../options/options.js';
import { readRateLimit } from '../rate-limit/headers.js';
import type { GatePermit, RateLimit } from '../rate-limit/types.js';
import { ignoreFailure, throwIfAborted } from '../utils/abort.js';
import { acquirePermit } from './permit.js';
import { RetryPolicy } from './retry.js';

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

/** The times of an attempt, and why it waited. */
type Times = Omit<Attempt, 'status' | 'failure'>;

/** The event before an attempt that follows another one. */
function retryEvent({ status, failure }: Attempt, attempt: number, delay: number) {
  const reason = String(failure === 'timeout' ? failure : (status ?? failure));
  return { type: 'retry', attempt, delay, reason } as const;
}

/** The number of drifts that a client remembers, so that each is reported once. */
const maxDrifts = 200;

/** Runs one call: waits for a permit, sends attempts, enforces deadlines, retries. All requests are sent from here; `to-error.ts` has the messages. */
export class Transport {
  readonly config: Config;
  /** The quota that the newest response reported. */
  rateLimit: RateLimit | undefined;
  readonly #retries = new RetryPolicy();
  readonly #drifts = new Set<string>();

  constructor(config: Config) {
    this.config = config;
  }

  /** Runs a whole call, from top to bottom. Every attempt waits at the gate. A retry keeps the call's position in the queue. */
  async send<T>(target: Target, options: RequestOptions | undefined): Promise<WithResponse<T>> {
    const { row } = target;
    const call = new Call(row?.name ?? 'request', this.config);
    let outcome: CallEndEvent['outcome'] = 'ok';
    let error: (Error & { readonly reason?: RateLimitReason }) | undefined;
    try {
      if (options !== undefined) {
        // In request('GET', '/pets'), the first mistake is the first argument.
        if (typeof (options as unknown) !== 'object') buildRequest(target, call.config);
        call.config = configureCall(this.config, options, row === undefined);
      }
      call.request = buildRequest(target, call.config);
      call.operation = call.request.name;
      throwIfAborted(call.config.signal);
      if (row?.deprecated !== undefined) {
        const { removedOn, replacement } = row.deprecated;
        warnDeprecated(row.name, row.deprecated);
        call.emit(() => ({ type: 'deprecated', removedOn, replacement }));
      }
      let raw: RawResponse | undefined;
      while (raw === undefined) raw = await this.#attempt(call, await acquirePermit(call));
      this.#retries.succeeded();
      const data = (await this.#parse(call, row, raw)) as T;
      const { rateLimit, attempts } = call;
      return { data, response: raw.response, rateLimit, attempts };
    } catch (failure) {
      // An abort rejects with its own reason.
      outcome = 'aborted';
      throwIfAborted(call.config.signal);
      outcome = 'error';
      call.rateLimit = this.rateLimit;
      error = toError(failure, call);
      throw error;
    } finally {
      call.config.release();
      call.emit(() => ({
        type: 'call-end',
        outcome,
        error: error?.name,
        reason: error?.reason,
        took: call.config.clock.monotonic() - call.beganAt,
        attempts: call.attempts.length,
      }));
    }
  }

  /** Makes one attempt, within `timeout` and the rest of `totalTimeout`. Returns a success, or `undefined` if another attempt follows. */
  async #attempt(call: Call, permit: GatePermit | undefined): Promise<RawResponse | undefined> {
    const { clock, fetch = globalThis.fetch, headers, timeout } = call.config;
    const request = call.request as HttpRequest;
    const { method, url } = request;
    const attempt = call.attempts.length + 1;
    const began = clock.monotonic();
    const waits = { waited: began - call.idleSince, cause: call.waitCause };
    const at = new Date(clock.now());
    let isSent = false as boolean;
    let raw = undefined as RawResponse | undefined;
    let failure: unknown;

    const work = async (signal: AbortSignal) => {
      const init = requestInit(request, call.keys.at(-1) as string, headers, attempt, signal);
      const response = await fetchResponse(url, () => {
        // Also after each event, because its listener may abort the call.
        throwIfAborted(signal);
        // If the event loop was blocked, the timer may not have run yet.
        if (clock.monotonic() >= call.deadline) throw new DeadlineExceeded('totalTimeout');
        const last = call.attempts.at(-1);
        if (last) call.emit(() => retryEvent(last, attempt, waits.waited));
        throwIfAborted(signal);
        isSent = true;
        call.emit(() => ({ type: 'request', method, url: call.redact(url), attempt, ...waits }));
        throwIfAborted(signal);
        return fetch(url, init);
      });
      // A fetch that ignores its signal may still return a response, after the attempt has ended and its permit was settled.
      throwIfAborted(signal);
      // The status is the result of a request, even if the rest of the body does not arrive.
      raw = { response, text: '', problem: 'cut short' };
      // A failing custom gate must not fail a request that was sent.
      ignoreFailure(() => permit?.settle({ status: response.status, headers: response.headers }));
      call.rateLimit = readRateLimit(response.headers);
      this.rateLimit = call.rateLimit ?? this.rateLimit;
      return readBody(response, signal);
    };
    await call.within(work, timeout || Infinity).then(
      (whole) => (raw = whole),
      (reason: unknown) => (failure = reason),
    );
    if (raw === undefined) ignoreFailure(() => (isSent ? permit?.lose() : permit?.cancel()));
    if (!isSent) throw failure;
    if (raw?.response.ok === false) failure = new ResponseFailure(raw);
    const took = clock.monotonic() - began;
    this.#record(call, raw, failure, { at, ...waits, took });
    throwIfAborted(call.config.signal);
    if (raw && failure === undefined) return raw;
    if (await this.#retries.pause(call, failure)) return undefined;
    throw failure;
  }

  /** Adds an attempt to the call, and reports it. */
  #record(call: Call, raw: RawResponse | undefined, reason: unknown, times: Times): void {
    call.idleSince = call.config.clock.monotonic();
    call.waitCause = undefined;
    const response = raw?.response;
    const status = response?.status;
    const problem = raw === undefined ? 'connection' : raw.problem && 'body';
    const failure = reason instanceof DeadlineExceeded ? 'timeout' : problem;
    if (raw !== undefined && status === 429) call.rateLimited.push(raw);
    else if (response !== undefined || unsentRequest(reason) === undefined)
      call.requestSent = 'unknown';
    call.attempts.push({ status, failure, ...times });
    call.emit(() => ({
      type: 'response',
      attempt: call.attempts.length,
      status,
      failure: call.config.signal?.aborted ? 'aborted' : failure,
      took: times.took,
      rateLimit: response && call.rateLimit,
      requestId: response && requestIdOf(response, call),
    }));
  }

  /** Parses a success. Reports each field or status that the contract lacks once. */
  #parse(call: Call, row: Operation | undefined, raw: RawResponse): unknown {
    const { int64, validation, emitter } = call.config;
    if (row === undefined)
      return call.within(() => parseRawResponse(call.request as HttpRequest, raw, int64));
    const onDrift = (kind: 'field' | 'status', found: string) => {
      const value = singleLine(call.redact(found, 100));
      const drift = `${kind} ${value}`;
      if (this.#drifts.has(drift) || this.#drifts.size >= maxDrifts) return;
      this.#drifts.add(drift);
      call.emit(() => ({ type: 'drift', kind, value }));
    };
    return parseResponse(row, raw, { int64, validation, ...(emitter.isObserved && { onDrift }) });
  }
}

/** Adds `withResponse()`. If only that is used, the promise of the data causes no unhandled rejection. */
export function responsePromise<T>(result: Promise<WithResponse<T>>): ResponsePromise<T> {
  const data = result.then(({ data }) => data);
  const withResponse = () => {
    data.catch(() => undefined);
    // This promise is new, so no handler of its rejection exists yet.
    return result.then((whole) => whole);
  };
  return Object.assign(data, { withResponse });
}
