// Workers that take jobs from a queue, as those of BullMQ do. Start as many as you like, on as many hosts: they share one key over Redis.
//   REDIS_URL=redis://127.0.0.1:6379 PETSTORE_API_KEY=mock-pro node examples/fleet/workers.mjs
import { createClient } from 'redis';
import { PetStoreClient } from 'petstore-client';
import { createFleetGate, redisStore } from 'petstore-client/fleet';

const redis = createClient({
  url: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
  // A command fails at once while Redis is away. With the queue, it would fail only after the timeout of the gate.
  disableOfflineQueue: true,
});
// Without a listener, a lost connection would end the process. The gate also works without the store.
redis.on('error', (error) => console.error('redis:', error.message));
await redis.connect();

const gate = createFleetGate({
  store: redisStore((args) => redis.sendCommand(args)),
  onEvent: (event) => console.error(JSON.stringify(event)),
});
const client = new PetStoreClient({ gate });

/** One job: with BullMQ, the function that you give to `new Worker('pets', work, { concurrency: 5 })`. */
async function work(job) {
  await client.createPet({ name: job.name, categoryId: 1 });
  await redis.incr('jobs:done');
}

async function worker() {
  for (;;) {
    const job = await redis.lPop('jobs:waiting');
    if (job === null) return;
    await work(JSON.parse(job));
  }
}

async function end() {
  await gate.close();
  redis.destroy();
}

// A deployment stops a process by this signal: its unused permits go to the others at once.
process.once('SIGTERM', async () => {
  await end();
  process.exit();
});

await Promise.all(Array.from({ length: 5 }, worker));
await end();
