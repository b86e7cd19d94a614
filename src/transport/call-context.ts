import type { Config } from '../options/config.js';
import type { Attempt } from '../errors/errors.js';
import type { RawResponse } from '../http/fetch.js';
import type { HttpRequest } from '../http/build-request.js';
import { singleton } from '../utils/singleton.js';
import type { RateLimit } from '../rate-limit/types.js';
import type { Redactor } from '../errors/redact.js';

/** Calls so far: counted together by the two builds, since one listener may hear both. */
let calls: { count: number } | undefined;

/** What is known of one call while it runs: for its next attempt, its events and its errors. */
export class CallContext {
  readonly operation: string;
  readonly config: Config;
  readonly signal: AbortSignal | undefined;
  /** Number of the call within the process. */
  readonly number = ++(calls ??= singleton('calls', () => ({ count: 0 }))).count;
  readonly attempts: Attempt[] = [];
  /** Takes the keys of the client out of what errors and events show. */
  readonly redactor: Redactor;
  request: HttpRequest | undefined;
  key: string | undefined;
  readonly #usedKeys: string[] = [];
  /** The newest answer with status 429. */
  rateLimitResponse: RawResponse | undefined;
  /** 429s so far. */
  rateLimitedCount = 0;
  /** The quota, as the newest answer of this call reported it. */
  reported: RateLimit | undefined;
  /** ms spent at the gate so far. */
  waited = 0;
  /** Since when nothing is in flight, monotonic ms. */
  idleSince: number;

  /** The quota as the client knows it, for the errors of calls that are never sent. */
  readonly known: () => RateLimit | undefined;

  constructor(
    operation: string,
    config: Config,
    signal: AbortSignal | undefined,
    redactor: Redactor,
    known: () => RateLimit | undefined,
  ) {
    this.known = known;
    this.redactor = redactor;
    this.operation = operation;
    this.config = config;
    this.signal = signal;
    this.idleSince = config.clock.monotonic();
  }

  /** Makes a key known to the redactor until the call has ended. */
  useKey(key: string): void {
    this.redactor.add(key);
    this.#usedKeys.push(key);
  }

  /** To be called once, when the call has ended and its error is made. */
  end(): void {
    for (const key of this.#usedKeys) this.redactor.release(key);
  }

  /** The part that all events of the call share. */
  get ids(): { readonly operation: string; readonly call: number } {
    return { operation: this.redactor.text(this.operation), call: this.number };
  }
}
