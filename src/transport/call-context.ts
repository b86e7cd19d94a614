import type { Config } from '../options/config.js';
import type { Attempt } from '../errors/errors.js';
import type { RawResponse } from '../http/fetch.js';
import type { HttpRequest } from '../http/build-request.js';
import { singleton } from '../utils/singleton.js';
import type { RateLimit } from '../rate-limit/types.js';
import type { KnownKeys, Redactor } from '../errors/redact.js';

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
  /** The keys of the client. */
  readonly keys: KnownKeys;
  request: HttpRequest | undefined;
  key: string | undefined;
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
    keys: KnownKeys,
    known: () => RateLimit | undefined,
  ) {
    this.known = known;
    this.keys = keys;
    this.operation = operation;
    this.config = config;
    this.signal = signal;
    this.idleSince = config.clock.monotonic();
  }

  /** Takes the keys used so far out of what errors and events show. */
  get redactor(): Redactor {
    return this.keys.redactor;
  }

  /** The part that all events of the call share. */
  get ids(): { readonly operation: string; readonly call: number } {
    return { operation: this.redactor.text(this.operation), call: this.number };
  }
}
