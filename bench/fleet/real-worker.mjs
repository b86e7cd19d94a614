// One process of the real fleet: four workers that call the service again and again, through the gate that it is told.
// `pause`: the mean pause of a worker between two calls, ms.
import { setTimeout as sleep } from 'node:timers/promises';

const { kind, url, redisPort, file, entries, pause } = JSON.parse(process.argv[2]);
const { PetStoreClient, createFleetGate, redisStore, sqliteStore } = Object.assign(
  {},
  ...(await Promise.all(entries.map((entry) => import(entry)))),
);
const stats = { served: 0, trips: 0 };
const waits = [];
const apiKey = 'mock-pro';

async function redisClient() {
  const { createClient } = await import('redis');
  const socket = { port: redisPort, host: '127.0.0.1', reconnectStrategy: 300 };
  const client = createClient({ socket });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Ways to make one call. */
const kinds = {
  async redis() {
    const client = await redisClient();
    return fleet((trip) => redisStore(trip((args) => client.sendCommand(args))));
  },
  async sqlite() {
    const store = sqliteStore(file);
    return fleet((trip) => ({ update: trip((key, change) => store.update(key, change)) }));
  },
  async alone() {
    const client = new PetStoreClient({ apiKey, baseUrl: url });
    return () => client.listPets();
  },
  /** A bucket of the published limit in Redis. */
  async 'rate-limiter-flexible'() {
    const { RateLimiterRedis } = await import('rate-limiter-flexible');
    const limiter = new RateLimiterRedis({
      storeClient: await redisClient(),
      useRedisPackage: true,
      points: 300,
      duration: 60,
    });
    const client = new PetStoreClient({ apiKey, baseUrl: url, gate: false });
    return async () => {
      for (;;) {
        stats.trips += 1;
        const refusal = await limiter.consume(apiKey).then(
          () => undefined,
          (reason) => reason,
        );
        if (refusal === undefined) return backingOff(() => client.listPets());
        await sleep(refusal.msBeforeNext ?? 1000);
      }
    };
  },
  async bottleneck() {
    const { default: Bottleneck } = await import('bottleneck');
    const limiter = new Bottleneck({
      id: 'pets',
      datastore: 'ioredis',
      clientOptions: { host: '127.0.0.1', port: redisPort },
      reservoir: 300,
      reservoirRefreshAmount: 300,
      reservoirRefreshInterval: 60_000,
    });
    limiter.on('error', () => {});
    const client = new PetStoreClient({ apiKey, baseUrl: url, gate: false });
    return () => limiter.schedule(() => backingOff(() => client.listPets()));
  },
};

function fleet(storeOf) {
  const store = storeOf((operation) => (...args) => {
    stats.trips += 1;
    return operation(...args);
  });
  const onEvent = ({ type, reason }) =>
    process.send({ event: reason ? `${type}: ${reason}` : type });
  const gate = createFleetGate({ store, onEvent });
  const client = new PetStoreClient({ apiKey, baseUrl: url, gate, fetch: counted });
  return () => client.listPets();
}

let inFlight = 0;
/** Tells the parent how many requests are in flight, so that it knows what a fault hits. */
async function counted(input, init) {
  process.send({ inFlight: ++inFlight });
  try {
    return await fetch(input, init);
  } finally {
    process.send({ inFlight: --inFlight });
  }
}

/** After a 429 waits as the service says, up to five times. */
async function backingOff(call) {
  for (let time = 1; ; time += 1) {
    try {
      return await call();
    } catch (error) {
      if (error.status !== 429 || time >= 5) throw error;
      await sleep(error.retryAfter ?? 1000);
    }
  }
}

const call = await kinds[kind]();
let isOver = false;
process.on('message', () => {
  isOver = true;
  waits.sort((a, b) => a - b);
  process.send({ ...stats, p50: waits[waits.length >> 1] });
});
async function work() {
  while (!isOver) {
    const began = performance.now();
    try {
      await call();
      stats.served += 1;
      waits.push(performance.now() - began);
    } catch {
      await sleep(1000);
    }
    if (pause > 0) await sleep(pause * 2 * Math.random());
  }
}
for (let worker = 0; worker < 4; worker += 1) void work();
