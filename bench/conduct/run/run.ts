import type { Call, Client } from './client.js';
import { network, type Sent } from '../scenario/network.js';
import { optimum } from '../report/optimum.js';
import { seeded } from '../scenario/random.js';
import { perMinute, type Scenario } from '../scenario/scenario.js';
import { serviceOptions } from '../scenario/service-options.js';
import { arrivals } from '../scenario/workload.js';
import type { MakeWorld, World } from './world.js';

/** The key that all processes of a run share. */
export const apiKey = 'bench-key';
export const baseUrl = 'https://api.petstore.example/v1';

/** Six hours before the day's end, and far from any removal date. */
const day = Date.UTC(2029, 5, 1, 18);
/** After three hours a run is over: whoever still waits hangs. */
const patience = 3 * 3_600_000;

/** What became of one call. Times are ms since the run began. */
export interface Outcome {
  readonly process: number;
  /** The how-manieth call of its process this is, from 0. */
  readonly index: number;
  readonly wantedAt: number;
  readonly endedAt: number;
  readonly ok: boolean;
  readonly error?: string;
}

/** Everything that happened in one run. */
export interface Run {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly calls: number;
  /** Ended calls, in the order of their ends. Calls that hang are missing. */
  readonly outcomes: readonly Outcome[];
  /** Requests, in the order in which they were sent. Times are ms since the run began. */
  readonly journal: readonly Sent[];
  /** Requests that reached the service while a 429 or a ban told to wait. */
  readonly inCoolDown: number;
  readonly bans: number;
  /** When an all-knowing client without latency would have been served, ms since the run began, a call. */
  readonly best: readonly number[];
}

/** Puts one client through one scenario. The same seed gives the same arrivals, latencies and phase of the window. */
export async function run(
  scenario: Scenario,
  client: Client,
  makeWorld: MakeWorld,
  seed: number,
): Promise<Run> {
  const random = seeded(seed);
  const epoch = day + Math.floor(random() * 60_000);
  const world = makeWorld(serviceOptions(scenario, apiKey, seed), epoch);
  const key = world.service.keys.get(apiKey);
  if (scenario.spent) key.exhaust('minute');
  if (scenario.dayLeft !== undefined) key.setRemaining('day', scenario.dayLeft);
  const wanted = Array.from({ length: scenario.processes ?? 1 }, (_, process) =>
    arrivals(scenario, process, random),
  );
  const wire = {
    service: world.service,
    time: world.time,
    random,
    rtt: scenario.rtt ?? 100,
    journal: [] as Sent[],
  };
  const outcomes: Outcome[] = [];
  const now = () => world.time.now() - epoch;
  const work = Promise.all(
    wanted.map(async (times, index) => {
      const skew = scenario.skews?.[index % scenario.skews.length] ?? 0;
      const fetch = network(wire, index, skew);
      const call = await client.start({
        index,
        fetch,
        baseUrl,
        apiKey,
        world,
        random: seeded(seed * 100 + index),
      });
      await callAll(scenario, times, world, epoch, async (wantedAt, callIndex) => {
        const [ok, error] = await attempt(call);
        outcomes.push({
          process: index,
          index: callIndex,
          wantedAt,
          endedAt: now(),
          ok,
          ...(error && { error }),
        });
      });
    }),
  );
  await world.run(work, patience);
  const sorted = wanted.flat().sort((a, b) => a - b);
  const rule = {
    limit: perMinute(scenario),
    window: scenario.limiter?.window ?? 'fixed',
    epoch,
    spent: scenario.spent ?? false,
  } as const;
  return {
    scenario,
    seed,
    calls: sorted.length,
    outcomes,
    journal: wire.journal.map((sent) => relative(sent, epoch)),
    inCoolDown: world.service.report().duringCoolDown,
    bans: world.service.report().bans,
    best: optimum(sorted.slice(0, scenario.dayLeft), rule),
  };
}

async function callAll(
  scenario: Scenario,
  times: readonly number[],
  { time }: World,
  epoch: number,
  call: (wantedAt: number, index: number) => Promise<void>,
): Promise<void> {
  const until = (at: number) => {
    const wait = epoch + at - time.now();
    return wait > 0 ? time.sleep(wait) : undefined;
  };
  const queue = times.entries();
  const worker = async () => {
    for (const [index, at] of queue) {
      await until(at);
      await call(at, index);
    }
  };
  if (scenario.workload.kind === 'closed')
    return void (await Promise.all(Array.from({ length: scenario.workload.concurrency }, worker)));
  const calls: Promise<void>[] = [];
  for (const [index, at] of queue) {
    await until(at);
    calls.push(call(at, index));
  }
  await Promise.all(calls);
}

async function attempt(call: Call): Promise<[ok: boolean, error?: string]> {
  try {
    await call();
    return [true];
  } catch (error) {
    return [false, error instanceof Error ? `${error.name}: ${error.message}` : String(error)];
  }
}

function relative(sent: Sent, epoch: number): Sent {
  return {
    ...sent,
    sentAt: sent.sentAt - epoch,
    ...(sent.answeredAt !== undefined && { answeredAt: sent.answeredAt - epoch }),
  };
}
