/**
 * Real processes, a real store and a real service on loopback, in real time. The rough rows go through SIGSTOP, SIGKILL, a paused store, lost memory,
 * `kill -9` and a failover.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { createMockService } from '../../mocks/index.js';
import type { serve } from '../../mocks/server.js';
import { root } from '../product.js';
import { ReplicatedRedis } from './real-store.js';

interface RealRow {
  readonly name: string;
  /** What the worker does: see real-worker.mjs. */
  readonly kind: 'redis' | 'sqlite' | 'alone' | 'rate-limiter-flexible' | 'bottleneck';
  readonly processes: number;
  readonly seconds: number;
  readonly faults: string;
}

/** With faults: each request takes this long, and each worker pauses so long on average, ms. Some requests are in flight at any time then. */
const slow = { delay: 1_500, pause: 5_500 };

const realRows: readonly RealRow[] = [
  {
    name: 'fleet, Redis',
    kind: 'redis',
    processes: 8,
    seconds: 165,
    faults:
      'SIGSTOP 25 s, SIGKILL, CLIENT PAUSE 3 s, FLUSHALL and SCRIPT FLUSH, kill −9 and an empty restart, a failover',
  },
  {
    name: 'fleet, SQLite',
    kind: 'sqlite',
    processes: 8,
    seconds: 100,
    faults: 'SIGSTOP 25 s, SIGKILL',
  },
  { name: 'fleet, Redis', kind: 'redis', processes: 16, seconds: 100, faults: '–' },
  { name: 'fleet, SQLite', kind: 'sqlite', processes: 16, seconds: 100, faults: '–' },
  {
    name: 'none: gates that do not know of each other',
    kind: 'alone',
    processes: 8,
    seconds: 100,
    faults: '–',
  },
  {
    name: '`rate-limiter-flexible` 11.4, 300 a minute in Redis',
    kind: 'rate-limiter-flexible',
    processes: 8,
    seconds: 100,
    faults: '–',
  },
  {
    name: 'Bottleneck 2.19, a reservoir of 300 a minute in Redis',
    kind: 'bottleneck',
    processes: 8,
    seconds: 100,
    faults: '–',
  },
];

/** What came of a row. */
export interface RealFigures extends RealRow {
  readonly served: number;
  /** What the windows allow, with what the killed process has served: it cannot tell. With faults the workers pause, and it is `null`. */
  readonly possible: number | null;
  readonly failed: number;
  readonly rateLimited: number;
  readonly bans: number;
  readonly tripsPerThousand: number;
  /** ms. */
  readonly p50: number;
  readonly perProcess: readonly number[];
  /** What happened, in order. */
  readonly log?: readonly string[];
}

/** The rows whose name or faults contain `text`, two at a time. The others keep their figures. */
export async function runReals(
  text: string,
  known: readonly RealFigures[],
  log: (line: string) => void,
): Promise<RealFigures[]> {
  const figures = [...known];
  const queue = realRows
    .map((row, at) => [at, row] as const)
    .filter(([, { name, faults }]) => `${name} ${faults}`.includes(text))
    .values();
  const work = async () => {
    for (const [at, row] of queue)
      figures[at] = await runReal(row, (line) => log(`${row.kind} ${row.processes}: ${line}`));
  };
  await Promise.all([work(), work()]);
  return figures;
}

/** What a process reports at the end. */
interface WorkerFigures {
  readonly served: number;
  readonly failed: number;
  readonly trips: number;
  readonly p50: number;
}

