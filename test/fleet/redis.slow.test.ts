import { Redis as Upstash } from '@upstash/redis';
import { createClient as createClient5 } from 'redis5';
import { beforeAll, describe, expect, test } from 'vitest';
import { redisStore } from '../../src/fleet/index.js';
import { atEnd } from '../support/at-end.js';
import { storeContract } from '../support/fleet-contract.js';
import { fleetOver, testGate } from '../support/gate-contract.js';
import { hasRedis, redisClient, startRedis, type RedisServer } from '../support/redis-server.js';
import { upstashServer } from '../support/upstash-server.js';

describe.skipIf(!hasRedis)('Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });

  type Send = Parameters<typeof redisStore>[0];
  const bySendCommand =
    (client: { sendCommand: Send }): Send =>
    (args) =>
      client.sendCommand(args);
  // The programs of docs/fleet.md run ioredis, iovalkey and fetch: test/docs/fleet-clients.slow.test.ts, test/examples/fleet.test.ts.
  const clients: Readonly<Record<string, () => Send | Promise<Send>>> = {
    'redis 6': async () => bySendCommand(await redisClient(server)),
    async 'redis 5'() {
      const client = createClient5({ url: `redis://127.0.0.1:${server.port}` });
      await client.connect();
      atEnd(() => client.destroy());
      return bySendCommand(client);
    },
    async '@upstash/redis'() {
      const url = await upstashServer(server);
      const client = new Upstash({ url, token: 'token', enableTelemetry: false });
      return ([command, script, , key, operation]) =>
        command === 'EVALSHA'
          ? client.evalsha(script!, [key!], [operation])
          : client.eval(script!, [key!], [operation]);
    },
  };

  test.each(Object.keys(clients))(
    '%s does what a store must do, and its state expires after 25 hours',
    async (name) => {
      await server.command('FLUSHALL');
      await server.command('SCRIPT', 'FLUSH');
      const store = redisStore(await clients[name]!());
      await storeContract(store);
      await server.command('SCRIPT', 'FLUSH');
      await storeContract(store);
      const [key] = (await server.command('KEYS', '*')) as string[];
      const ttl = Number(await server.command('PTTL', key!));
      expect(ttl).toBeGreaterThan(89_000_000);
      expect(ttl).toBeLessThanOrEqual(90_000_000);
    },
  );

  test('the whole script is sent once, and its digest from then on', async () => {
    await server.command('SCRIPT', 'FLUSH');
    const send = await clients['redis 6']!();
    const commands: string[] = [];
    await storeContract(redisStore((args) => (commands.push(args[0]!), send(args))));
    expect(commands.slice(0, 3)).toEqual(['EVALSHA', 'EVAL', 'EVALSHA']);
    expect(commands.filter((command) => command === 'EVAL')).toHaveLength(1);
  });

  testGate('a fleet on Redis', async () => {
    const redis = await redisClient(await startRedis());
    return fleetOver(redisStore(bySendCommand(redis)));
  });
});
