import type { HeaderForm, Limiter, PlanName, Scenario, Workload } from './scenario/scenario.js';

/** What must hold for the runs of a row. Means over the runs, but for `requests`, which is the most of any run. */
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
  readonly name: string;
  readonly target: Target;
  readonly scenarios: readonly Scenario[];
}

type Load = Pick<Scenario, 'plan' | 'workload'>;

const load = (plan: PlanName, workload: Workload): Load => ({ plan, workload });
const bulk: readonly Load[] = [
  load('free', { kind: 'burst', calls: 500 }),
  load('pro', { kind: 'closed', calls: 1_000, concurrency: 50 }),
  load('business', { kind: 'burst', calls: 3_000 }),
];
const flow: readonly Load[] = [0.5, 0.95, 1.5].map((share) =>
  load('pro', { kind: 'poisson', load: share, minutes: 5 }),
);

const told: readonly HeaderForm[] = [
  'seconds',
  'floored',
  'http-date',
  'no-retry-after',
  'constant-1',
  'no-date',
];
const skews = [-120_000, -5_000, 0, 5_000, 120_000];
const rolling: readonly Limiter[] = [
  { window: 'from-first' },
  { window: 'sliding', reset: 'next' },
  { window: 'sliding', reset: 'full' },
  { window: 'sliding', reset: 'next', refusedCount: true },
  { window: 'token-bucket', reset: 'next' },
];
const bucketFull: Limiter = { window: 'token-bucket', reset: 'full' };

/** Every combination of the parts, each with the rest of the scenario. */
function cross(
  loads: readonly Load[],
  ...parts: readonly (readonly Partial<Scenario>[])[]
): Scenario[] {
  let all: Scenario[] = loads.map((each) => ({ name: describe(each), ...each }));
  for (const options of parts)
    all = all.flatMap((each) => options.map((option) => ({ ...each, ...option })));
  return all;
}

const describe = ({ plan, workload }: Load): string =>
  `${plan} ${Object.values(workload).join(' ')}`;
const limiters = (list: readonly Limiter[]) => list.map((limiter) => ({ limiter }));
const forms = (list: readonly HeaderForm[]) => list.map((headers) => ({ headers }));
const clocks = (list: readonly number[]) => list.map((skew) => ({ skews: [skew] }));
const trips = (list: readonly number[]) => list.map((rtt) => ({ rtt }));

/**
 * Processes that start one after the other, with clocks that differ, and share the limit. Three and a half windows of work:
 * with whole ones a single slot left unused would cost a window more.
 */
function shared(counts: readonly number[], list: readonly Limiter[]): Scenario[] {
  return counts.flatMap((processes) =>
    [120, 600].flatMap((limit) => {
      const loads = [
        load('pro', { kind: 'burst', calls: Math.ceil((3.5 * limit) / processes) }),
        load('pro', {
          kind: 'closed',
          calls: Math.ceil((3.5 * limit) / processes),
          concurrency: Math.ceil(50 / processes),
        }),
        load('pro', { kind: 'poisson', load: 1.1, minutes: 4 }),
      ];
      const rest = { limit, processes, skews: [-7_000, 60_000, 0, -200_000] };
      const staggers = [0, 3_100, 23_000].map((stagger) => ({ stagger }));
      return cross(
        loads,
        [rest],
        staggers,
        limiters(list),
        forms(['seconds', 'floored', 'http-date']),
        trips([60, 200]),
      );
    }),
  );
}

const counted: readonly Limiter[] = [{ window: 'fixed' }, { window: 'from-first' }];
const sliding = rolling.slice(1);
const dayLeft = (plan: PlanName): Scenario[] =>
  cross(
    [
      load(plan, { kind: 'burst', calls: 300 }),
      load(plan, { kind: 'closed', calls: 300, concurrency: 50 }),
    ],
    [{ dayLeft: 100 }],
  );

