/**
 * Real processes, a real store and a real service on loopback: `npm run bench:fleet -- real [kind] [--rough] [--seconds N] [--processes N]`.
 * Kinds: redis, sqlite, "no fleet", rate-limiter-flexible, bottleneck. `--rough`: through SIGSTOP, SIGKILL, a paused store, lost memory, kill -9 and a
 * failover. Redis is reached through a proxy, so that a failover leads the connections elsewhere.
 */
import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net, { type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { createMockService } from '../../mocks/index.js';
import type { serve } from '../../mocks/server.js';

export interface RealOptions {
  readonly kind: string;
  readonly processes: number;
  readonly seconds: number;
  readonly rough: boolean;
  /** Folder of the built package, as a URL that ends in a slash. */
  readonly dist: string;
  readonly worker: string;
  readonly createMockService: typeof createMockService;
  readonly serve: typeof serve;
}

/** What came of a run. */
export interface RealFigures {
  readonly kind: string;
  readonly processes: number;
  readonly rough: boolean;
  readonly seconds: number;
  readonly served: number;
  readonly possible: number;
  readonly failed: number;
  readonly refused: number;
  readonly bans: number;
  readonly tripsPerThousand: number;
  readonly p50: number;
  readonly perProcess: readonly number[];
}

const [first, second, proxyPort] = [17_511, 17_512, 17_510];

export async function runReal(options: RealOptions): Promise<RealFigures> {
  const { kind, processes, seconds, rough } = options;
  const folder = mkdtempSync(join(tmpdir(), 'fleet-bench-'));
  const usesRedis = kind !== 'sqlite' && kind !== 'no fleet';
  const servers: Record<number, ChildProcess> = {};
  const startRedis = (port: number) =>
    (servers[port] = spawn(
      'redis-server',
      [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        mkdtempSync(join(folder, 'redis-')),
      ],
      { stdio: 'ignore' },
    ));
  let target = first;
  const sockets = new Set<Socket>();
  const proxy = net.createServer((client) => {
    const server = net.connect(target, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => (client.destroy(), server.destroy(), sockets.delete(socket)));
    }
    client.pipe(server).pipe(client);
  });
  const cli = (port: number, ...args: string[]) => {
    try {
      return execFileSync('redis-cli', ['-p', String(port), ...args], { timeout: 3_000 })
        .toString()
        .trim();
    } catch (failure) {
      return (failure as Error).message.split('\n')[0]!;
    }
  };
  if (usesRedis) {
    startRedis(first);
    startRedis(second);
    await sleep(800);
    cli(second, 'replicaof', '127.0.0.1', String(first));
    await new Promise<void>((resolve) => proxy.listen(proxyPort, '127.0.0.1', resolve));
  }
  const service = options.createMockService();
  service.faults.add({ delay: 50 });
  const web = await options.serve(service, { port: 0 });
  const began = performance.now();
  const beganAt = Date.now();
  const log = (...what: unknown[]) =>
    console.log(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s`, ...what);
  const answers: { served: number; failed: number; trips: number; p50: number }[] = [];
  const children = Array.from({ length: processes }, (_, index) => {
    const child = fork(
      options.worker,
      [kind, web.url, String(usesRedis ? proxyPort : 0), join(folder, 'fleet.db'), options.dist],
      { execArgv: ['--no-warnings'] },
    );
    child.on('message', (message: { event?: string; served?: number }) => {
      if (message.event === undefined) answers.push(message as (typeof answers)[number]);
      else if (rough && message.event !== 'ready') log(`process ${index}: ${message.event}`);
    });
    return child;
  });
  let known429s = 0;
  const watch = setInterval(() => {
    const { rateLimited } = service.report();
    if (rateLimited > known429s) log(`429s: ${rateLimited - known429s}`);
    known429s = rateLimited;
  }, 500);
  const at = (second: number, what: string, act: () => unknown) =>
    void sleep(second * 1_000).then(() => log('>>', what, act() ?? ''));
  if (rough) {
    const [stopped, killed] = [children[processes - 2]!, children[processes - 1]!];
    at(3, `SIGSTOP process ${processes - 2}, for 25 s`, () => void stopped.kill('SIGSTOP'));
    at(14, `SIGKILL process ${processes - 1}`, () => void killed.kill('SIGKILL'));
    at(28, `SIGCONT process ${processes - 2}`, () => void stopped.kill('SIGCONT'));
    if (usesRedis) {
      at(42, 'CLIENT PAUSE 3 s', () => cli(first, 'client', 'pause', '3000'));
      at(
        55,
        'FLUSHALL, SCRIPT FLUSH',
        () => `${cli(first, 'flushall')} ${cli(first, 'script', 'flush')}`,
      );
      at(75, 'kill -9 the store', () => void servers[first]!.kill('SIGKILL'));
      at(87, 'the store is back, empty', () => void startRedis(first));
      at(92, 'the replica follows it', () => cli(second, 'replicaof', '127.0.0.1', String(first)));
      at(115, 'failover: the replica is promoted, connections are cut', () => {
        target = second;
        const answer = cli(second, 'replicaof', 'no', 'one');
        for (const socket of sockets) socket.destroy();
        return answer;
      });
    }
  }
  await sleep(seconds * 1_000);
  for (const child of children) if (child.connected) child.send('end');
  await sleep(1_000);
  clearInterval(watch);
  for (const child of children) child.kill('SIGKILL');
  proxy.close();
  for (const socket of sockets) socket.destroy();
  for (const server of Object.values(servers)) server.kill('SIGKILL');
  const report = service.report();
  await web.close();
  rmSync(folder, { recursive: true, force: true });
  const sum = (of: (answer: (typeof answers)[number]) => number) =>
    answers.reduce((total, answer) => total + of(answer), 0);
  const windows = Math.floor(Date.now() / 60_000) - Math.floor(beganAt / 60_000) + 1;
  const served = sum((answer) => answer.served);
  return {
    ...{ kind, processes, rough, seconds, served, possible: 300 * windows },
    failed: sum((answer) => answer.failed),
    refused: report.rateLimited,
    bans: report.bans,
    tripsPerThousand: Math.round((1_000 * sum((answer) => answer.trips)) / Math.max(1, served)),
    p50: Math.round(sum((answer) => answer.p50 ?? 0) / Math.max(1, answers.length)),
    perProcess: answers.map((answer) => answer.served),
  };
}
