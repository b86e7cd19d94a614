import type { Request } from './answers.js';
import type { Memory } from './cases/memory.js';
import type { ImportTime } from './cases/cold-start.js';
import type { Million } from './cases/million.js';
import { inProcess } from './in-process.js';
import type { Plan } from './plan.js';
import { start } from './ports.js';
import type { Ratio } from './stats.js';
import { inTurns, type Steady } from './steady.js';

export type PortFigures = Ratio & { readonly firstAnswer: number };
export type GateFigures = { readonly us: number; readonly low: number; readonly high: number };

/** What each client needs for each request, beside `fetch` and `JSON.parse`. */
export type Requests = Partial<Record<Request, Record<string, Steady>>>;

/** All that a run has found, by what was measured. */
export interface Results {
  readonly requests: Requests;
  readonly loopback: Record<'one' | 'fifty', Record<string, Steady>>;
  readonly parsing: Record<string, Ratio>;
  readonly gate: Record<string, GateFigures>;
  readonly coldStart: Record<string, ImportTime>;
  readonly mocks: Record<string, Ratio>;
  readonly ports: Record<string, PortFigures>;
  readonly million: Million;
  readonly growth: Record<string, Record<string, number>>;
  readonly memory: Memory;
  readonly gates: { readonly bytesPerKey: number };
}

const parsed = [
  'contract, 100 pets',
  'zod, 100 pets',
  'zod without JIT, 100 pets',
  'int64, no id long',
  'int64, all ids long',
];

/** Measures it all, one thing after another, each in a process of its own. */
export async function measure(
  plan: Plan,
  dist: URL,
  progress: (what: string) => void,
): Promise<Results> {
  const { effort } = plan;
  const common = { dist: dist.href, effort };
  const each = async <T>(
    names: readonly (string | number)[],
    run: (name: never) => Promise<T>,
  ): Promise<Record<string, T>> => {
    const found: Record<string, T> = {};
    for (const name of names) {
      found[name] = await run(name as never);
      progress(String(name));
    }
    return found;
  };
  const requests = await measureRequests(plan, dist, progress);
  const loopback = await measureLoopback(plan, dist, progress);
  return {
    requests,
    loopback,
    parsing: await each(parsed, (what) => inProcess<Ratio>('parse', { what, ...common })),
    gate: await each(plan.waiting, (waiting) =>
      inProcess<GateFigures>('gate', { waiting, ...common }),
    ),
    coldStart: await inProcess('cold-start', { ...common, rounds: plan.coldStarts }),
    mocks: await each(plan.mocks, (mock) => inProcess<Ratio>('mock', { mock, ...common })),
    ports: await each(plan.servers, (server) =>
      inProcess<PortFigures>('port', { server, ...common }),
    ),
    million: await inProcess<Million>('million', { pets: plan.pets, ...common }, ['--expose-gc']),
    growth: await each(
      plan.growth.map(([what]) => what),
      (what: string) => {
        const counts = plan.growth.find(([name]) => name === what)?.[1] ?? [];
        return each(counts, (count) => inProcess<number>('growth', { what, count, ...common }));
      },
    ),
    memory: await inProcess<Memory>('memory', { calls: plan.calls, ...common }, ['--expose-gc']),
    gates: await inProcess<{ bytesPerKey: number }>(
      'gates-dropped',
      { keys: Math.min(5_000, plan.calls / 20), ...common },
      ['--expose-gc'],
    ),
  };
}

/** Each request through each client, without a network. */
export async function measureRequests(
  { clients, requests, steady }: Plan,
  dist: URL,
  progress: (what: string) => void,
): Promise<Requests> {
  const found: Requests = {};
  for (const request of requests) {
    found[request] = await inTurns(
      byName(clients, (client) => ({ client, request, dist: dist.href, atOnce: 1 })),
      steady,
    );
    progress(request);
  }
  return found;
}

/** 100 pets from a service in a process of its own, one call at a time and 50 at once. */
export async function measureLoopback(
  { overLoopback, steadyOverLoopback }: Plan,
  dist: URL,
  progress: (what: string) => void,
): Promise<Results['loopback']> {
  const service = await start('node:http by hand', dist);
  const url = new URL(service.url).origin;
  const measured = async (atOnce: number) => {
    const found = await inTurns(
      byName(overLoopback, (client) => ({
        client,
        request: 'list',
        dist: dist.href,
        url,
        atOnce,
      })),
      steadyOverLoopback,
    );
    progress(`loopback, ${atOnce} at once`);
    return found;
  };
  const loopback = { one: await measured(1), fifty: await measured(50) };
  service.stop();
  return loopback;
}

function byName<Name extends string, T>(
  names: readonly Name[],
  make: (name: Name) => T,
): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;
}