/** What the client promises, a row for each promise. */
export const grid: readonly Row[] = [
  {
    name: '1 process, fixed window, any header form, clocks ±120 s',
    target: { refused: 0, banned: 0, span: 1.03 },
    scenarios: cross([...bulk, ...flow], forms(told), clocks(skews)),
  },
  {
    name: '1 process, rolling window, any header form, clocks ±120 s',
    target: { refused: 0, banned: 0, span: 1.07 },
    scenarios: cross(
      [...bulk.slice(0, 2), ...flow.slice(1)],
      limiters(rolling),
      forms(['seconds', 'floored', 'http-date', 'no-retry-after']),
      clocks([-120_000, 0, 120_000]),
    ),
  },
  {
    name: '1 process, bucket whose Reset is the moment it is full',
    target: { refused: 0, banned: 0, span: 1.4 },
    scenarios: cross(
      [...bulk.slice(0, 2), ...flow],
      limiters([bucketFull]),
      forms(['seconds', 'http-date']),
    ),
  },
  {
    name: '1 process, round trips of 30 to 400 ms',
    target: { refused: 0, banned: 0, span: 1.03 },
    scenarios: cross([...bulk, ...flow], trips([30, 60, 200, 400])),
  },
  {
    name: 'the minute exhausted at the start',
    target: { refused: 1, banned: 0, span: 1.05 },
    scenarios: cross(
      [load('free', { kind: 'burst', calls: 100 }), load('pro', { kind: 'burst', calls: 500 })],
      [{ spent: true }],
      forms(told),
      clocks(skews),
    ),
  },
  {
    name: '2 or 4 processes, fixed windows',
    target: { refusedPerThousand: 0.6, banned: 0, span: 1.04 },
    scenarios: shared([2, 4], counted),
  },
  {
    name: '7 processes, fixed windows',
    target: { refusedPerThousand: 2, banned: 0, span: 1.05 },
    scenarios: shared([7], counted),
  },
  {
    name: '2 or 4 processes, rolling windows',
    target: { refusedPerThousand: 4, banned: 0.003, span: 1.1 },
    scenarios: shared([2, 4], sliding),
  },
  {
    name: '7 processes, rolling windows',
    target: { refusedPerThousand: 7, banned: 0.05, span: 1.1 },
    scenarios: shared([7], sliding),
  },
  {
    name: '2 to 7 processes, a burst of 400 on Free, fixed window',
    target: { refusedPerThousand: 2, banned: 0, span: 1.05 },
    scenarios: [2, 3, 4, 5, 6, 7].flatMap((processes) =>
      cross(
        [load('free', { kind: 'burst', calls: Math.ceil(400 / processes) })],
        [{ processes }],
        forms(['seconds', 'floored']),
      ),
    ),
  },
  {
    name: 'nodes that disagree on Remaining and on the time',
    target: { refusedPerThousand: 4, banned: 0, span: 1.05 },
    scenarios: cross([...bulk, ...flow], [{ nodes: true }], forms(['seconds', 'http-date'])),
  },
  {
    name: '100 requests left in the day, Free',
    target: { refused: 4, banned: 0 },
    scenarios: dayLeft('free'),
  },
  {
    name: 'all of a day, by one process: 1,100 calls on Free, 10,100 on Pro',
    target: { refused: 4, banned: 0, span: 1.03 },
    scenarios: cross([load('free', { kind: 'burst', calls: 1_100 })], [{ dayLeft: 1_000 }]).concat(
      cross(
        [load('pro', { kind: 'closed', calls: 10_100, concurrency: 50 })],
        [{ dayLeft: 10_000 }],
      ),
    ),
  },
  {
    name: '100 requests left in the day, unknown to the client, Pro',
    target: { refused: 20, banned: 1 },
    scenarios: dayLeft('pro'),
  },
  {
    name: '100 requests left in the day, unknown to the client, Business',
    target: { refused: 67, banned: 1 },
    scenarios: dayLeft('business'),
  },
  {
    name: 'neither Retry-After nor Reset, Pro and Business',
    target: { refusedPerThousand: 5, banned: 0, span: 1.35 },
    scenarios: cross([...bulk.slice(1), ...flow], forms(['no-hints'])),
  },
  {
    name: 'neither Retry-After nor Reset, Free',
    target: { refusedPerThousand: 20, banned: 0, span: 1.35 },
    scenarios: cross(bulk.slice(0, 1), forms(['no-hints'])),
  },
];
