import { fork, type ChildProcess } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { serve } from '../../mocks/server.js';
import { grace } from '../../src/fleet/rules/constants.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { bundle } from '../support/builds.js';
import { hasRedis, startRedis } from '../support/redis-server.js';
import type { Order } from './member-process.js';

const folder = temporaryFolder();
let program: string;
beforeAll(async () => {
  // The Redis client is CommonJS, and asks for modules of Node.
  const js =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  program = await bundle('test/fleet/member-process.ts', 'esm', { banner: { js } });
});

/** What {@link memberOf} gives. */
type Member = ReturnType<typeof memberOf>;

/** A process with a gate over a store, and how often it has said each word. */
function memberOf(process: ChildProcess) {
  const member = {
    process,
    said: { ready: 0, sent: 0, served: 0, failed: 0 },
    /** How long its leases lasted when it was stopped, ms: the longer, the slower the responses are. */
    lease: undefined as number | undefined,
    tell: (order: Order | 'stop') => process.send(order),
  };
  process.on('message', (word: keyof typeof member.said | number) => {
    if (typeof word === 'number') member.lease = word;
    else member.said[word] += 1;
  });
  return member;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

/** The store accepts no operation until the returned function is called. */
function lockFile(path: string): () => void {
  const database = new DatabaseSync(path);
  // However long another process takes.
  database.exec('PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE');
  return () => database.close();
}

function pause(server: ChildProcess): () => void {
  server.kill('SIGSTOP');
  return () => server.kill('SIGCONT');
}

const stores = hasRedis ? (['SQLite', 'Redis'] as const) : (['SQLite'] as const);

test.concurrent.for(stores)(
  'over %s a process that was stopped sends nothing from a lease that has ended, beside one that was killed, with clocks an hour apart',
  async (name, context) => {
    // One window for the whole test.
    const assumptions = { minuteWindow: 'from-first' } as const;
    const keys = { 'a-key': { plan: { perMinute: 60, perDay: 10_000 } } };
    const service = createMockService({ keys, assumptions });
    service.faults.add({ delay: 60 });
    const web = await serve(service, { grace: 20 });
    context.onTestFinished(() => web.close());
    const { url: baseUrl } = web;
    const redis = name === 'Redis' ? await startRedis() : undefined;
    const file = join(folder, 'fleet.db');
    // SQLite is for one host, which has one clock.
    const skews = redis === undefined ? [0, 0, 0] : [-3_600_000, 0, 3_600_000];
    const members = skews.map((skew) => {
      const args = [String(redis?.port ?? ''), file, String(skew)];
      const child = fork(program, args, { execArgv: ['--no-warnings'] });
      context.onTestFinished(() => void child.kill('SIGKILL'));
      return memberOf(child);
    });
    await until(() => members.every(({ said }) => said.ready === 1));
    const [stopped, killed, other] = members as [Member, Member, Member];
    // So many that some are left when the process is stopped.
    killed.tell({ baseUrl, count: 20, limit: 2 });
    stopped.tell({ baseUrl, count: 30, limit: 1 });
    await until(() => stopped.said.served >= 3);
    // Both have permits that they have not used, and requests in flight. One that is handed to `fetch` but not yet to the network
    // would arrive after its lease.
    const arrived = () => service.requests.filter(({ query }) => query['limit'] === '1').length;
    const { process } = stopped;
    do {
      process.kill('SIGCONT');
      stopped.lease = undefined;
      stopped.tell('stop');
      await until(() => stopped.lease !== undefined);
      await sleep(50);
    } while (arrived() < stopped.said.sent);
    killed.process.kill('SIGKILL');
    other.tell({ baseUrl, count: 60, limit: 3 });
    await sleep(stopped.lease! + grace);
    const { sent } = stopped.said;
    // So that the process gets no new lease.
    const release = redis === undefined ? lockFile(file) : pause(redis.process);
    process.kill('SIGCONT');
    await until(() => stopped.said.served >= sent);
    await sleep(400);
    expect(stopped.said.sent).toBe(sent);
    release();
    expect(service.report()).toMatchObject({ rateLimited: 0, bans: 0 });
    expect(stopped.said.served).toBeLessThan(30);
    expect(stopped.said.failed + other.said.failed).toBe(0);
  },
);
