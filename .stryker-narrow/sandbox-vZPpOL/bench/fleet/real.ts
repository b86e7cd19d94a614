/**
 * Real processes, a real store and a real service on loopback, in real time. The rough rows go through SIGSTOP, SIGKILL, a paused store, lost memory,
 * `kill -9` and a failover.
 */
// @ts-nocheck

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { progress, table, type Row } from '../page.js';
import { startProcess } from '../processes.js';
import { load } from '../product.js';
import { replicatedRedis } from './redis.js';
import { seconds } from './tables.js';

/** With faults: each request takes this long, and each worker pauses so long on average, ms. Some requests are in flight at any time then. */
const slow = { delay: 1_500, pause: 5_500 };

/** What the worker does (see real-worker.mjs), and its name in the table. */
const kinds = {
  redis: 'fleet, Redis',
  sqlite: 'fleet, SQLite',
  alone: 'none: gates that do not know of each other',
  'rate-limiter-flexible': '`rate-limiter-flexible` 11.4, 300 a minute in Redis',
  bottleneck: 'Bottleneck 2.19, a reservoir of 300 a minute in Redis',
};

interface RealRow {
  readonly kind: keyof typeof kinds;
  readonly processes: number;
  readonly seconds: number;
  readonly faults?: string;
}

const signals = 'SIGSTOP 25 s, SIGKILL';
const ofStore =
  'CLIENT PAUSE 3 s, FLUSHALL and SCRIPT FLUSH, kill −9 and an empty restart, a failover';
const realRows: readonly RealRow[] = [
  { kind: 'redis', processes: 8, seconds: 165, faults: `${signals}, ${ofStore}` },
  { kind: 'sqlite', processes: 8, seconds: 100, faults: signals },
  { kind: 'redis', processes: 16, seconds: 100 },
  { kind: 'sqlite', processes: 16, seconds: 100 },
  { kind: 'alone', processes: 8, seconds: 100 },
  { kind: 'rate-limiter-flexible', processes: 8, seconds: 100 },
  { kind: 'bottleneck', processes: 8, seconds: 100 },
];

/** The table of all rows, which run two at a time. */
export async function realTable(): Promise<string> {
  const rows: Row[] = [];
  const queue = realRows.entries();
  const work = async () => {
    for (const [at, row] of queue) rows[at] = await runReal(row);
  };
  await Promise.all([work(), work()]);
  return `### Real processes\n\n${table(rows)}`;
}

type Redis = Awaited<ReturnType<typeof replicatedRedis>>;
type StoreFault = readonly [second: number, what: string, act: (redis: Redis) => unknown];
const storeFaults: readonly StoreFault[] = [
  [42, 'CLIENT PAUSE 3 s', ({ command }) => command('CLIENT', 'PAUSE', '3000')],
  [55, 'FLUSHALL', ({ command }) => command('FLUSHALL')],
  [55, 'SCRIPT FLUSH', ({ command }) => command('SCRIPT', 'FLUSH')],
  [75, 'kill -9 the store', ({ kill }) => kill()],
  [87, 'the store is back, empty', ({ restart }) => restart()],
  [115, 'failover: the replica is promoted, connections are cut', ({ failOver }) => failOver()],
];

/** What a process reports at the end. */
type Reported = Readonly<Record<'served' | 'trips' | 'p50', number>>;
type RealWorker = { work(options: object): Reported };

async function runReal(row: RealRow): Promise<Row> {
  const log = (what: string) => progress(`${row.kind} ${row.processes}: ${what}`);
  const service = (await load('mocks/index')).createMockService({ journalLimit: 1_000_000 });
  const isRough = row.faults !== undefined;
  service.faults.add({ delay: isRough ? slow.delay : 50 });
  const web = await (await load('mocks/server')).serve(service, { port: 0 });
  const folder = mkdtempSync(join(tmpdir(), 'fleet-bench-'));
  const redis = await replicatedRedis();
  const windowAt = () => Math.floor(Date.now() / 60_000);
  const firstWindow = windowAt();
  const began = performance.now();

  const faults = [
    { signal: 'SIGSTOP', second: 8 },
    { signal: 'SIGKILL', second: 16 },
  ];
  const processes = Array.from({ length: row.processes }, (_, index) => {
    // The last two.
    const fault = isRough ? faults[index - row.processes + 2] : undefined;
    const own = startProcess<RealWorker>(new URL('real-worker.mjs', import.meta.url));
    const result = own.call('work', {
      ...{ kind: row.kind, seconds: row.seconds, name: `process ${index}`, baseUrl: web.url },
      ...{ redisPort: redis.port, file: join(folder, 'fleet.db') },
      ...{ pause: isRough ? slow.pause : 0, fault },
    });
    return { ...own, result };
  });
  const at = (second: number, what: string, act: () => unknown) =>
    void sleep(second * 1_000).then(async () => {
      await act();
      log(`${((performance.now() - began) / 1_000).toFixed(1)} s >> ${what}`);
    });
  // Once more at the end: it may have been stopped late.
  for (const second of isRough ? [33, row.seconds] : [])
    at(second, 'SIGCONT', () => processes.at(-2)!.kill('SIGCONT'));
  for (const [second, what, act] of isRough && row.kind === 'redis' ? storeFaults : [])
    at(second, what, () => act(redis));
  // The process that was killed reports nothing.
  const ends = await Promise.allSettled(processes.map(({ result }) => result));
  const results = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  for (const { kill } of processes) kill('SIGKILL');
  await redis.stop();
  const { rateLimited, bans } = service.report();
  await web.close();
  rmSync(folder, { recursive: true, force: true });

  const sum = (name: keyof Reported) => results.reduce((all, one) => all + one[name], 0);
  const served = sum('served');
  // With faults the workers pause, and nothing tells what is possible.
  const possible = isRough ? '–' : 300 * (windowAt() - firstWindow + 1);
  log(`${served} of ${possible}, ${rateLimited} 429s, ${bans} bans`);
  return {
    gate: kinds[row.kind],
    processes: row.processes,
    seconds: row.seconds,
    faults: row.faults ?? '–',
    served,
    possible,
    '429s': rateLimited,
    bans,
    'p50 s': seconds(sum('p50') / Math.max(1, results.length)),
    'trips per 1,000': Math.round((1_000 * sum('trips')) / Math.max(1, served)),
  };
}
