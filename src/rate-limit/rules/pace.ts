// How many requests may be out at once: the rules and numbers that the gate of one process and the fleet share. The fleet's script
// for Redis is made of this file, too.
import { plans } from '../../contract/rate-limits.js';

/** A window that ends later than this (ms, with the error of the clocks) is not the minute's: its limit says nothing about the requests in flight. */
export const longWindow = 65_000;
/** How much two clocks may drift apart, in ms per ms. Bounds of a clock widen by this share of their age. */
export const clockDrift = 1e-4;
/** While others may spend the quota unseen, at most this part of what remains is out. */
export const slice = 1 / 8;
/** In flight while the limit is unknown or hidden, as that of a day is: so many requests at most meet a 429 there. */
export const fewInFlight = 4;
/** More in flight at once is a burst that services take for an attack. */
const mostInFlight = 256;

/** Requests of one's own and of others: decaying sums of past windows, and counts of this one. */
export type Usage = Record<'own' | 'others' | 'ownNow' | 'othersNow', number>;

/** Whether hardly any request was of somebody else. */
export function isAlone(usage: Usage): boolean {
  const { own, others, ownNow, othersNow } = usage;
  return others <= (own + ownNow) / 10 && othersNow <= 1 + ownNow / 20;
}

/** The part of the quota that is one's own, 0 to 1. */
export function shareOf(usage: Usage): number {
  const ours = usage.own + usage.ownNow + 1;
  return ours / (ours + usage.others + usage.othersNow);
}

/** Requests that are left to others. */
export function roomForOthers(usage: Usage, limit: number): number {
  const each = (usage.others + usage.othersNow) / (usage.own + usage.ownNow + 1);
  return Math.max(0, Math.min(Math.ceil(each - 0.25), 8, Math.floor(limit / 20)));
}

/** Requests in flight, whatever remains: a part of the limit where nobody else uses the key, and twice what keeps the pace of the limit over the round trip, for round trips that vary. */
export function inFlightBound(limit: number, rtt: number, alone: boolean): number {
  const byLimit = alone ? Math.floor(limit / 15) : 0;
  const byPace = Math.ceil((2 * limit * rtt) / 60_000);
  return Math.min(mostInFlight, Math.max(fewInFlight, byLimit, byPace));
}

const publishedPlans = [plans.free, plans.pro, plans.business];

/** Requests a day of the published plan with this limit a minute. Service interface: "Limits". */
export function publishedPerDay(limit: number): number | undefined {
  for (const plan of publishedPlans) if (plan.perMinute === limit) return plan.perDay;
  return undefined;
}

/**
 * Near the end of the day's quota, which the headers do not show, little is sent at once. A whole minute may be out that is not
 * counted yet, and others may have used the key.
 */
export function isDayNearlySpent(
  count: number,
  perDay: number | undefined,
  limit: number,
): boolean {
  return perDay !== undefined && count >= perDay - Math.max(0.1 * perDay, limit);
}
