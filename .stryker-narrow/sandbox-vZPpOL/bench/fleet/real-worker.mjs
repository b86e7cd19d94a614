// @ts-nocheck
// One process of the real fleet: four workers that call the service again and again, through the gate that they are told.
import { setTimeout as sleep } from 'node:timers/promises';
import { PetStoreClient } from '../../dist/index.js';
import { createFleetGate, redisStore, sqliteStore } from '../../dist/fleet/index.js';

const apiKey = 'mock-pro';
let trips = 0;
let inFlight = 0;

async function redisClient(port) {
  const { createClient } = await import('redis');
  const client = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: 300 } });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** A function of a store that counts how often it is called. */
const counted =
  (operation) =>
  (...args) => {
    trips += 1;
    return operation(...args);
  };

/** Ways to make one call. */
const kinds = {
  async redis({ redisPort, ...rest }) {
    const client = await redisClient(redisPort);
    return fleet(redisStore(counted((args) => client.sendCommand(args))), rest);
  },
  async sqlite({ file, ...rest }) {
    const store = sqliteStore(file);
    return fleet({ update: counted((key, change) => store.update(key, change)) }, rest);
  },
  async alone({ baseUrl }) {
    const client = new PetStoreClient({ apiKey, baseUrl });
    return () => client.listPets();
  },
  /** A bucket of the published limit in Redis. */
  async 'rate-limiter-flexible'({ redisPort, baseUrl }) {
    const { RateLimiterRedis } = await import('rate-limiter-flexible');
    const limiter = new RateLimiterRedis({
      storeClient: await redisClient(redisPort),
      useRedisPackage: true,
      points: 300,
      duration: 60,
    });
    const client = new PetStoreClient({ apiKey, baseUrl, gate: false });
    const consume = counted(() => limiter.consume(apiKey).catch((refusal) => refusal));
    return async () => {
      for (;;) {
        const { consumedPoints, msBeforeNext = 1000 } = await consume();
        if (consumedPoints <= 300) return backingOff(() => client.listPets());
        await sleep(msBeforeNext);
      }
    };
  },
  async bottleneck({ redisPort, baseUrl }) {
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
    const client = new PetStoreClient({ apiKey, baseUrl, gate: false });
    return () => limiter.schedule(() => backingOff(() => client.listPets()));
  },
};

function fleet(store, { baseUrl, name }) {
  const onEvent = ({ type, reason = '' }) => console.error(`${name}: ${type} ${reason}`);
  const gate = createFleetGate({ store, onEvent });
  const client = new PetStoreClient({ apiKey, baseUrl, gate, fetch: tracked });
  return () => client.listPets();
}

async function tracked(input, init) {
  inFlight += 1;
  try {
    return await fetch(input, init);
  } finally {
    inFlight -= 1;
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

/** Sends the process a signal in the middle of a request, if it makes one within 10 s. */
async function hit({ second, signal }, name) {
  await sleep(second * 1000);
  for (let wait = 0; inFlight === 0 && wait < 10_000; wait += 20) await sleep(20);
  console.error(`${name}: >> ${signal}; requests in flight: ${inFlight}`);
  process.kill(process.pid, signal);
}

/** Calls for so many seconds. `pause`: the mean pause of a worker between two calls, ms. */
export async function work({ kind, seconds, pause, fault, ...options }) {
  const call = await kinds[kind](options);
  const end = performance.now() + seconds * 1000;
  const waits = [];
  if (fault) void hit(fault, options.name);
  const loop = async () => {
    for (;;) {
      const began = performance.now();
      try {
        await call();
        waits.push(performance.now() - began);
      } catch {
        await sleep(1000);
      }
      if (pause > 0) await sleep(pause * 2 * Math.random());
    }
  };
  for (let worker = 0; worker < 4; worker += 1) void loop();
  await sleep(end - performance.now());
  waits.sort((a, b) => a - b);
  return { served: waits.length, trips, p50: waits[waits.length >> 1] };
}
