import type { MockClock, MockService } from '../../mocks/index.js';
import { optimum } from './optimum.js';
import { arrivals, exponential, perMinute, seeded, serviceOptions } from './scenario.js';
import type { CreateMockService, Random, Scenario } from './scenario.js';

/** The key that all processes of a run share. */
const apiKey = 'bench-key';
const access = {
  apiKey,
  baseUrl: 'https://api.petstore.example/v1',
  /** That name the key, for a client which knows none. */
  headers: { authorization: `Bearer ${apiKey}` },
};

/** Six hours before the day's end, and far from any removal date. */
const day = Date.UTC(2029, 5, 1, 18);
/** After three hours a run is over: whoever still waits hangs. */
const patience = 3 * 3_600_000;

/** A service, and time on its clock, which passes as fast as the work in it allows. */
interface World {
  readonly service: MockService;
  /** Lets time pass until `work` is settled, or until `limit` ms have passed. */
  run(work: Promise<unknown>, limit: number): Promise<void>;
}

/** Makes the world of one run, whose clock starts at `epoch`. */
export type MakeWorld = (options: ReturnType<typeof serviceOptions>, epoch: number) => World;

/** For clients that take a clock: the service's own virtual one, which moves on by itself when nothing else is to be done. */
export function virtualWorld(createMockService: CreateMockService): MakeWorld {
  return (options, epoch) => {
    const service = createMockService({ ...options, clock: 'virtual', now: epoch });
    return {
      service,
      async run(work, limit) {
        const over = new AbortController();
        const late = service.clock.sleep(limit, over.signal).catch(() => undefined);
        await Promise.race([work, late]);
        over.abort();
      },
    };
  };
}

/** What a client gets: a process of its own, and the key that it shares with the others. */
export type Process = typeof access & {
  readonly index: number;
  /** Requests a minute, of the plan. */
  readonly limit: number;
  readonly fetch: typeof globalThis.fetch;
  /** For a client that takes a clock: that of the service, and how far the one of its process is ahead of it, ms. */
  readonly time: MockClock;
  readonly skew: number;
  /** Of this process alone. */
  readonly random: Random;
};

/**
 * A client under test, started once a process and run. Gives one call for a list of pets, as a user of that client would
 * write it, which rejects when the client gives up.
 */
export type Start = (process: Process) => () => PromiseLike<unknown>;

/** What became of one call. Times are ms since the run began. */
export interface Outcome {
  readonly process: number;
  /** The how-manieth call of its process this is, from 0. */
  readonly index: number;
  readonly wantedAt: number;
  readonly endedAt: number;
  readonly ok: boolean;
}

/** One request, and the status of the answer when there was one. */
interface Sent {
  readonly process: number;
  status?: number;
}

/** A `fetch` for one process that takes 0.3 × rtt + Exp(0.2 × rtt) each way, and writes down what passed. */
function network(
  service: MockService,
  random: Random,
  rtt: number,
  journal: Sent[],
  process: number,
): typeof globalThis.fetch {
  const way = () => service.clock.sleep(0.3 * rtt + exponential(random, 0.2 * rtt));
  return async (input, init) => {
    const request = new Request(input, init);
    const sent: Sent = { process };
    journal.push(sent);
    await way();
    request.signal.throwIfAborted();
    const response = await service.handle(request);
    sent.status = response.status;
    await way();
    request.signal.throwIfAborted();
    return response;
  };
}

/** Everything that happened in one run. */
export type Run = Awaited<ReturnType<typeof run>>;

/** Puts one client through one scenario. The same seed gives the same arrivals, latencies and phase of the window. */
export async function run(scenario: Scenario, start: Start, makeWorld: MakeWorld, seed: number) {
  const { workload, processes = 1, skews = [0], rtt = 100, spent = false, dayLeft } = scenario;
  const random = seeded(seed);
  const epoch = day + Math.floor(random() * 60_000);
  const world = makeWorld(serviceOptions(scenario, apiKey, seed), epoch);
  const { service } = world;
  const time = service.clock;
  const key = service.keys.get(apiKey);
  if (spent) key.exhaust('minute');
  if (dayLeft !== undefined) key.setRemaining('day', dayLeft);
  const wanted = Array.from({ length: processes }, (_, at) => arrivals(scenario, at, random));
  const journal: Sent[] = [];
  const outcomes: Outcome[] = [];
  const now = () => time.now() - epoch;
  const limit = perMinute(scenario);
  const work = wanted.map(async (times, process) => {
    const skew = skews[process % skews.length]!;
    const fetch = network(service, random, rtt, journal, process);
    const own = seeded(seed * 100 + process);
    const call = start({ ...access, index: process, limit, fetch, time, skew, random: own });
    const queue = times.entries();
    const worker = async () => {
      for (const [index, wantedAt] of queue) {
        if (wantedAt > now()) await time.sleep(wantedAt - now());
        const ok = await call().then(
          () => true,
          () => false,
        );
        outcomes.push({ process, index, wantedAt, endedAt: now(), ok });
      }
    };
    const workers = workload.kind === 'closed' ? workload.concurrency : times.length;
    await Promise.all(Array.from({ length: workers }, worker));
  });
  await world.run(Promise.all(work), patience);
  const sorted = wanted.flat().sort((a, b) => a - b);
  const window = scenario.limiter?.window ?? 'fixed';
  const rule = { limit, window, epoch, spent };
  const { duringCoolDown: inCoolDown, bans } = service.report();
  return {
    scenario,
    calls: sorted.length,
    /** Ended calls, in the order of their ends. Calls that hang are missing. */
    outcomes,
    /** Requests, in the order in which they were sent. */
    journal,
    /** Requests that reached the service while a 429 or a ban told to wait. */
    inCoolDown,
    bans,
    /** When an all-knowing client without latency would have been served, ms since the run began, a call. */
    best: optimum(sorted.slice(0, dayLeft), rule),
  };
}
