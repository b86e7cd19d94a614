/** What the responses show of the service's clock. Judged by hand: no value of the mock is better than the span itself. */
import { isAnswered, type Exchange, type Exchanges } from '../ask/exchange.js';
import { notAsked, open, type Finding } from './rows.js';

/**
 * The service's clock minus that of this machine lies between these, ms: each `Date` is cut to a second, and was written between
 * sending and receiving. `low > high`: no single clock explains all answers.
 */
function clockOffsetOf(exchanges: Exchanges) {
  const dated = exchanges.filter(isAnswered).filter(({ answer }) => !Number.isNaN(answer.date));
  if (dated.length === 0) return undefined;
  return {
    low: Math.max(...dated.map(({ answer, receivedAt }) => answer.date - receivedAt)),
    high: Math.min(...dated.map(({ answer, sentAt }) => answer.date + 1_000 - sentAt)),
  };
}

/** By hand: the offset is a number, and the answers bound it from both sides. */
export function judgeClock(exchanges: Exchanges): Finding {
  const offset = clockOffsetOf(exchanges);
  if (!offset) return notAsked('no answer has a Date');
  if (exchanges.some(isCached)) return open([], 'a cache has answered: its Date is old');
  const { low, high } = offset;
  if (low > high) return open([], 'no single clock explains every Date');
  // None where none is needed, else the middle.
  const value = low <= 0 && high >= 0 ? 0 : Math.round((low + high) / 2);
  return { verdict: 'measured', value };
}

/** True when a cache has answered: what it says of time and quota is of an earlier answer. */
export const isCached = ({ answer }: Pick<Exchange, 'answer'>): boolean =>
  Number(answer?.headers['age'] ?? 0) > 0;

/** An exchange, and when the request arrived, at the earliest and at the latest, ms since the epoch on the service's clock. */
export interface Arrived extends Exchange {
  readonly early: number;
  readonly late: number;
}

/** Without a `Date` the clock may be off by as much as a Reset may be; where no single clock explains all, it lies between them. */
export function arrivalsOf(exchanges: Exchanges): Arrived[] {
  const { low, high } = clockOffsetOf(exchanges) ?? { low: -1_500, high: 1_500 };
  return exchanges.map((exchange) => ({
    ...exchange,
    early: exchange.sentAt + Math.min(low, high),
    late: exchange.receivedAt + Math.max(low, high),
  }));
}
