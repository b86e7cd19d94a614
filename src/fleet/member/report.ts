import type { Quota } from '../../rate-limit/headers.js';

/** A refusal that is to be reported. Times are monotonic ms of the process. */
export interface ReportedRefusal {
  readonly quota: Quota;
  /** ms. */
  readonly retryAfter: number | undefined;
  readonly maxHold: number;
  readonly sentAt: number;
}

/** The lowest Remaining of the newest window, and when the newest request that told of it was sent. */
export interface ReportedWindow {
  readonly quota: Quota;
  readonly sentAt: number;
}

/** What happened since the last report. */
export interface News {
  readonly successes: number;
  readonly total: number;
  /** When each success came. */
  readonly times: readonly number[];
  readonly lost: number;
  readonly probeDone: boolean;
  readonly window: ReportedWindow | undefined;
  readonly refusal: ReportedRefusal | undefined;
}

/** Collects what one process has seen until the store has taken it. */
export class Report {
  #successes = 0;
  #total = 0;
  #times: number[] = [];
  #lost = 0;
  #probeDone = false;
  #window: ReportedWindow | undefined;
  #refusal: ReportedRefusal | undefined;

  /** There is something that others wait to know. */
  get isUrgent(): boolean {
    return this.#refusal !== undefined || this.#probeDone || this.#successes > 0;
  }

  /** A refusal that the store does not know of yet. */
  get hasRefusal(): boolean {
    return this.#refusal !== undefined;
  }

  succeeded(quota: Quota, sentAt: number, receivedAt: number): void {
    this.#successes += 1;
    this.#total += 1;
    this.#times.push(receivedAt);
    this.#window = merge(this.#window, { quota, sentAt });
  }

  refused(refusal: ReportedRefusal): void {
    const known = this.#refusal;
    // Of several refusals of one moment the one that tells of the longest wait counts.
    if (known === undefined || (refusal.retryAfter ?? 0) > (known.retryAfter ?? 0))
      this.#refusal = refusal;
  }

  lost(count: number): void {
    this.#lost += count;
  }

  probeIsDone(): void {
    this.#probeDone = true;
  }

  /** Hands out what is to be reported now. */
  take(): News {
    const news: News = {
      successes: this.#successes,
      total: this.#total,
      times: this.#times,
      lost: this.#lost,
      probeDone: this.#probeDone,
      window: this.#window,
      refusal: this.#refusal,
    };
    this.#successes = this.#lost = 0;
    this.#times = [];
    this.#probeDone = false;
    this.#window = this.#refusal = undefined;
    return news;
  }

  /** The store did not take it: it is reported with the next operation. */
  restore(news: News): void {
    this.#successes += news.successes;
    this.#times = [...news.times, ...this.#times];
    this.#lost += news.lost;
    this.#probeDone ||= news.probeDone;
    this.#refusal ??= news.refusal;
    this.#window =
      this.#window === undefined || news.window === undefined
        ? (this.#window ?? news.window)
        : merge(news.window, this.#window);
  }
}

function merge(known: ReportedWindow | undefined, next: ReportedWindow): ReportedWindow {
  const { limit, remaining, reset = 0 } = next.quota;
  if (limit === undefined || remaining === undefined)
    return known === undefined ? next : { ...known, sentAt: next.sentAt };
  const before = known?.quota;
  const knownReset = before?.reset ?? 0;
  if (before?.remaining === undefined || before.limit !== limit || reset > knownReset + 1_000)
    return next;
  // An answer of a window that is over.
  if (reset < knownReset - 1_000) return known!;
  return {
    quota: {
      limit,
      remaining: Math.min(before.remaining, remaining),
      reset: next.quota.reset === undefined ? undefined : Math.max(knownReset, reset),
    },
    sentAt: Math.max(known!.sentAt, next.sentAt),
  };
}

/** A rate of calls that halves in this many ms. */
const halfLife = 20_000;

/** How many calls a ms a process makes. A burst is no rate: only what goes on for some seconds counts. */
export class CallRate {
  #rate = 0;
  #activeSeconds = 0;
  #second = -1;
  #countedAt: number;

  constructor(now: number) {
    this.#countedAt = now;
  }

  count(now: number): void {
    this.#decay(now);
    this.#rate += Math.LN2 / halfLife;
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) this.#activeSeconds += 1;
    this.#second = second;
  }

  /** Calls a ms. */
  now(now: number): number {
    this.#decay(now);
    return this.#activeSeconds < 3 ? 0 : Math.max(0, this.#rate - Math.LN2 / halfLife);
  }

  #decay(now: number): void {
    const keep = 2 ** (-(now - this.#countedAt) / halfLife);
    this.#rate *= keep;
    this.#activeSeconds *= keep;
    this.#countedAt = now;
  }
}
