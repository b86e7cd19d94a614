import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { expect, test } from 'vitest';
import { redisStore, type FleetStore } from '../../src/fleet/index.js';
import { atEnd } from '../support/at-end.js';
import { hasRedis, startRedis, type RedisServer } from '../support/redis-server.js';
import { processOn, storeContract } from '../support/fleet-contract.js';
import { times } from '../support/world.js';

/** Three nodes that share the slots, and a replica of each. */
async function startCluster(): Promise<RedisServer[]> {
  const nodes = await Promise.all(
    times(6, () =>
      startRedis([
        ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'],
        ...['--repl-diskless-sync-delay', '0'],
      ]),
    ),
  );
  const made = spawnSync('redis-cli', [
    ...['--cluster', 'create', ...nodes.map(({ port }) => `127.0.0.1:${port}`)],
    ...['--cluster-replicas', '1', '--cluster-yes'],
  ]);
  expect(made.status, made.stdout.toString()).toBe(0);
  for (const node of nodes) {
    const says = async (text: RegExp, ...command: string[]) => {
      while (!text.test(String(await node.command(...command)))) await sleep(20);
    };
    await says(/cluster_state:ok/, 'CLUSTER', 'INFO');
    // A node that heard nothing of a replica would neither vote for it nor name it to a client.
    await says(/(slave (.|\n)*){3}/, 'CLUSTER', 'NODES');
    await says(/master_link_status:up|state=online/, 'INFO', 'replication');
  }
  return nodes;
}

test.skipIf(!hasRedis).each([
  ['redis', connectNodeRedis],
  ['ioredis', connectIoredis],
] as const)(
  'a Redis Cluster is a store, with %s, and costs no call and no 429 when a node dies and its replica is elected',
  { timeout: 60_000 },
  async (_name, connect) => {
    const nodes = await startCluster();
    const store = await connect(nodes);
    await storeContract(store);
    const { service, gate, typesOfEvents, call } = processOn(store);
    await call(20);
    const { state } = (await gate.status()).keys[0]!;
    const [any] = nodes as [RedisServer];
    const slot = String(await any.command('CLUSTER', 'KEYSLOT', state));
    // The braces alone decide the slot.
    const tag = state.slice(state.indexOf('{') + 1, state.indexOf('}'));
    expect(String(await any.command('CLUSTER', 'KEYSLOT', tag))).toBe(slot);
    const holders = async (some: readonly RedisServer[]) => {
      const counts = some.map((node) => node.command('CLUSTER', 'COUNTKEYSINSLOT', slot));
      const all = await Promise.all(counts);
      return some.filter((_node, index) => Number(all[index]) === 1);
    };
    const roles = await Promise.all(nodes.map((node) => node.command('ROLE')));
    const masters = nodes.filter((_node, index) => (roles[index] as string[])[0] === 'master');
    const [owner] = await holders(masters);
    await expect.poll(() => holders(nodes)).toHaveLength(2);

    await owner!.kill();
    await call(40);
    const status = async () => {
      await call(1);
      return (await gate.status()).keys[0]?.store;
    };
    // The nodes agree after 2 s that one is dead, then elect; the gate tries a lost store every 4 s.
    await expect.poll(status, { timeout: 40_000, interval: 100 }).toBe('joined');
    expect(await holders(nodes.filter((node) => node !== owner))).toHaveLength(1);
    expect(typesOfEvents()).toEqual(['fleet-joined', 'fleet-lost', 'fleet-rejoined']);
    expect(service.report().rateLimited).toBe(0);
    await gate.close();
  },
);

async function connectNodeRedis(nodes: readonly RedisServer[]): Promise<FleetStore> {
  const cluster = createCluster({
    rootNodes: nodes.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })),
  });
  cluster.on('error', () => undefined);
  await cluster.connect();
  atEnd(() => cluster.destroy());
  return redisStore((args) => cluster.sendCommand(args[3], false, args));
}

function connectIoredis(nodes: readonly RedisServer[]): FleetStore {
  const cluster = new Cluster(nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
  cluster.on('error', () => undefined);
  atEnd(() => cluster.disconnect());
  return redisStore(([command, ...args]) => cluster.call(command!, ...args));
}
