import { never } from './constants.js';

/** Seconds of the store's clock, and how many requests were spent in each. */
export type RequestsPerSecond = readonly (readonly [second: number, count: number])[];

/** One process in the shared state. Times are ms on the clock of the store. */
export type MemberState = ReturnType<typeof createMember>;

/**
 * What the processes of one key know together. All times are ms on the clock of the store, but `reset` and `firstReset`,
 * which are on the clock of the service; `serviceLow` to `serviceHigh` is what the two clocks lie apart.
 */
export type FleetState = ReturnType<typeof createState>;

/** A process that the state has not seen yet. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the state is what is written here
export function createMember(now: number) {
  return {
    /** Number of the newest operation: what comes later with a lower one is ignored. */
    sequence: 0,
    seenAt: now,
    /** Permits that it holds and has not sent, and the end of their lease. */
    unsent: 0,
    unsentEnd: 0,
    /** Requests without an answer, and when they count as spent without one. */
    inFlight: 0,
    inFlightEnd: 0,
    /** Successful answers since the process began. */
    total: 0,
    /** Spent unseen, as was assumed when a lease ran out: taken back when the member reports again. */
    assumed: [] as [second: number, count: number][],
    /** Calls that wait, and until when the member counts as waiting. */
    want: 0,
    wantUntil: never,
    /** Its part of what rolls out of a rolling window next. */
    promised: 0,
    /** Permits of its lease beyond what it needed at that moment. */
    ahead: 0,
    /** Calls a ms. */
    rate: 0,
    /** When a call of high priority last waited. */
    highAt: never,
  };
}

/** The window, of which nothing is known. */
const noWindow = () => ({
  /** Requests a minute, and the limit of the window that the headers tell of, which may be a day's. */
  limit: 0,
  windowLimit: 0,
  /** End of the window; 0 while unknown. */
  reset: 0,
  firstReset: 0,
  /** Lowest Remaining reported of this window, less what was spent unseen since; -1 while unknown. */
  remaining: -1,
  remainingAt: never,
  /** Remaining when the window was first seen, and what the fleet spent since. */
  base: 0,
  baseAt: never,
  consumed: 0,
  acceptedAt: never,
  /** When a window last moved by less than its length: it rolls. */
  rollingAt: never,
  logWrongAt: never,
});

/** What is sent: nobody has a hold or the probe. */
const noHold = () => ({
  /** COLD: no answer yet. PROBE: one request of the whole fleet asks whether the window is open. OPEN: leases are granted. */
  mode: 'COLD' as 'COLD' | 'PROBE' | 'OPEN',
  /** Nothing is sent before this moment. */
  resumeAt: never,
  /** End of the hold without the pad; and the part that the service stated, without backoff. */
  holdEndsAt: never,
  serverHoldUntil: never,
  rateLimitedCount: 0,
  rateLimitedAt: never,
  /** The member that has the probe. */
  prober: '',
  probeFrom: never,
  probeAt: never,
  probeUntil: never,

  /** When the store was last out of reach for a member that sent without it, and until when that matters. */
  outageAt: never,
  outageUntil: never,
  lostAt: never,
  carefulUntil: never,
  scarceAt: never,
  trickleAt: never,
  /** The moment that waiting members were last sent away to, and how many. */
  deniedFor: never,
  deniedCount: 0,
});

/** What was sent: nothing. */
const noTraffic = () => ({
  /** Requests of the fleet and of others: decaying sums of past windows, and counts of this one. */
  own: 0,
  others: 0,
  ownNow: 0,
  othersNow: 0,
  /** Successful answers in all, and a sum of them that halves in 30 s. */
  answered: 0,
  recent: 0,
  rtt: 0,
  /** Requests at once while Remaining is unknown. */
  blind: 1,

  day: 0,
  dayCount: 0,
  perDay: 0,
});

/** The state of a key that no process has used yet. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the state is what is written here
export function createState(generation: string, now: number) {
  return {
    /* eslint-disable no-restricted-syntax -- once in the life of a state a spread may be slow in Lua */
    ...noWindow(),
    ...noHold(),
    ...noTraffic(),
    /* eslint-enable no-restricted-syntax */
    /** A name that a new state gets: a process that knows another one has seen the store lose its memory. */
    generation,
    /** The newest moment: a clock that was set back does not count. */
    newest: now,
    foldedAt: now,
    recentAt: now,

    serviceLow: undefined as number | undefined,
    serviceHigh: undefined as number | undefined,
    clockAt: now,
    /** A lower bound like `serviceLow`, from Resets alone: a minute window ends at most a minute ahead. */
    resetLow: undefined as number | undefined,

    /** What the fleet spent in each of the last seconds. */
    log: {} as Record<string, number>,
    /** Requests without a response of the last minute: when they were reported, and how many. */
    lost: [] as [at: number, count: number][],
    members: {} as Record<string, MemberState>,
  };
}
