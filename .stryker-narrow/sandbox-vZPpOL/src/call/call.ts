// @ts-nocheck
function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
import type { Attempt } from '../errors/errors.js';
import { redact, redactJson, singleLine } from '../errors/redact.js';
import type { Emitter } from '../events/emitter.js';
import type { PetStoreEvent } from '../events/events.js';
import { warnOfLongWait } from '../events/notices.js';
import { isSafeMethod, type HttpRequest } from '../http/build-request.js';
import { DeadlineExceeded } from '../http/failures.js';
import type { RawResponse } from '../http/fetch.js';
import type { Config } from '../options/config.js';
import type { HoldChange, RateLimit, WaitCause } from '../rate-limit/types.js';
import { withDeadline } from '../utils/abort.js';
import { singleton } from '../utils/singleton.js';

/** An event of a call, without the fields that all of its events have. */
type Unnamed<Event> = Event extends {
  readonly call: number;
} ? Omit<Event, 'operation' | 'call'> : never;

/** After how many ms listeners receive `rate-limit-wait`, and after how many the console shows a wait that has no listeners. */
const shownWait = 1_000;
const longWait = 5_000;

/** The state of one running call, for its next attempt, its events and its errors. */
export class Call {
  /** `listPets`, or, as soon as a raw request is read, `GET /store/orders`. */
  operation: string;
  /** Number of the call within the process. The two builds share the count, because one listener may receive the events of both. */
  readonly number: number = ++singleton('calls', () => ({
    count: 0
  })).count;
  /** The options of the client, and then those of the call. */
  config: Config;
  /** Called when a hold of the rate limit begins and ends while the call waits. */
  readonly onHold: (change: HoldChange) => void;
  request: HttpRequest | undefined;
  /** The API keys of the call, which no text may contain. The next attempt sends the last one. */
  readonly keys: string[] = [];
  readonly attempts: Attempt[] = stryMutAct_9fa48("0") ? ["Stryker was here"] : (stryCov_9fa48("0"), []);
  /** The newest response with status 429. */
  rateLimited: RawResponse | undefined;
  /** An attempt may have been processed: it was neither a 429, nor a failure to connect. */
  isUnsure = false;
  /** The quota that the newest response to this call reported. */
  rateLimit: RateLimit | undefined;
  /** ms that it has waited for the rate limit so far. */
  waitedForLimit = 0;
  /** Why the next attempt waits at the gate. */
  waitCause: WaitCause | undefined;
  /** When the call began, monotonic ms. */
  readonly beganAt: number;
  /** The moment since which nothing is in flight, monotonic ms. */
  idleSince: number;
  readonly #emitter: Emitter;
  #waitTimer: ReturnType<typeof setTimeout> | undefined;
  constructor(operation: string, config: Config, emitter: Emitter, onHold: Call['onHold']) {
    this.operation = operation;
    this.config = config;
    this.#emitter = emitter;
    this.onHold = onHold;
    this.beganAt = this.idleSince = config.clock.monotonic();
    if (typeof config.apiKey === 'string') this.keys.push(config.apiKey);
  }

  /** Ends the call: a signal of the caller. */
  get signal(): AbortSignal | undefined {
    return this.config.signal;
  }

  /** The moment at which the whole call must be over, monotonic ms. */
  get deadline(): number {
    const {
      totalTimeout
    } = this.config;
    return totalTimeout === false ? Infinity : this.beganAt + totalTimeout;
  }
  totalTimeoutExceeded(): DeadlineExceeded {
    return new DeadlineExceeded('totalTimeout', this.config.totalTimeout as number);
  }

  /** Runs a function of the caller (the key function, a schema). Stops waiting when the call is aborted, or after `totalTimeout`. */
  within<T>(work: () => T | Promise<T>): Promise<T> {
    const left = this.deadline - this.config.clock.monotonic();
    return withDeadline(this.signal, left, () => this.totalTimeoutExceeded(), work);
  }

  /**
   * Records that the call waits for the rate limit. Listeners receive `rate-limit-wait` after 1 s, unless the gate has announced a hold.
   * Without listeners, the console shows the wait after 5 s. A custom gate may name no cause.
   */
  beginWait(cause: WaitCause | undefined, isAtGate = true): void {
    this.waitCause = cause ?? this.waitCause;
    const {
      isObserved
    } = this.#emitter;
    if (this.#waitTimer !== undefined || !(isObserved || this.config.warnsOfLongWait)) return;
    const show = () => {
      const {
        waitCause
      } = this;
      if (!isObserved) return warnOfLongWait(this.subject, waitCause);
      const isHold = waitCause === '429' || waitCause === 'overload' || waitCause === 'exhausted';
      if (waitCause !== undefined && !(isHold && isAtGate)) this.emit(() => ({
        type: 'rate-limit-wait',
        cause: waitCause
      }));
    };
    this.#waitTimer = setTimeout(show, isObserved ? shownWait : longWait);
  }
  endWait(): void {
    clearTimeout(this.#waitTimer);
    this.#waitTimer = undefined;
  }

  /** The address without its query, which may hold private values. */
  get url(): string | undefined {
    return this.request && this.redact(this.request.url.replace(/\?.*/, ''));
  }

  /** 429s so far. */
  get rateLimitedCount(): number {
    return this.attempts.filter(({
      status
    }) => status === 429).length;
  }
  get isSafe(): boolean {
    return isSafeMethod(this.request);
  }

  /** The beginning of the message of every error of the call, such as `createPet on staging`. */
  get subject(): string {
    return `${this.redact(this.operation)} on ${this.config.label}`;
  }

  /** The message of an error, in one line: what happened, after how many attempts, and what to do next. */
  message(what: string, next: string | undefined): string {
    const {
      length
    } = this.attempts;
    const count = length > 1 ? ` (${length} attempts)` : '';
    return singleLine(`${this.subject}: ${what}${count}${next === undefined ? '' : `; ${next}`}`);
  }

  /** What to do after a failure that leaves open whether the request was processed. */
  nextStep<T>(ifSafe: T): T | string {
    return this.isSafe || !this.isUnsure ? ifSafe : 'it may have been processed: check before you send it again';
  }

  /** A text of the service, the runtime or the caller, without the keys, cut to `most` characters. */
  redact(text: string, most?: number): string {
    return redact(text, this.keys, most);
  }

  /** A copy of such a value, without the keys, with strings cut to `most` characters. */
  redactJson(value: unknown, most?: number): unknown {
    return redactJson(value, this.keys, most);
  }
  emit(make: () => Unnamed<PetStoreEvent>): void {
    this.#emitter.emit(() => {
      const operation = singleLine(this.redact(this.operation));
      return {
        ...make(),
        operation,
        call: this.number
      } as PetStoreEvent;
    });
  }
}