import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { redisStore, type FleetEvent } from '../../src/fleet/index.js';
import { processOn } from '../support/fleet-contract.js';
import { hasRedis, redisClient, startRedis, type RedisServer } from '../support/redis-server.js';

async function real(server: RedisServer) {
  const socket = { port: server.port, host: '127.0.0.1', reconnectStrategy: 50 };
  const redis = await redisClient(server, { socket });
  return processOn(redisStore((args) => redis.sendCommand(args)));
}

const reasonOf = (events: readonly FleetEvent[]) =>
  events.flatMap((event) => (event.type === 'fleet-lost' ? event.reason : []))[0];

describe.skipIf(!hasRedis)('a real Redis', () => {
  test.each([
    ['is a read-only replica now', /READONLY/, 'REPLICAOF 127.0.0.1 1', 'REPLICAOF NO ONE'],
    ['is out of memory', /OOM/, 'CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'],
    [
      'denies the commands of the script',
      /NOPERM|permission/,
      'ACL SETUSER default -evalsha -eval',
      'ACL SETUSER default +@all',
    ],
  ])('that %s is no error to a call, and is used again', async (_, reason, harm, heal) => {
    const server = await startRedis();
    const { service, events, typesOfEvents, call } = await real(server);
    await call(12);
    await server.command(...harm.split(' '));
    await call(40);
    expect(reasonOf(events)).toMatch(reason);
    await server.command(...heal.split(' '));
    await sleep(1_100);
    await call(2);
    await sleep(300);
    await call(1);
    expect(typesOfEvents()).toEqual(['fleet-joined', 'fleet-lost', 'fleet-rejoined']);
    expect(service.report().rateLimited).toBe(0);
  });

  test('that evicts the state or loses its scripts costs a rest of 5 s, and no 429', async () => {
    const server = await startRedis();
    const { service, gate, typesOfEvents, call } = await real(server);
    await call(30);
    await server.command('SCRIPT', 'FLUSH');
    await call(30);
    expect(typesOfEvents()).toEqual(['fleet-joined']);
    // As an eviction does: the key alone is gone.
    const { keys } = await gate.status();
    expect(await server.command('DEL', keys[0]!.state)).toBe(1);
    const began = performance.now();
    await call(60);
    expect(performance.now() - began).toBeGreaterThan(4_900);
    expect(typesOfEvents()).toEqual(['fleet-joined', 'fleet-state-lost']);
    expect(service.report().rateLimited).toBe(0);
  });

  test('that forgets who the client is, as after a new password, is told in the event without a secret', async () => {
    const server = await startRedis();
    const { events, call } = await real(server);
    await call(3);
    await server.command('CONFIG', 'SET', 'requirepass', 'a-secret-of-the-store');
    // Connections that exist stay; new ones must know it.
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal').catch(() => undefined);
    await sleep(100);
    await call(40);
    expect(reasonOf(events)).toBeDefined();
    expect(JSON.stringify(events)).not.toContain('a-secret-of-the-store');
  });
});
