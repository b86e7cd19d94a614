import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { describe, expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { createFleetGate, redisStore, type RedisStore } from '../../src/fleet/index.js';
import { PetStoreClient } from '../../src/index.js';
import { freePort } from '../packed/free-port.mjs';
import { atEnd } from '../support/at-end.js';
import { hasRedis, startRedis, type RedisServer } from '../support/redis-server.js';
import { storeContract } from '../support/fleet-contract.js';
import { times } from '../support/world.js';

async function startNode(): Promise<RedisServer> {
  const bus = String(await freePort());
  const node = await startRedis([
    ...['--cluster-enabled', 'yes', '--cluster-port', bus],
    ...['--cluster-node-timeout', '2000', '--repl-diskless-sync-delay', '0'],
  ]);
  return node;
}

/** Three nodes that share the slots. */
async function startCluster(): Promise<RedisServer[]> {
  const nodes = await Promise.all(times(3, startNode));
  const made = spawnSync('redis-cli', [
    ...['--cluster', 'create', ...nodes.map(({ port }) => `127.0.0.1:${port}`)],
    '--cluster-yes',
  ]);
  expect(made.status, made.stdout.toString()).toBe(0);
  for (const node of nodes)
    while (!String(await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok'))
      await sleep(20);
  return nodes;
}

/** A process that has made 20 calls with a gate over the store, the types of its events, and the name of its state. */
async function processOn(store: RedisStore) {
  const service = createMockService();
  service.faults.add({ delay: 10 });
  const events: string[] = [];
  const gate = createFleetGate({ store, onEvent: ({ type }) => events.push(type) });
  const client = new PetStoreClient({
    apiKey: 'mock-pro',
    fetch: service.fetch,
    gate,
  });
  await Promise.all(times(20, () => client.listPets()));
  const { state } = (await gate.status()).keys[0]!;
  return { service, gate, client, events, state };
}

describe.skipIf(!hasRedis)('a Redis Cluster of three nodes', () => {
  test('does what a store must do, and keeps the state of a key in one slot', async () => {
    const nodes = await startCluster();
    const store = await connectNodeRedis(nodes);
    await storeContract(store);

    const { gate, state } = await processOn(store);
    const [any] = nodes as [RedisServer];
    const slot = Number(await any.command('CLUSTER', 'KEYSLOT', state));
    // The braces alone decide the slot.
    const tag = state.slice(state.indexOf('{') + 1, state.indexOf('}'));
    expect(await any.command('CLUSTER', 'KEYSLOT', tag)).toBe(slot);

    await gate.close();
  });

  test.each([
    ['redis', connectNodeRedis],
    ['ioredis', connectIoredis],
  ] as const)(
    'costs no call and no 429 when a node dies and its replica is elected, with %s',
    { timeout: 60_000 },
    async (_name, connect) => {
      const nodes = await startCluster();
      const store = await connect(nodes);
      const { service, gate, client, events, state } = await processOn(store);
      const slot = String(await nodes[0]!.command('CLUSTER', 'KEYSLOT', state));
      const counts = await Promise.all(
        nodes.map((node) => node.command('CLUSTER', 'COUNTKEYSINSLOT', slot)),
      );
      const owner = nodes[counts.findIndex((count) => Number(count) === 1)]!;
      const replica = await addReplica(owner, nodes);

      await owner.kill();
      await Promise.all(times(40, () => client.listPets()));
      const status = async () => {
        await client.listPets();
        return (await gate.status()).keys[0]?.store;
      };
      // The nodes agree after 2 s that one is dead, then elect; the gate tries a lost store every 4 s.
      await expect.poll(status, { timeout: 40_000, interval: 100 }).toBe('joined');
      expect(Number(await replica.command('CLUSTER', 'COUNTKEYSINSLOT', slot))).toBe(1);
      expect(events).toEqual(['fleet-joined', 'fleet-lost', 'fleet-rejoined']);
      expect(service.report().rateLimited).toBe(0);
      await gate.close();
    },
  );
});

async function connectNodeRedis(nodes: readonly RedisServer[]): Promise<RedisStore> {
  const cluster = createCluster({
    rootNodes: nodes.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })),
  });
  cluster.on('error', () => undefined);
  await cluster.connect();
  atEnd(() => cluster.destroy());
  return redisStore((args) => cluster.sendCommand(args[3], false, args));
}

function connectIoredis(nodes: readonly RedisServer[]): RedisStore {
  const cluster = new Cluster(nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
  cluster.on('error', () => undefined);
  atEnd(() => cluster.disconnect());
  return redisStore(([command, ...args]) => cluster.call(command!, ...args));
}

/** A new node that has the state of `owner` and that all nodes know as its replica. */
async function addReplica(owner: RedisServer, nodes: readonly RedisServer[]): Promise<RedisServer> {
  const replica = await startNode();
  const known = String(await owner.command('CLUSTER', 'NODES'));
  const bus = /:(\d+)@(\d+)(?:,\S*)? myself/.exec(known)!;
  await replica.command('CLUSTER', 'MEET', '127.0.0.1', bus[1]!, bus[2]!);
  const id = String(await owner.command('CLUSTER', 'MYID'));
  const holds = async (text: string, ...command: string[]) => {
    while (!String(await replica.command(...command)).includes(text)) await sleep(20);
  };
  await holds(id, 'CLUSTER', 'NODES');
  await holds('cluster_state:ok', 'CLUSTER', 'INFO');
  await replica.command('CLUSTER', 'REPLICATE', id);
  await holds('master_link_status:up', 'INFO', 'replication');
  const name = String(await replica.command('CLUSTER', 'MYID'));
  // A node that heard nothing of it would neither vote for it nor name it to a client.
  for (const node of nodes)
    while (
      !new RegExp(`${name} \\S+ slave ${id}`).test(String(await node.command('CLUSTER', 'NODES')))
    )
      await sleep(20);
  return replica;
}
