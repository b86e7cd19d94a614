/** One process or thread of a fleet, for tests with real ones: makes the calls that its parent asks for, with a clock that may be wrong. */
import { parentPort } from 'node:worker_threads';
import { createClient } from 'redis';
import { PetStoreClient, type Clock } from '../../src/index.js';
import { createFleetGate, redisStore, sqliteStore } from '../../src/fleet/index.js';

const [baseUrl = '', redisPort = '', file = '', skew = '0'] = process.argv.slice(2);

function tell(what: string): void {
  if (parentPort) parentPort.postMessage(what);
  else process.send?.(what);
}

const clock: Clock = {
  now: () => Date.now() + Number(skew),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, Math.ceil(ms));
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
};

async function openStore() {
  if (redisPort === '') return sqliteStore(file);
  const redis = createClient({ socket: { port: Number(redisPort), host: '127.0.0.1' } });
  redis.on('error', () => undefined);
  await redis.connect();
  return redisStore((args) => redis.sendCommand(args));
}

const gate = createFleetGate({
  store: await openStore(),
  // While the store is away, requests of the fallback would look like those of an old lease.
  fallback: 'hold',
  clock,
  onEvent: () => undefined,
});
const client = new PetStoreClient({
  apiKey: 'a-key',
  baseUrl,
  clock,
  fetch: (input, init) => {
    tell('sent');
    return fetch(input, init);
  },
  gate,
  logLevel: 'off',
});
(parentPort ?? process).on('message', ({ count, limit }: { count: number; limit: number }) => {
  for (let call = 0; call < count; call += 1)
    void client.listPets({ limit }).then(
      () => tell('served'),
      () => tell('failed'),
    );
});
tell('ready');
