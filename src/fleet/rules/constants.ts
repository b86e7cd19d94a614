import {
  blindHold,
  farReset,
  longestBackoff,
  longestBlindHold,
  longestPlausibleWait,
  pad,
} from '../../rate-limit/rules/hold-rule.js';
import { publishedPlans } from '../../rate-limit/budget.js';

/** The numbers of the rules. Times are ms. The Lua script gets them from here: there is one list. */
export const constants = {
  minute: 60_000,
  pad,
  blindHold,
  longestBlindHold,
  longestBackoff,
  farReset,
  /** A Reset further away, or longer ago, is not that of a window. */
  longestPlausibleWait,
  longestPast: 65_000,
  /** A lease for calls that wait already: long enough to send them. */
  leaseForNeed: 3_000,
  /** A lease that covers calls to come, and one while the quota is scarce. */
  leaseAhead: 65_000,
  leaseScarce: 40_000,
  /** A lease counts as spent this long after its end. */
  grace: 3_000,
  /** A member that holds nothing and says nothing for this long is forgotten. */
  forgetAfter: 150_000,
  /** After lost state: nothing is sent for `rest`, and little is granted for `careful`. */
  rest: 5_000,
  careful: 30_000,
  /** A probe whose answer is not reported after this long is given to somebody else. */
  probeTimeout: 2_000,
  /** Requests in flight over the whole fleet, as a part of the limit: in the first window, and later. */
  firstInFlightPart: 12,
  inFlightPart: 15,
  /** While others may spend the quota unseen, at most 1 / slice of it is out. */
  slice: 8,
  /** Permits that are kept for calls of high priority are released this long before the window ends. */
  releaseKept: 500,
  /** Answers after which the fleet may be sure that nobody else spends its quota. */
  evidence: 8,
  /** A window that rolled in the last ten minutes still does; a log that was wrong is not used for an hour. */
  rollingFor: 600_000,
  distrustLog: 3_600_000,
  /** What was spent up to this long ago still counts in a rolling minute, with the errors of two clocks. */
  rollingMinute: 61_100,
  /** How long the store keeps the state of a key that nobody uses: a day, and an hour for a clock change. */
  keep: 90_000_000,
} as const;

/** Requests a day of the published plans, by their requests a minute. Service interface: "Limits". */
export const perDayOf: Readonly<Record<number, number>> = Object.fromEntries(
  publishedPlans.map(({ perMinute, perDay }) => [perMinute, perDay]),
);
