import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { serve } from '../../mocks/server.js';
import { hasRedis, startRedis } from '../support/redis-server.js';

const folder = mkdtempSync(join(tmpdir(), 'fleet-processes-'));
const program = join(folder, 'member-process.mjs');

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('member-process.ts', import.meta.url))],
    outfile: program,
    format: 'esm',
    bundle: true,
    platform: 'node',
    // The Redis client is CommonJS, and asks for modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process with a gate over the store, and what it has reported. */
class Member {
  readonly child: ChildProcess;
  sent = 0;
  served = 0;
  failed = 0;
  isReady = false;
  readonly limit: number;

  /** `limit`: what its calls ask for, by which the journal tells the members apart. */
  constructor(
    url: string,
    redisPort: number | undefined,
    file: string,
    skew: number,
    limit: number,
  ) {
    this.limit = limit;
    this.child = fork(program, [url, String(redisPort ?? ''), file, String(skew)], {
      execArgv: ['--no-warnings'],
    });
    this.child.on('message', (message) => {
      if (message === 'ready') this.isReady = true;
      else if (message === 'sent') this.sent += 1;
      else if (message === 'served') this.served += 1;
      else this.failed += 1;
    });
  }

  call(count: number): void {
    this.child.send({ count, limit: this.limit });
  }
}

/** ms after which a lease for waiting calls has ended, and counts as sent. */
const leaseAndGrace = 15_000;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

/** The store accepts no operation until the returned function is called. */
function lockFile(): () => void {
  const database = new DatabaseSync(join(folder, 'fleet.db'));
  database.exec('PRAGMA busy_timeout = 1000');
  database.exec('BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

/** Stops a process at a moment when the condition holds: it runs on for 5 ms and is stopped again until then. */
async function stopWhen(child: ChildProcess, condition: () => boolean): Promise<void> {
  for (;;) {
    child.kill('SIGSTOP');
    await sleep(50);
    if (condition()) return;
    child.kill('SIGCONT');
    await sleep(5);
  }
}

/** Whether no process is inside a transaction, which would lock the file for the others too. */
function isUnlocked(): boolean {
  try {
    lockFile()();
    return true;
  } catch {
    return false;
  }
}

function pause(server: ChildProcess): () => void {
  server.kill('SIGSTOP');
  return () => server.kill('SIGCONT');
}

const stores = hasRedis ? (['SQLite', 'Redis'] as const) : (['SQLite'] as const);

test.concurrent.for(stores)(
  'over %s a process that was stopped sends nothing from a lease that has ended, beside one that was killed, with clocks an hour apart',
  async (name, { onTestFinished }) => {
    // One window for the whole test.
    const service = createMockService({
      keys: { 'a-key': { plan: { perMinute: 60, perDay: 10_000 } } },
      assumptions: { minuteWindow: 'from-first' },
    });
    service.faults.add({ delay: 60 });
    const web = await serve(service, { grace: 20 });
    onTestFinished(() => web.close());
    const redis = name === 'Redis' ? await startRedis() : undefined;
    onTestFinished(() => redis?.stop());
    // SQLite is for one host, which has one clock.
    const skews = redis === undefined ? [0, 0, 0] : [-3_600_000, 0, 3_600_000];
    const [stopped, killed, other] = skews.map(
      (skew, index) => new Member(web.url, redis?.port, join(folder, 'fleet.db'), skew, index + 1),
    ) as [Member, Member, Member];
    onTestFinished(() => {
      for (const member of [stopped, killed, other]) member.child.kill('SIGKILL');
    });

    await Promise.all([stopped, killed, other].map((member) => until(() => member.isReady)));
    // So many that some are left when the process is stopped.
    killed.call(20);
    stopped.call(30);
    await until(() => stopped.served >= 3);
    // Both have permits that they have not used, and requests in flight.
    const arrived = () =>
      service.requests.filter(({ query }) => query['limit'] === String(stopped.limit)).length;
    // A request handed to `fetch` but not yet to the network would arrive after its lease.
    await stopWhen(
      stopped.child,
      () => arrived() === stopped.sent && (redis !== undefined || isUnlocked()),
    );
    killed.child.kill('SIGKILL');
    other.call(60);
    await sleep(leaseAndGrace);
    const { sent } = stopped;
    // So that the process gets no new lease.
    const release = redis === undefined ? lockFile() : pause(redis.process);
    stopped.child.kill('SIGCONT');
    await until(() => stopped.served >= sent);
    await sleep(400);
    // One call may have got its permit just before the stop, and reach `fetch` only now.
    expect(stopped.sent).toBeLessThanOrEqual(sent + 1);
    release();
    const { rateLimited, bans } = service.report();
    expect(rateLimited).toBeLessThanOrEqual(stopped.sent - sent);
    expect(bans).toBe(0);
    expect(stopped.served).toBeLessThan(30);
    expect(stopped.failed + other.failed).toBe(0);
  },
);

test.concurrent(
  'eight threads of one process over SQLite are as eight processes: they meet no 429',
  async ({ onTestFinished }) => {
    // The first window ends soon, so that the calls need two.
    const service = createMockService({
      now: '2026-01-01T06:00:50Z',
      keys: { 'a-key': { plan: { perMinute: 60, perDay: 10_000 } } },
    });
    const web = await serve(service, { grace: 20 });
    onTestFinished(() => web.close());
    const heard: string[] = [];
    const count = (word: string) => heard.filter((one) => one === word).length;
    const threads = Array.from({ length: 8 }, () => {
      const argv = [web.url, '', join(folder, 'threads.db')];
      return new Worker(program, { argv }).on('message', (word: string) => heard.push(word));
    });
    onTestFinished(async () => {
      await Promise.all(threads.map((thread) => thread.terminate()));
    });
    await until(() => count('ready') === 8);
    for (const thread of threads) thread.postMessage({ count: 10, limit: 1 });
    await until(() => count('served') + count('failed') === 80);
    expect([count('served'), count('sent'), service.report().rateLimited]).toEqual([80, 80, 0]);
  },
);
