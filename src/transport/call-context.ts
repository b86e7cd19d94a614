import type { Config } from '../options/config.js';
import type { Attempt } from '../errors/errors.js';
import type { Answer } from '../http/fetch.js';
import type { PreparedRequest } from '../http/build-request.js';
import { globalSlot } from '../utils/singleton.js';
import type { RateLimit } from '../rate-limit/types.js';
import type { KeyRing, Scrubber } from '../errors/redact.js';

/** Calls so far: counted together by the two builds, since one listener may hear both. */
let calls: { count: number } | undefined;

/** What is known of one call while it runs: for its next attempt, its events and its errors. */
export class Run {
  readonly operation: string;
  readonly config: Config;
  readonly signal: AbortSignal | undefined;
  /** Number of the call within the process. */
  readonly number = ++(calls ??= globalSlot('calls', () => ({ count: 0 }))).count;
  readonly attempts: Attempt[] = [];
  /** The keys of the client. */
  readonly keys: KeyRing;
  request: PreparedRequest | undefined;
  key: string | undefined;
  /** The newest answer with status 429. */
  refusal: Answer | undefined;
  /** 429s so far. */
  refused = 0;
  /** The quota, as the newest answer of this call reported it. */
  reported: RateLimit | undefined;
  /** ms spent at the gate so far. */
  waited = 0;
  /** Since when nothing is in flight, monotonic ms. */
  idleSince: number;

  /** The quota as the client knows it, for the errors of calls that are never sent. */
  readonly known: () => RateLimit | undefined;

  constructor(operation: string, config: Config, signal: AbortSignal | undefined, keys: KeyRing, known: () => RateLimit | undefined) {
    this.known = known;
    this.keys = keys;
    this.operation = operation;
    this.config = config;
    this.signal = signal;
    this.idleSince = config.clock.monotonic();
  }

  /** Takes the keys used so far out of what errors and events show. */
  get scrub(): Scrubber {
    return this.keys.scrubber;
  }

  /** The part that all events of the call share. */
  get ids(): { readonly operation: string; readonly call: number } {
    return { operation: this.scrub.text(this.operation), call: this.number };
  }
}
