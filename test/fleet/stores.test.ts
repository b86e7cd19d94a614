import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis as Upstash } from '@upstash/redis';
import { Redis as IoRedis } from 'ioredis';
import { Redis as IoValkey } from 'iovalkey';
import { createClient } from 'redis';
import { createClient as createClient5 } from 'redis5';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  checkFleetStore,
  createFleetGate,
  memoryStore,
  redisStore,
  sqliteStore,
  type FleetGate,
  type FleetReply,
  type FleetStore,
} from '../../src/fleet/index.js';
import { hasRedis, startRedis, type RedisServer } from '../support/redis-server.js';
import { upstashServer } from '../support/upstash-server.js';
import { rejection, world } from '../support/world.js';

const folder = mkdtempSync(join(tmpdir(), 'fleet-stores-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the store in memory does what a store must do', async () => {
  expect(await checkFleetStore(memoryStore())).toEqual([]);
});

test('the check finds what is wrong with a store', async () => {
  const good = memoryStore();
  const asked = (reply: FleetReply): FleetStore => ({ run: () => Promise.resolve(reply) });
  const forgetful: FleetStore = { run: (key, operation) => memoryStore().run(key, operation) };
  const oneState: FleetStore = { run: (_, operation) => good.run('one', operation) };
  expect(await checkFleetStore(forgetful)).toContain(
    'it does not hold that what one operation wrote, the next one reads',
  );
  expect(await checkFleetStore(oneState)).toContain(
    'it does not hold that two keys have two states',
  );
  expect((await checkFleetStore(asked({ kind: 'leave' })))[0]).toMatch(/run must resolve with/);
  const broken: FleetStore = {
    run: () => {
      throw 'no disk';
    },
  };
  expect((await checkFleetStore(broken))[0]).toMatch(/no disk/);
});

describe('SQLite', () => {
  test('a file does what a store must do, and so does a second handle on it', async () => {
    const path = join(folder, 'fleet.db');
    const [one, other] = [sqliteStore(path), sqliteStore(path)];
    expect(await checkFleetStore(one)).toEqual([]);
    expect(await checkFleetStore(other)).toEqual([]);
    const together = await Promise.all([checkFleetStore(one), checkFleetStore(other)]);
    expect(together).toEqual([[], []]);
    await one.close?.();
    await other.close?.();
    // Closed twice, and used again.
    await other.close?.();
    expect(await checkFleetStore(other)).toEqual([]);
    await other.close?.();
  });

  test.each([
    ['the file', ['']],
    ['the file and the two beside it', ['', '-wal', '-shm']],
    ['one of the files beside it', ['-shm']],
  ])('after %s was deleted, the processes meet in a new one', async (_, suffixes) => {
    const path = join(mkdtempSync(join(folder, 'deleted-')), 'fleet.db');
    const here = world();
    const now = vi.spyOn(Date, 'now').mockImplementation(() => here.service.clock.now());
    const [events, gates] = [[] as string[], [] as FleetGate[]];
    for (let at = 0; at < 2; at += 1)
      gates.push(
        createFleetGate({
          store: sqliteStore(path),
          clock: here.service.clock,
          onEvent: ({ type }) => events.push(type),
        }),
      );
    const clients = gates.map((gate) => here.client({ rateLimit: { gate } }));
    const call = () => Promise.all(clients.map((client) => client.listPets()));
    const processes = async () =>
      (await Promise.all(gates.map((gate) => gate.status()))).map(({ keys }) => keys[0]!.processes);
    await call();
    expect(await processes()).toEqual([2, 2]);
    for (const suffix of suffixes) rmSync(path + suffix);
    here.service.clock.advance('3m');
    for (let round = 0; round < 3; round += 1) {
      await call();
      here.service.clock.advance('70s');
    }
    await call();
    expect(await processes()).toEqual([2, 2]);
    const lost = events.filter((type) => type === 'fleet-state-lost');
    expect(lost).toHaveLength(suffixes.includes('') ? 2 : 0);
    for (const gate of gates) await gate.close();
    now.mockRestore();
  });

  test('a file that was replaced by another is left for it', async () => {
    const path = join(mkdtempSync(join(folder, 'replaced-')), 'fleet.db');
    const [one, other, third] = [sqliteStore(path), sqliteStore(path), sqliteStore(`${path}.new`)];
    await one.run('k', { kind: 'peek' });
    await third.run('k', { kind: 'peek' });
    await third.close?.();
    renameSync(`${path}.new`, path);
    // Two keys at once: the file is opened once.
    await Promise.all(['k', 'l'].map((key) => one.run(key, { kind: 'peek' })));
    expect(await checkFleetStore(one)).toEqual([]);
    expect(await checkFleetStore(other)).toEqual([]);
    await one.close?.();
    await other.close?.();
  });

  test('a file that cannot be opened rejects, and is tried again', async () => {
    const path = join(folder, 'missing', 'fleet.db');
    const store = sqliteStore(path);
    expect((await rejection<Error>(store.run('k', { kind: 'peek' }))).message).toMatch(
      /unable to open database file: .*missing.fleet\.db$/,
    );
    const text = join(folder, 'text.db');
    writeFileSync(text, 'this is no database, and long enough to be seen as none: '.repeat(40));
    const failure = await rejection<Error>(sqliteStore(text).run('k', { kind: 'peek' }));
    expect(failure.message).toMatch(/not a database: .*text\.db$/);
  });

  test('a wrong path is an error at once', () => {
    expect(() => sqliteStore('')).toThrow(TypeError);
    expect(() => sqliteStore(undefined as never)).toThrow('sqliteStore needs the path of a file');
  });
});

test('redisStore takes a function and nothing else', () => {
  expect(() => redisStore({} as never)).toThrow('redisStore needs a function');
});

test('a function that resolves with something else than a reply is named', async () => {
  const store = redisStore(() => Promise.resolve('"OK"'));
  expect((await rejection<Error>(store.run('k', { kind: 'peek' }))).message).toMatch(
    /must resolve with the reply/,
  );
});

describe.skipIf(!hasRedis)('Redis', () => {
  let server: RedisServer;
  const toClose: (() => unknown)[] = [];
  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(() => toClose.splice(0).map((close) => close()));
  afterAll(() => server.stop());

  /** One function for each client that the docs name. */
  const clients: Readonly<Record<string, () => Promise<Parameters<typeof redisStore>[0]>>> = {
    async 'redis 6'() {
      const client = createClient({ url: `redis://127.0.0.1:${server.port}` });
      await client.connect();
      toClose.push(() => client.destroy());
      return (args) => client.sendCommand(args);
    },
    async 'redis 5'() {
      const client = createClient5({ url: `redis://127.0.0.1:${server.port}` });
      await client.connect();
      toClose.push(() => client.destroy());
      return (args) => client.sendCommand(args);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- as the others
    async ioredis() {
      const client = new IoRedis(server.port, '127.0.0.1');
      toClose.push(() => client.disconnect());
      return ([command, ...args]) => client.call(command!, ...args);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- as the others
    async iovalkey() {
      const client = new IoValkey(server.port, '127.0.0.1');
      toClose.push(() => client.disconnect());
      return ([command, ...args]) => client.call(command!, ...args);
    },
    async '@upstash/redis'() {
      const { url, close } = await upstashServer(server);
      toClose.push(close);
      const client = new Upstash({ url, token: 'token', enableTelemetry: false });
      return ([command, script, , key, operation]) =>
        command === 'EVALSHA'
          ? client.evalsha(script!, [key!], [operation])
          : client.eval(script!, [key!], [operation]);
    },
    async 'fetch, to a server that speaks the REST protocol of Upstash'() {
      const { url, close } = await upstashServer(server);
      toClose.push(close);
      return async (args) => {
        const response = await fetch(url, { method: 'POST', body: JSON.stringify(args) });
        const { result, error } = (await response.json()) as { result?: unknown; error?: string };
        if (error !== undefined) throw new Error(error);
        return result;
      };
    },
  };

  test.each(Object.keys(clients))('%s does what a store must do', async (name) => {
    await server.command('SCRIPT', 'FLUSH');
    const store = redisStore(await clients[name]!());
    expect(await checkFleetStore(store)).toEqual([]);
    await server.command('SCRIPT', 'FLUSH');
    expect(await checkFleetStore(store)).toEqual([]);
  });

  test('a state expires 25 hours after its last use', async () => {
    await server.command('FLUSHALL');
    const store = redisStore(await clients['redis 6']!());
    await checkFleetStore(store);
    const [key] = (await server.command('KEYS', '*')) as string[];
    const ttl = Number(await server.command('PTTL', key!));
    expect(ttl).toBeGreaterThan(89_000_000);
    expect(ttl).toBeLessThanOrEqual(90_000_000);
  });

  test('the whole script is sent once, and its digest from then on', async () => {
    await server.command('SCRIPT', 'FLUSH');
    const send = await clients['redis 6']!();
    const commands: string[] = [];
    const store = redisStore((args) => {
      commands.push(args[0]!);
      return send(args);
    });
    await store.run('{a}:gate', { kind: 'peek' });
    await store.run('{a}:gate', { kind: 'peek' });
    expect(commands).toEqual(['EVALSHA', 'EVAL', 'EVALSHA']);
  });

  test('after any other failure nothing is sent again: the script may have run', async () => {
    let sent = 0;
    const store = redisStore(() => {
      sent += 1;
      return Promise.reject(new Error('connection lost'));
    });
    await rejection(store.run('{a}:gate', { kind: 'peek' }));
    expect(sent).toBe(1);
  });
});
