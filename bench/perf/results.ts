import type { Request } from './answers.js';
import type { Memory } from './cases/memory.js';
import type { Million } from './cases/million.js';
import { inProcess } from './in-process.js';
import type { Plan } from './plan.js';
import { start } from './ports.js';
import type { Ratio } from './stats.js';

export type PortFigures = Ratio & { readonly firstAnswer: number };
export type GateFigures = { readonly us: number; readonly low: number; readonly high: number };

/** All that a run has found, by what was measured. */
export interface Results {
  readonly requests: Record<string, Partial<Record<Request, Ratio>>>;
  readonly loopback: Record<string, { readonly one: Ratio; readonly fifty: Ratio }>;
  readonly parsing: Record<string, Ratio>;
  readonly gate: Record<string, GateFigures>;
  readonly coldStart: Record<string, readonly [median: number, low: number, high: number]>;
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
  const requests = await each(plan.clients, (client) =>
    each(plan.requests, (request) => inProcess<Ratio>('request', { client, request, ...common })),
  );
  const far = await start('node:http by hand', dist);
  const url = new URL(far.url).origin;
  const loopback = await each(plan.overLoopback, async (client) => ({
    one: await inProcess<Ratio>('loopback', { client, url, atOnce: 1, ...common }),
    fifty: await inProcess<Ratio>('loopback', { client, url, atOnce: 50, ...common }),
  }));
  far.stop();
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
