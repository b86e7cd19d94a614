import type { Attempt } from '../errors/errors.js';
import { redact, singleLine } from '../errors/redact.js';
import type { PetStoreEvent } from '../events/events.js';
import { warnOnce } from '../events/notices.js';
import type { HttpRequest } from '../http/build-request.js';
import { DeadlineExceeded } from '../http/failures.js';
import type { RawResponse } from '../http/fetch.js';
import type { Config } from '../options/config.js';
import type { RateLimit, WaitCause } from '../rate-limit/types.js';
import { untilAborted } from '../utils/abort.js';
import { singleton } from '../utils/singleton.js';

/** An event of a call, without the fields that all of its events have. */
type Unnamed<Event> = Event extends { readonly call: number }
  ? Omit<Event, 'operation' | 'call'>
  : never;

/**
 * After how many ms listeners receive `rate-limit-wait`, and after how many the console shows a wait that has no listeners: without it, a
 * program that waits for the rate limit looks as if it hung.
 */
const shownWait = 1_000;
const longWait = 5_000;

/** The state of one running call, for its next attempt, its events and its errors. */
export class Call {
  /** `listPets`, or, as soon as a raw request is read, `GET /store/orders`. */
  operation: string;
  /** Number of the call within the process. The ES and the CommonJS build share the count, because one listener may receive the events of both. */
  readonly number: number = ++singleton('calls', () => ({ count: 0 })).count;
  /** The options of the client, and then those of the call. */
  config: Config;
  request: HttpRequest | undefined;
  /** The API keys of the call, which no text may contain. The next attempt sends the last one. */
  readonly keys: string[] = [];
  readonly attempts: Attempt[] = [];
  /** The responses with status 429. */
  readonly rateLimited: RawResponse[] = [];
  /** `unknown`: an attempt may have been processed, because it was neither a 429, nor a failure to connect. */
  requestSent: 'no' | 'unknown' = 'no';
  /** The quota that the newest response to this call reported; for the error of a call, the newest that its client knows. */
  rateLimit: RateLimit | undefined;
  /** ms that it has waited for the rate limit so far. */
  waitedForLimit = 0;
  /** Why the next attempt waits at the gate. */
  waitCause: WaitCause | undefined;
  /** When the call began, monotonic ms. */
  readonly beganAt: number;
  /** The moment since which nothing is in flight, monotonic ms. */
  idleSince: number;
  #endWait: (() => void) | undefined;

  constructor(operation: string, config: Config) {
    this.operation = operation;
    this.config = config;
    this.beganAt = this.idleSince = config.clock.monotonic();
    if (typeof config.apiKey === 'string') this.keys.push(config.apiKey);
  }

  /** The moment at which the whole call must be over, monotonic ms. */
  get deadline(): number {
    return this.beganAt + (this.config.totalTimeout || Infinity);
  }

  /** Runs an attempt, or a function of the caller (the key function, a schema). Stops waiting when the call is aborted, or after `timeout` ms or `totalTimeout`. */
  within<T>(work: (signal: AbortSignal) => T | Promise<T>, timeout = Infinity): Promise<T> {
    const left = this.deadline - this.config.clock.monotonic();
    const exceeded = () => new DeadlineExceeded(timeout < left ? 'timeout' : 'totalTimeout');
    return untilAborted(this.config.signal, work, Math.min(left, timeout), exceeded);
  }

  /**
   * Records that the call waits for the rate limit. Listeners receive `rate-limit-wait` after 1 s, unless the gate has announced a hold.
   * Without listeners, the console shows the wait after 5 s. A custom gate may name no cause.
   */
  beginWait(cause: WaitCause | undefined, isAtGate = true): void {
    this.waitCause = cause ?? this.waitCause;
    const { isObserved } = this.config.emitter;
    if (this.#endWait !== undefined || (!isObserved && this.config.logLevel === 'off')) return;
    const began = this.config.clock.monotonic();
    let isShown = false;
    const show = () => {
      isShown = true;
      const { waitCause } = this;
      if (!isObserved)
        return warnOnce(
          'long-wait',
          `${this.subject} has waited 5 s for the rate limit (${waitCause ?? 'the option gate'}): onEvent and logger show ` +
            `all waits, maxWait bounds them, and logLevel: 'off' hides this message`,
        );
      const isHold = waitCause === '429' || waitCause === 'overload' || waitCause === 'exhausted';
      if (waitCause !== undefined && !(isHold && isAtGate))
        this.emit(() => ({ type: 'rate-limit-wait', cause: waitCause }));
    };
    const timer = setTimeout(show, isObserved ? shownWait : longWait);
    this.#endWait = () => {
      clearTimeout(timer);
      // On the clock of a test, a second may have passed in no real time.
      if (isObserved && !isShown && this.config.clock.monotonic() - began >= shownWait) show();
    };
  }

  endWait(): void {
    this.#endWait?.();
    this.#endWait = undefined;
  }

  /** The address without its query, which may hold private values. */
  get url(): string | undefined {
    return this.request && this.redact(this.request.url.replace(/\?.*/, ''));
  }

  /** The beginning of the message of every error of the call, such as `createPet on staging`. */
  get subject(): string {
    return `${this.redact(this.operation)} on ${this.config.label}`;
  }

  /** What to do after a failure that leaves open whether the request was processed. */
  nextStep<T>(ifSafe: T): T | string {
    return this.request?.isSafe || this.requestSent === 'no'
      ? ifSafe
      : 'it may have been processed: check before you send it again';
  }

  /** A text or a JSON value of the service, the runtime or the caller, without the keys, with strings cut to `most` characters. */
  redact<Value>(value: Value, most?: number): Value {
    return redact(value, this.keys, most);
  }

  emit(make: () => Unnamed<PetStoreEvent>): void {
    this.config.emitter.emit(() => {
      const operation = singleLine(this.redact(this.operation));
      return { ...make(), operation, call: this.number } as PetStoreEvent;
    });
  }
}
