// @ts-nocheck
import { burst, closed, headerForms, poisson } from './scenario.js';
import type { Limiter, PlanName, Scenario, Workload } from './scenario.js';

/** The situations through which every client goes. */
export const headline: Readonly<Record<string, Scenario>> = {
  '500 at once, Free': { plan: 'free', workload: burst(500) },
  '1,000 by 50, Pro': { plan: 'pro', workload: closed(1_000, 50) },
  '3,000 at once, Business': { plan: 'business', workload: burst(3_000) },
  'half the limit, Pro': { plan: 'pro', workload: poisson(0.5, 10) },
  '0.95 × the limit, Pro': { plan: 'pro', workload: poisson(0.95, 10) },
  '1.5 × the limit, Pro': { plan: 'pro', workload: poisson(1.5, 6) },
  '4 processes × 100 at once, Free': { plan: 'free', workload: burst(100), processes: 4 },
  '4 processes, 1.2 × the limit, Pro': { plan: 'pro', workload: poisson(1.2, 5), processes: 4 },
  '300 at once, 100 left today, Free': { plan: 'free', workload: burst(300), dayLeft: 100 },
  '100 at once, minute exhausted, Free': { plan: 'free', workload: burst(100), spent: true },
};

/** What must hold for the runs of a row. Means over the runs, but for `refused`. */
export interface Target {
  readonly refusedPerThousand?: number;
  /** Requests answered with 429 in any one run. */
  readonly refused?: number;
  /** Share of the runs in which the key was banned. */
  readonly banned: number;
  /** Mean time / ideal time. */
  readonly span?: number;
}

/** A row of the table: many scenarios, one promise. */
export interface Row {
  readonly target: Target;
  readonly scenarios: readonly Scenario[];
}

const on = (plan: PlanName, ...workloads: Workload[]): Scenario[] =>
  workloads.map((workload) => ({ plan, workload }));
const bulk = [
  ...on('free', burst(500)),
  ...on('pro', closed(1_000, 50)),
  ...on('business', burst(3_000)),
];
const flow = on('pro', poisson(0.5, 5), poisson(0.95, 5), poisson(1.5, 5));

const told = headerForms.filter((form) => form !== 'no-hints');
const skews = [[-120_000], [-5_000], [0], [5_000], [120_000]];
const counted: readonly Limiter[] = [{ window: 'fixed' }, { window: 'from-first' }];
const sliding: readonly Limiter[] = [
  { window: 'sliding', reset: 'next' },
  { window: 'sliding', reset: 'full' },
  { window: 'sliding', reset: 'next', refusedCount: true },
  { window: 'token-bucket', reset: 'next' },
];
const rolling: readonly Limiter[] = [{ window: 'from-first' }, ...sliding];
const bucketFull: Limiter = { window: 'token-bucket', reset: 'full' };

/** The loads with every combination of what is listed for the parts of a scenario. */
function cross(
  loads: readonly Scenario[],
  parts: { readonly [Part in keyof Scenario]?: readonly Scenario[Part][] },
): Scenario[] {
  return Object.entries(parts).reduce<Scenario[]>(
    (all, [part, list]) => all.flatMap((each) => list.map((one) => ({ ...each, [part]: one }))),
    [...loads],
  );
}

/**
 * Processes that start one after the other, with clocks that differ, and share the limit. Three and a half windows of work:
 * with whole ones a single slot left unused would cost a window more.
 */
function shared(counts: readonly number[], list: readonly Limiter[]): Scenario[] {
  return counts.flatMap((processes) =>
    [120, 600].flatMap((limit) => {
      const calls = Math.ceil((3.5 * limit) / processes);
      return cross(
        on('pro', burst(calls), closed(calls, Math.ceil(50 / processes)), poisson(1.1, 4)),
        {
          limit: [limit],
          processes: [processes],
          skews: [[-7_000, 60_000, 0, -200_000]],
          stagger: [0, 3_100, 23_000],
          limiter: list,
          headers: ['seconds', 'floored', 'http-date'],
          rtt: [60, 200],
        },
      );
    }),
  );
}

const dayLeft = (plan: PlanName) =>
  cross(on(plan, burst(300), closed(300, 50)), { dayLeft: [100] });

