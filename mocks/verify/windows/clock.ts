/** What the responses show of the service's clock. */
import type { Known } from '../case.js';
import { answered } from '../case.js';
import { dateOf } from '../ask/rate.js';

/** The service's clock minus that of this machine lies between these, ms. `low > high`: no single clock explains all answers. */
export interface ClockOffset {
  readonly low: number;
  readonly high: number;
}

/** The offset that explains every `Date`: it is cut to a second, and was written between sending and receiving. */
export function clockOffsetOf(known: Known): ClockOffset | undefined {
  const bounds = answered(known).flatMap(({ answer, sentAt, receivedAt }) => {
    const date = dateOf(answer.headers, receivedAt);
    return Number.isNaN(date) ? [] : [{ low: date - receivedAt, high: date + 1_000 - sentAt }];
  });
  if (bounds.length === 0) return undefined;
  return {
    low: Math.max(...bounds.map(({ low }) => low)),
    high: Math.min(...bounds.map(({ high }) => high)),
  };
}

/** The offset as one number: none where none is needed, else the middle. */
export function middleOf({ low, high }: ClockOffset): number {
  return low <= 0 && high >= 0 ? 0 : Math.round((low + high) / 2);
}

/** True when a cache has answered: what it says of time and quota is of an earlier answer. */
export function isCached(known: Known): boolean {
  return answered(known).some(({ answer }) => Number(answer.headers['age'] ?? 0) > 0);
}

/** When each request arrived, at the earliest and at the latest, ms since the epoch on the service's clock. */
export function arrivalsOf(known: Known): { readonly early: number; readonly late: number }[] {
  const offset = clockOffsetOf(known) ?? { low: 0, high: 0 };
  const { low, high } =
    offset.low <= offset.high ? offset : { low: middleOf(offset), high: middleOf(offset) };
  return known.exchanges.map(({ sentAt, receivedAt }) => ({
    early: sentAt + low,
    late: receivedAt + high,
  }));
}
