import * as z from 'zod/mini';
import type { Assumptions, WindowKind } from '../assumptions/assumptions.js';
import { integer, moment } from '../utils/check.js';

/** The state of a window at one moment. */
export interface View {
  /** Whole requests left, 0 or more. */
  readonly remaining: number;
  /** When the next request is allowed: now or later, ms since the epoch. */
  readonly nextAt: number;
  /** When the limit resets. */
  readonly resetAt: number;
}

const count = integer(0);

/** `'fixed'` and `'from-first'`: when it began (null: it has not), and the requests counted since. */
const countedState = z.strictObject({ start: z.nullable(moment), used: count });
type CountedState = z.output<typeof countedState>;

/** `'sliding'`: when requests were counted, and how many had been counted by then, oldest first; `over`: how many no longer count. */
const slidingState = z.strictObject({
  over: count,
  counts: z.array(z.strictObject({ at: moment, total: count })),
});
type SlidingState = z.output<typeof slidingState>;

/** `'token-bucket'`: the ms of refilling that are missing, as of the time `seen`. A number small enough to be exact. */
const bucketState = z.strictObject({ lacks: z.number(), seen: moment });
type BucketState = z.output<typeof bucketState>;

/** The state of a window as plain JSON, by its kind. Times are ms since the epoch. */
export const windowSchema = z.union([countedState, slidingState, bucketState]);
export type WindowState = z.output<typeof windowSchema>;

/** A moment, and the window that is looked at. */
interface Moment {
  readonly now: number;
  readonly limit: number;
  readonly length: number;
  readonly reset: Assumptions['resetMeaning'];
}

/** How windows of one kind count. */
interface Kind<State> {
  empty(): State;
  /** The state without what is over. It leaves the given one as it is. A count in the future was made before the clock was set back, and is dropped (a bucket keeps its level). */
  current(state: State, moment: Moment): State;
  view(current: State, moment: Moment): View;
  count(current: State, moment: Moment): State;
  /** The state in which `used` requests are counted. */
  use(used: number, current: State, moment: Moment): State;
}

/** A count that starts again at 0, with the first request after the last window. `startAt`: when a window starts whose first request comes now. */
const counted = (startAt: (moment: Moment) => number): Kind<CountedState> => ({
  empty: () => ({ start: null, used: 0 }),
  current: ({ start, used }, { now, length }) =>
    start !== null && now >= start && now < start + length
      ? { start, used }
      : { start: null, used: 0 },
  view({ start, used }, moment) {
    const { now, limit, length } = moment;
    const remaining = Math.max(0, limit - used);
    const resetAt = (start ?? startAt(moment)) + length;
    return { remaining, nextAt: remaining > 0 ? now : resetAt, resetAt };
  },
  count: ({ start, used }, moment) => ({ start: start ?? startAt(moment), used: used + 1 }),
  // A window in which nothing is counted has not begun.
  use: (used, { start }, moment) => ({
    start: used > 0 ? (start ?? startAt(moment)) : null,
    used,
  }),
});

const usedOf = ({ over, counts }: SlidingState) => (counts.at(-1)?.total ?? over) - over;

/** The requests of the last `length` ms. One counts until exactly `length` after it. */
const sliding: Kind<SlidingState> = {
  empty: () => ({ over: 0, counts: [] }),
  current(state, { now, length }) {
    const { over, counts } = state;
    const first = counts.findIndex(({ at }) => at > now - length);
    const from = first < 0 ? counts.length : first;
    const to = counts.findLastIndex(({ at }) => at <= now) + 1;
    if (from === 0 && to === counts.length) return state;
    return { over: counts[from - 1]?.total ?? over, counts: counts.slice(from, to) };
  },
  view(state, { now, limit, length, reset }) {
    const { over, counts } = state;
    const used = usedOf(state);
    const freeAt = (one = { at: now - length }) => one.at + length;
    const slotAt = freeAt(counts.find(({ total }) => total - over > used - limit));
    return {
      remaining: Math.max(0, limit - used),
      nextAt: used < limit ? now : slotAt,
      resetAt: reset === 'full' ? freeAt(counts.at(-1)) : slotAt,
    };
  },
  count(state, { now }) {
    const { over, counts } = state;
    const total = over + usedOf(state) + 1;
    const last = counts.at(-1);
    if (last?.at === now) last.total = total;
    else counts.push({ at: now, total });
    return state;
  },
  use: (used, _, { now }) => ({ over: 0, counts: used > 0 ? [{ at: now, total: used }] : [] }),
};

/** The largest rounding error of the floating-point level, ms. */
const rounding = 1e-6;

/** Refilled evenly, a whole limit in `length` ms. */
const bucket: Kind<BucketState> = {
  empty: () => ({ lacks: 0, seen: 0 }),
  // After the clock was set back, the level stays until then.
  current: ({ lacks, seen }, { now }) => ({
    lacks: Math.max(0, lacks - Math.max(0, now - seen)),
    seen: now,
  }),
  view({ lacks }, { now, limit, length, reset }) {
    const perToken = length / limit;
    const remaining = Math.max(0, Math.floor((length - lacks + rounding) / perToken));
    const oneMoreAt = now + Math.max(0, lacks - (length - (remaining + 1) * perToken));
    return {
      remaining,
      nextAt: remaining > 0 ? now : now + lacks - (length - perToken),
      resetAt: reset === 'full' || remaining >= limit ? now + lacks : oneMoreAt,
    };
  },
  count: ({ lacks, seen }, { limit, length }) => ({ lacks: lacks + length / limit, seen }),
  use: (used, { seen }, { limit, length }) => ({ lacks: used * (length / limit), seen }),
};

const kinds = {
  // At each multiple of the length (UTC).
  fixed: counted(({ now, length }) => Math.floor(now / length) * length),
  'from-first': counted(({ now }) => now),
  sliding,
  'token-bucket': bucket,
} as Readonly<Record<WindowKind, Kind<WindowState>>>;
export const windowKind = z.literal(Object.keys(kinds) as WindowKind[]);

/** What counts requests over `length` ms. Times are ms since the epoch. */
export type Window = ReturnType<typeof createWindow>;

/** @throws TypeError for the state of a window of another kind. */
// The return type is that of the created window.
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types
export function createWindow(
  name: WindowKind,
  length: number,
  reset: Assumptions['resetMeaning'],
  saved?: WindowState,
) {
  const kind = kinds[name];
  const empty = kind.empty();
  if (saved && !Object.keys(empty).every((field) => field in saved))
    throw new TypeError('The state is that of a window of another kind');
  let state = saved ? structuredClone(saved) : empty;
  const at = (now: number, limit: number) => {
    const moment = { now, limit, length, reset };
    return [kind.current(state, moment), moment] as const;
  };
  return {
    view: (now: number, limit: number) => kind.view(...at(now, limit)),
    /** A request has come that is not counted: what is over by now stays over, also when the clock is set back later. */
    arrive(now: number, limit: number) {
      [state] = at(now, limit);
    },
    count(now: number, limit: number) {
      state = kind.count(...at(now, limit));
    },
    /** Sets the number of requests left, from 0 to the limit. */
    setRemaining(now: number, limit: number, remaining: number) {
      state = kind.use(limit - remaining, ...at(now, limit));
    },
    /** The state as plain JSON. */
    save: () => structuredClone(state),
  };
}
