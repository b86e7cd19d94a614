/** One process of a fleet, for tests with real ones: makes the calls that its parent asks for, with a clock that may be wrong. */
import { PetStoreClient } from '../../src/index.js';
import { createFleetGate, redisStore, sqliteStore } from '../../src/fleet/index.js';
import { systemClock } from '../../src/utils/clock.js';
import { tap } from '../support/fleet-tap.js';
import { connectRedis } from '../support/redis-process.js';

/** Calls to make at once; `limit`: what they ask for, by which the service tells the members apart. */
export interface Order {
  readonly baseUrl: string;
  readonly count: number;
  readonly limit: number;
}

const [redisPort = '', file = '', skew = '0'] = process.argv.slice(2);

const tell = (what: string | number): void => void process.send!(what);

async function openStore() {
  if (redisPort === '') return sqliteStore(file);
  const redis = await connectRedis({ port: Number(redisPort) });
  return redisStore((args) => redis.sendCommand(args));
}

const clock = { ...systemClock, now: () => Date.now() + Number(skew) };
/** When the leases of this process have ended, monotonic ms. */
let leaseEnd = 0;
const store = tap(await openStore(), async (_operation, run) => {
  const reply = await run();
  if (reply.granted > 0) leaseEnd = Math.max(leaseEnd, performance.now() + reply.leaseFor);
  return reply;
});
// While the store is away, requests of the fallback would look like those of an old lease.
const gate = createFleetGate({ store, fallback: 'hold', clock, onEvent: () => undefined });

process.on('message', (order: Order | 'stop') => {
  if (order === 'stop') {
    // Between two turns of the event loop: no transaction is open, and every permit that was granted has reached `fetch`.
    tell(Math.max(0, leaseEnd - performance.now()));
    process.kill(process.pid, 'SIGSTOP');
    return;
  }
  const client = new PetStoreClient({
    ...{ apiKey: 'a-key', baseUrl: order.baseUrl, clock, gate, logLevel: 'off' },
    // A process that was stopped finds the responses when it goes on: none of its requests is late.
    timeout: false,
    fetch: (input, init) => {
      tell('sent');
      return fetch(input, init);
    },
  });
  for (let call = 0; call < order.count; call += 1)
    void client.listPets({ limit: order.limit }).then(
      () => tell('served'),
      () => tell('failed'),
    );
});
tell('ready');
