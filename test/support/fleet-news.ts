import type { Clock } from '../../src/index.js';
import type { FleetOperation, FleetReply } from '../../src/fleet/rules/operations.js';

/** A request in flight. */
export interface Sent {
  readonly at: number;
  readonly isProbe: boolean;
  readonly isLeased: boolean;
}

/** An operation of the store, how much of the news it contains, and its reply. */
export interface Asked {
  readonly operation: FleetOperation;
  readonly at: number;
  readonly news: number;
  reply?: FleetReply;
}

/** A process, and the clocks that it does not see. */
export interface Watched {
  readonly clock: Clock;
  readonly storeNow: () => number;
  /** How far the clock of the service is ahead of the store's, ms. */
  readonly ahead: number;
  readonly fallback: 'share' | 'hold';
  /** Waits until nothing else happens, so that it is clear what an operation knows. */
  readonly turn: () => Promise<void>;
}

/** What became of a request. Moments are those of the process. */
export interface News {
  readonly at: number;
  readonly sentAt: number;
  readonly isProbe: boolean;
  /** Whether the service may have counted it all the same. */
  readonly isLost: boolean;
  /** ms that the response asks to wait. */
  readonly wait?: number;
}

const most = (values: readonly number[]) => Math.max(...values);

/**
 * What an operation says wrongly about the responses since the last one that was acknowledged. `offset`: how far the clock of the store
 * is ahead of the process's; `undefined`: the process cannot know. `ahead`: how far that of the service is ahead of the store's.
 */
export function problemsOfReport(
  { successes, times, observation, rateLimited, clock }: FleetOperation,
  news: readonly News[],
  offset: number | undefined,
  ahead: number,
): string[] {
  const responses = news.filter(({ isLost, wait }) => !isLost && wait === undefined);
  const limited = news.filter(({ wait }) => wait !== undefined);
  const wait = most(limited.map((each) => each.wait!));
  const longest = limited.filter((each) => each.wait === wait).map(({ sentAt }) => sentAt);
  const seconds = times.flatMap(([second, count]) => Array<number>(count).fill(second));
  /** The clock of the store is known to the length of a trip. A moment on it is told as too early rather than too late, a second as too late. */
  const isMoment = (said: number, sent: readonly number[], unknown: number) =>
    offset === undefined
      ? said === unknown
      : said <= most(sent) + offset + 1 && said >= Math.min(...sent) + offset - 500;
  const isSecond = (said: number, at: number) =>
    offset === undefined
      ? said === 1e12
      : said * 1_000 > at + offset - 1_001 && said * 1_000 < at + offset + 501;
  const facts: Record<string, boolean> = {
    successes: successes === responses.length && seconds.length === successes,
    times: responses.every(({ at }, index) => isSecond(seconds[index]!, at)),
    observation: (observation !== undefined) === responses.length > 0,
    rateLimited: (rateLimited?.retryAfter ?? (rateLimited && 0) ?? -Infinity) === wait,
    'rateLimited.sentAt': !rateLimited || isMoment(rateLimited.sentAt, longest, 1e15),
    clock: clock === undefined || (clock.low <= ahead && clock.high >= ahead),
  };
  return Object.keys(facts).filter((name) => !facts[name]);
}