async function runReal(row: RealRow, log: (line: string) => void): Promise<RealFigures> {
  const mocks = (await import(new URL('dist/mocks/index.js', root).href)) as {
    createMockService: typeof createMockService;
  };
  const server = (await import(new URL('dist/mocks/server.js', root).href)) as {
    serve: typeof serve;
  };
  const service = mocks.createMockService({ journalLimit: 1_000_000 });
  const isRough = row.faults !== '–';
  service.faults.add({ delay: isRough ? slow.delay : 50 });
  const web = await server.serve(service, { port: 0 });
  const folder = mkdtempSync(join(tmpdir(), 'fleet-bench-'));
  const needsRedis = row.kind !== 'sqlite' && row.kind !== 'alone';
  const redis = needsRedis ? await ReplicatedRedis.start() : undefined;
  const windowAt = () => Math.floor(Date.now() / 60_000);
  const firstWindow = windowAt();

  const results: WorkerFigures[] = [];
  const inFlight = new Map<ChildProcess, number>();
  const began = performance.now();
  const lines: string[] = [];
  const note = (line: string) => {
    lines.push(`${((performance.now() - began) / 1_000).toFixed(1)} s ${line}`);
    log(line);
  };
  const children = Array.from({ length: row.processes }, (_, index) => {
    const child = fork(
      fileURLToPath(new URL('real-worker.mjs', import.meta.url)),
      [
        row.kind,
        web.url,
        String(redis?.port ?? 0),
        join(folder, 'fleet.db'),
        root.href,
        String(isRough ? slow.pause : 0),
      ],
      { execArgv: ['--no-warnings'] },
    );
    child.on('message', (message: { event: string } | { inFlight: number } | WorkerFigures) => {
      if ('inFlight' in message) inFlight.set(child, message.inFlight);
      else if (!('event' in message)) results.push(message);
      else if (isRough && message.event !== 'ready') note(`process ${index}: ${message.event}`);
    });
    return child;
  });
  if (isRough) planFaults(children, redis, inFlight, note);
  await sleep(row.seconds * 1_000);
  for (const child of children) if (child.connected) child.send('end');
  await sleep(1_000);
  for (const child of children) child.kill('SIGKILL');
  redis?.stop();
  const report = service.report();
  await web.close();
  rmSync(folder, { recursive: true, force: true });

  const sum = (of: (result: WorkerFigures) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const served = sum((result) => result.served);
  const windows = windowAt() - firstWindow + 1;
  const figures: RealFigures = {
    ...row,
    served,
    possible: isRough ? null : 300 * windows,
    failed: sum((result) => result.failed),
    rateLimited: report.rateLimited,
    bans: report.bans,
    tripsPerThousand: Math.round((1_000 * sum((result) => result.trips)) / Math.max(1, served)),
    p50: Math.round(sum((result) => result.p50) / Math.max(1, results.length)),
    perProcess: results.map((result) => result.served),
    ...(isRough && { log: lines }),
  };
  log(`${served} of ${figures.possible}, ${figures.rateLimited} 429s, ${figures.bans} bans`);
  return figures;
}

function planFaults(
  children: readonly ChildProcess[],
  redis: ReplicatedRedis | undefined,
  inFlight: ReadonlyMap<ChildProcess, number>,
  log: (line: string) => void,
): void {
  const at = (second: number, what: string, act: () => unknown, child?: ChildProcess) =>
    void sleep(second * 1_000).then(async () => {
      // A signal is to hit a process in the middle of a request, if it sends one within 10 s.
      for (let wait = 0; child && !inFlight.get(child) && wait < 10_000; wait += 20)
        await sleep(20);
      act();
      const own = child && `${inFlight.get(child) ?? 0} in this process, `;
      const all = [...inFlight.values()].reduce((sum, count) => sum + count, 0);
      log(`>> ${what}; requests in flight: ${own ?? ''}${all} in all`);
    });
  const [stopped, killed] = children.slice(-2) as [ChildProcess, ChildProcess];
  at(8, 'SIGSTOP for 25 s', () => stopped.kill('SIGSTOP'), stopped);
  at(16, 'SIGKILL', () => killed.kill('SIGKILL'), killed);
  at(33, 'SIGCONT', () => stopped.kill('SIGCONT'));
  if (redis === undefined) return;
  at(42, 'CLIENT PAUSE 3 s', () => redis.command('client', 'pause', '3000'));
  at(55, 'FLUSHALL, SCRIPT FLUSH', () => {
    redis.command('flushall');
    redis.command('script', 'flush');
  });
  at(75, 'kill -9 the store', () => redis.killFirst());
  at(87, 'the store is back, empty', () => redis.startFirst());
  at(92, 'the replica follows it', () => redis.follow());
  at(115, 'failover: the replica is promoted, connections are cut', () => redis.failOver());
}
