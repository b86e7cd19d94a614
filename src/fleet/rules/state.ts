/** Seconds of the store's clock, and how many requests were spent in each. */
export type RequestsPerSecond = readonly (readonly [second: number, count: number])[];

/** One process in the shared state. Times are ms on the clock of the store. */
export interface MemberState {
  /** Number of the newest operation: what comes later with a lower one is ignored. */
  sequence: number;
  seenAt: number;
  /** Permits that it holds and has not sent, and the end of their lease. */
  unsent: number;
  unsentEnd: number;
  /** Requests without an answer, and when they count as spent without one. */
  inFlight: number;
  inFlightEnd: number;
  /** Successful answers since the process began. */
  total: number;
  /** Spent unseen, as was assumed when a lease ran out: taken back when the member reports again. */
  assumed: [second: number, count: number][];
  /** Calls that wait, and until when the member counts as waiting. */
  want: number;
  wantUntil: number;
  /** Its part of what rolls out of a rolling window next. */
  promised: number;
  /** Permits of its lease beyond what it needed at that moment. */
  ahead: number;
  /** Calls a ms. */
  rate: number;
  /** When a call of high priority last waited. */
  highAt: number;
}

/**
 * What the processes of one key know together. All times are ms on the clock of the store, but `reset` and `firstReset`,
 * which are on the clock of the service; `serviceLow` to `serviceHigh` is what the two clocks lie apart.
 */
export interface FleetState {
  /** A name that a new state gets: a process that knows another one has seen the store lose its memory. */
  generation: string;
  /** The newest moment: a clock that was set back does not count. */
  newest: number;
  /** COLD: no answer yet. PROBE: one request of the whole fleet asks whether the window is open. OPEN: leases are granted. */
  mode: 'COLD' | 'PROBE' | 'OPEN';

  /** Requests a minute, and the limit of the window that the headers tell of, which may be a day's. */
  limit: number;
  windowLimit: number;
  /** End of the window; 0 while unknown. */
  reset: number;
  firstReset: number;
  /** Lowest Remaining reported of this window, less what was spent unseen since; -1 while unknown. */
  remaining: number;
  remainingAt: number;
  /** Remaining when the window was first seen, and what the fleet spent since. */
  base: number;
  baseAt: number;
  consumed: number;
  acceptedAt: number;
  /** When a window last moved by less than its length: it rolls. */
  rollingAt: number;
  /** What the fleet spent in each of the last seconds. */
  log: Record<string, number>;
  logWrongAt: number;
  /** Requests without a response of the last minute: when they were reported, and how many. */
  lost: [at: number, count: number][];

  serviceLow?: number;
  serviceHigh?: number;
  clockAt: number;
  /** A lower bound like `serviceLow`, from Resets alone: a minute window ends at most a minute ahead. */
  resetLow?: number;

  /** Nothing is sent before this moment. */
  resumeAt: number;
  /** End of the hold without the pad; and the part that the service stated, without backoff. */
  holdEndsAt: number;
  serverHoldUntil: number;
  rateLimitedCount: number;
  rateLimitedAt: number;
  /** The member that has the probe. */
  prober: string;
  probeFrom: number;
  probeAt: number;
  probeUntil: number;

  /** Requests of the fleet and of others: decaying sums of past windows, and counts of this one. */
  own: number;
  others: number;
  ownNow: number;
  othersNow: number;
  foldedAt: number;
  /** Successful answers in all, and a sum of them that halves in 30 s. */
  answered: number;
  recent: number;
  recentAt: number;
  rtt: number;
  /** Requests at once while Remaining is unknown. */
  blind: number;
  /** No hold yet. */
  first: boolean;
  /** The plan was given beforehand, and nothing has contradicted it. */
  planned: boolean;

  day: number;
  dayCount: number;
  perDay: number;

  /** When the store was last out of reach for a member that sent without it, and until when that matters. */
  outageAt: number;
  outageUntil: number;
  lostAt: number;
  carefulUntil: number;
  scarceAt: number;
  trickleAt: number;
  /** The moment that waiting members were last sent away to, and how many. */
  deniedFor: number;
  deniedCount: number;

  members: Record<string, MemberState>;
}

/** Long ago, where `-Infinity` would not survive JSON. */
export const never = -1e12;

/** The state of a key that no process has used yet. */
export function createState(generation: string, now: number): FleetState {
  return {
    generation,
    newest: now,
    mode: 'COLD',
    limit: 0,
    windowLimit: 0,
    reset: 0,
    firstReset: 0,
    remaining: -1,
    remainingAt: never,
    base: -1,
    baseAt: never,
    consumed: 0,
    acceptedAt: never,
    rollingAt: never,
    log: {},
    logWrongAt: never,
    lost: [],
    clockAt: now,
    resumeAt: never,
    holdEndsAt: never,
    serverHoldUntil: never,
    rateLimitedCount: 0,
    rateLimitedAt: never,
    prober: '',
    probeFrom: never,
    probeAt: never,
    probeUntil: never,
    own: 0,
    others: 0,
    ownNow: 0,
    othersNow: 0,
    foldedAt: now,
    answered: 0,
    recent: 0,
    recentAt: now,
    rtt: 0,
    blind: 1,
    first: true,
    planned: false,
    day: -1,
    dayCount: 0,
    perDay: 0,
    outageAt: never,
    outageUntil: never,
    lostAt: never,
    carefulUntil: never,
    scarceAt: never,
    trickleAt: never,
    deniedFor: never,
    deniedCount: 0,
    members: {},
  };
}

/** A process that the state has not seen yet. */
export function createMember(now: number): MemberState {
  return {
    sequence: -1,
    seenAt: now,
    unsent: 0,
    unsentEnd: 0,
    inFlight: 0,
    inFlightEnd: 0,
    total: 0,
    assumed: [],
    want: 0,
    wantUntil: never,
    promised: 0,
    ahead: 0,
    rate: 0,
    highAt: never,
  };
}
