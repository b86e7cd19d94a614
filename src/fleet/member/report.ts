import type { RateLimitHeaders } from '../../rate-limit/headers.js';

/** A response that asks to wait, and is not reported yet. Times are monotonic ms of the process. */
export interface ReportedRateLimit {
  readonly status: number;
  readonly quota: RateLimitHeaders;
  /** ms. */
  readonly retryAfter: number | undefined;
  readonly sentAt: number;
}

/** The lowest Remaining of the newest window, and when the newest request with a response from it was sent. */
export interface ReportedWindow {
  readonly quota: RateLimitHeaders;
  readonly sentAt: number;
}

/** What happened since the last report. */
export type News = ReturnType<typeof noNews>;

function noNews(total: number) {
  return {
    successes: 0,
    total,
    /** When each success came. */
    times: [] as number[],
    lost: 0,
    probeDone: false,
    window: undefined as ReportedWindow | undefined,
    rateLimited: undefined as ReportedRateLimit | undefined,
  };
}

/** Collects what one process has seen until an operation reports it. */
export class Report {
  #news = noNews(0);

  /** Whether a response asked to wait, and the store does not know it yet. */
  get hasRateLimited(): boolean {
    return this.#news.rateLimited !== undefined;
  }

  succeeded(quota: RateLimitHeaders, sentAt: number, receivedAt: number): void {
    const news = this.#news;
    news.successes += 1;
    news.total += 1;
    news.times.push(receivedAt);
    news.window = merge(news.window, { quota, sentAt });
  }

  rateLimited(limited: ReportedRateLimit): void {
    const known = this.#news.rateLimited?.retryAfter ?? -1;
    // Only the response with the longest wait is reported.
    if ((limited.retryAfter ?? 0) > known) this.#news.rateLimited = limited;
  }

  lost(count: number): void {
    this.#news.lost += count;
  }

  probeIsDone(): void {
    this.#news.probeDone = true;
  }

  /** Returns what is to be reported now, and clears it. */
  take(): News {
    const news = this.#news;
    this.#news = noNews(news.total);
    return news;
  }

  /** The operation failed: what it contained is reported with the next one. */
  restore(news: News): void {
    const later = this.#news;
    later.successes += news.successes;
    later.times = [...news.times, ...later.times];
    later.lost += news.lost;
    later.probeDone ||= news.probeDone;
    if (news.rateLimited !== undefined) this.rateLimited(news.rateLimited);
    later.window = merge(news.window, later.window);
  }
}

/** The newest window of two, with the lowest Remaining. `next` came later. */
function merge(
  known: ReportedWindow | undefined,
  next: ReportedWindow | undefined,
): ReportedWindow | undefined {
  const { limit, remaining, reset = 0 } = next?.quota ?? {};
  const { remaining: lowest, reset: knownReset = 0 } = known?.quota ?? {};
  if (known === undefined || lowest === undefined) return next ?? known;
  if (next === undefined || limit === undefined || remaining === undefined) return known;
  if (known.quota.limit !== limit || reset > knownReset + 1_000) return next;
  // The response is from a window that has ended.
  if (reset < knownReset - 1_000) return known;
  return {
    quota: { limit, remaining: Math.min(lowest, remaining), reset: Math.max(knownReset, reset) },
    sentAt: Math.max(known.sentAt, next.sentAt),
  };
}

/** The rate of a process that makes no more calls halves in this many ms. */
const halfLife = 20_000;

/** How many calls per ms a process makes. It is 0 for a single burst: only calls in three different seconds or more make a rate. */
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
    return this.#activeSeconds < 3 ? 0 : this.#rate - Math.LN2 / halfLife;
  }

  #decay(now: number): void {
    const keep = 2 ** (-(now - this.#countedAt) / halfLife);
    this.#rate *= keep;
    this.#activeSeconds *= keep;
    this.#countedAt = now;
  }
}
