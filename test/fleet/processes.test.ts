import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { serve } from '../../mocks/server.js';
import { hasRedis, startRedis } from '../support/redis-server.js';

const folder = mkdtempSync(join(tmpdir(), 'fleet-processes-'));
const program = join(folder, 'member-process.mjs');
const closing: (() => unknown)[] = [];

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
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process with a gate over the store, and what it has reported. */
class Member {
  readonly child: ChildProcess;
  sent = 0;
  served = 0;
  failed = 0;
  isReady = false;

  constructor(url: string, redisPort: number | undefined, file: string, skew: number) {
    this.child = fork(program, [url, String(redisPort ?? ''), file, String(skew)], {
      execArgv: ['--no-warnings'],
    });
    closing.push(() => this.child.kill('SIGKILL'));
    this.child.on('message', (message) => {
      if (message === 'ready') this.isReady = true;
      else if (message === 'sent') this.sent += 1;
      else if (message === 'served') this.served += 1;
      else this.failed += 1;
    });
  }

  call(count: number): void {
    this.child.send(count);
  }
}

/** ms after which a lease for waiting calls has ended, and counts as sent. */
const leaseAndGrace = 7_000;

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

function pause(server: ChildProcess): () => void {
  server.kill('SIGSTOP');
  return () => server.kill('SIGCONT');
}

const stores = hasRedis ? (['SQLite', 'Redis'] as const) : (['SQLite'] as const);

test.concurrent.each(stores)(
  'over %s a process that was stopped sends nothing from a lease that has ended, beside one that was killed, with clocks an hour apart',
  async (name) => {
    // One window for the whole test.
    const service = createMockService({
      keys: { 'a-key': { plan: { perMinute: 60, perDay: 10_000 } } },
      assumptions: { minuteWindow: 'from-first' },
    });
    service.faults.add({ delay: 60 });
    const web = await serve(service, { grace: 20 });
    closing.push(() => web.close());
    const redis = name === 'Redis' ? await startRedis() : undefined;
    if (redis !== undefined) closing.push(() => redis.stop());
    // SQLite is for one host, which has one clock.
    const skews = redis === undefined ? [0, 0, 0] : [-3_600_000, 0, 3_600_000];
    const [stopped, killed, other] = skews.map(
      (skew) => new Member(web.url, redis?.port, join(folder, 'fleet.db'), skew),
    ) as [Member, Member, Member];

    await Promise.all([stopped, killed, other].map((member) => until(() => member.isReady)));
    killed.call(20);
    stopped.call(30);
    await until(() => stopped.served >= 3);
    // Both have permits that they have not used, and requests in flight.
    stopped.child.kill('SIGSTOP');
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
    expect(service.report()).toMatchObject({ rateLimited: 0, bans: 0 });
    expect(stopped.served).toBeLessThan(30);
    expect(stopped.failed + other.failed).toBe(0);
  },
  30_000,
);
