/** Waited beyond every told instant: headers are whole seconds, and some are rounded down. */
const pad = 1_000;
/** Spread of the probes of several processes. More of it harms: the first one takes the window before the others are seen. */
const jitter = 100;
const blindHold = 15_000;
const longestBlindHold = 15 * 60_000;
const longestBackoff = 60_000;
/** A Reset further away is not that of a minute window. */
const nearReset = 120_000;

/** What a 429 says, or a 403 or 503 that tells to wait. */
export interface Refusal {
  /** ms that `Retry-After` tells. */
  readonly retryAfter: number | undefined;
  /** ms until the Reset. */
  readonly resetIn: number | undefined;
  /** Nothing remains in the window, as far as is known. */
  readonly spent: boolean;
  /** The Reset is only bounded: the hold is right, but nobody told it. */
  readonly guessed: boolean;
  /** Longest hold, in ms, that the refused call accepts. */
  readonly maxHold: number;
}

/** How long nothing may be sent. All times are monotonic ms. */
export class Hold {
  readonly #random: () => number;
  /** Until then nothing is sent. */
  until = -Infinity;
  /** The part that the service told, without pad, jitter and backoff: only it makes a call fail fast. */
  serverHoldUntil = -Infinity;
  /** Refusals in a row, each with nothing but its echoes behind it. */
  #fails = 0;
  #refusedAt = -Infinity;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** The budget is spent: waits for the window's Reset, where it is known. */
  forReset(now: number, resetAt: number | undefined, guessed: boolean): void {
    this.until = (resetAt ?? now + blindHold) + pad + this.#random() * jitter;
    if (!guessed) this.serverHoldUntil = Math.max(this.serverHoldUntil, resetAt ?? -Infinity);
  }

  /** A request was refused. Returns false for an echo: it was under way already when the limit was hit. */
  forRefusal(
    { retryAfter, resetIn, spent, guessed, maxHold }: Refusal,
    sentAt: number,
    receivedAt: number,
  ): boolean {
    const isNew = sentAt > this.#refusedAt;
    if (isNew) this.#fails += 1;
    // Where the window is spent the later of the two counts, for a Retry-After may be too short. But a far Reset (of a day,
    // say), or one of a window that is not spent, counts only once it was.
    const near =
      spent && !guessed && resetIn !== undefined && resetIn <= Math.min(maxHold, nearReset);
    const reset =
      retryAfter === undefined || near || this.#fails >= 2 ? Math.max(resetIn ?? 0, 0) : 0;
    const fromServer = Math.max(retryAfter ?? 0, reset);
    // Two tellings of one moment, the Retry-After rounded: the pad behind the Reset covers both.
    const padded = reset > 0 && fromServer <= reset + pad ? reset + pad : fromServer + pad;
    const wait = Math.max(padded, this.#backoff(retryAfter !== undefined || resetIn !== undefined));
    this.until = Math.max(this.until, receivedAt + wait + this.#random() * jitter);
    this.serverHoldUntil = Math.max(
      this.serverHoldUntil,
      receivedAt + (guessed ? (retryAfter ?? 0) : fromServer),
    );
    this.#refusedAt = receivedAt;
    return isNew;
  }

  /** A request that was sent at `sentAt` was not refused. */
  succeeded(sentAt: number): void {
    if (sentAt > this.#refusedAt) this.#fails = 0;
  }

  #backoff(fromServer: boolean): number {
    // Blind backoff starts high: 1, 2, 4, 8, 16 s would be five strikes within one minute window.
    if (!fromServer)
      return Math.min(blindHold * 4 ** Math.max(0, this.#fails - 1), longestBlindHold);
    return this.#fails <= 1 ? 0 : Math.min(1_000 * 2 ** this.#fails, longestBackoff);
  }
}