/** What the client promises, a row for each promise. */
export const grid: Readonly<Record<string, Row>> = {
  '1 process, fixed window, any header form, clocks ±120 s': {
    target: { refused: 0, banned: 0, span: 1.03 },
    scenarios: cross([...bulk, ...flow], { headers: told, skews }),
  },
  '1 process, rolling window, any header form, clocks ±120 s': {
    target: { refused: 0, banned: 0, span: 1.07 },
    scenarios: cross([...bulk.slice(0, 2), ...flow.slice(1)], {
      limiter: rolling,
      headers: ['seconds', 'floored', 'http-date', 'no-retry-after'],
      skews: [[-120_000], [0], [120_000]],
    }),
  },
  '1 process, bucket whose Reset is the moment it is full': {
    target: { refused: 0, banned: 0, span: 1.4 },
    scenarios: cross([...bulk.slice(0, 2), ...flow], {
      limiter: [bucketFull],
      headers: ['seconds', 'http-date'],
    }),
  },
  '1 process, round trips of 30 to 400 ms': {
    target: { refused: 0, banned: 0, span: 1.03 },
    scenarios: cross([...bulk, ...flow], { rtt: [30, 60, 200, 400] }),
  },
  'the minute exhausted at the start': {
    target: { refused: 1, banned: 0, span: 1.05 },
    scenarios: cross([...on('free', burst(100)), ...on('pro', burst(500))], {
      spent: [true],
      headers: told,
      skews,
    }),
  },
  '2 or 4 processes, fixed windows': {
    target: { refusedPerThousand: 0.6, banned: 0, span: 1.04 },
    scenarios: shared([2, 4], counted),
  },
  '7 processes, fixed windows': {
    target: { refusedPerThousand: 2, banned: 0, span: 1.05 },
    scenarios: shared([7], counted),
  },
  '2 or 4 processes, rolling windows': {
    target: { refusedPerThousand: 4, banned: 0.003, span: 1.1 },
    scenarios: shared([2, 4], sliding),
  },
  '7 processes, rolling windows': {
    target: { refusedPerThousand: 7, banned: 0.05, span: 1.1 },
    scenarios: shared([7], sliding),
  },
  '2 to 7 processes, a burst of 400 on Free, fixed window': {
    target: { refusedPerThousand: 2, banned: 0, span: 1.05 },
    scenarios: [2, 3, 4, 5, 6, 7].flatMap((processes) =>
      cross(on('free', burst(Math.ceil(400 / processes))), {
        processes: [processes],
        headers: ['seconds', 'floored'],
      }),
    ),
  },
  'nodes that disagree on Remaining and on the time': {
    target: { refusedPerThousand: 4, banned: 0, span: 1.05 },
    scenarios: cross([...bulk, ...flow], { nodes: [true], headers: ['seconds', 'http-date'] }),
  },
  '100 requests left in the day, Free': {
    target: { refused: 4, banned: 0 },
    scenarios: dayLeft('free'),
  },
  'all of a day, by one process: 1,100 calls on Free, 10,100 on Pro': {
    target: { refused: 4, banned: 0, span: 1.03 },
    scenarios: [
      { plan: 'free', workload: burst(1_100), dayLeft: 1_000 },
      { plan: 'pro', workload: closed(10_100, 50), dayLeft: 10_000 },
    ],
  },
  '100 requests left in the day, unknown to the client, Pro': {
    target: { refused: 20, banned: 1 },
    scenarios: dayLeft('pro'),
  },
  '100 requests left in the day, unknown to the client, Business': {
    target: { refused: 67, banned: 1 },
    scenarios: dayLeft('business'),
  },
  'neither Retry-After nor Reset, Pro and Business': {
    target: { refusedPerThousand: 5, banned: 0, span: 1.35 },
    scenarios: cross([...bulk.slice(1), ...flow], { headers: ['no-hints'] }),
  },
  'neither Retry-After nor Reset, Free': {
    target: { refusedPerThousand: 20, banned: 0, span: 1.35 },
    scenarios: cross(bulk.slice(0, 1), { headers: ['no-hints'] }),
  },
};
