// @ts-nocheck
// Four processes of one machine that share one key, with a SQLite file between them: no server is needed.
//   npx petstore-mock & PETSTORE_BASE_URL=http://127.0.0.1:4010 PETSTORE_API_KEY=mock-pro node examples/fleet/cluster.mjs
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { PetStoreClient } from 'petstore-client';
import { createFleetGate, sqliteStore } from 'petstore-client/fleet';

// A fixed path, the same for all processes: systems clean the temporary folder.
const path = process.env['FLEET_DB'] ?? fileURLToPath(new URL('fleet.db', import.meta.url));
const calls = Number(process.env['CALLS'] ?? 50);

if (cluster.isPrimary) {
  for (let index = 0; index < 4; index += 1) cluster.fork();
  let served = 0;
  cluster.on('message', (_worker, count) => (served += count));
  cluster.on('exit', () => {
    if (Object.keys(cluster.workers ?? {}).length === 0) console.log(`${served} calls served`);
  });
} else {
  const gate = createFleetGate({
    store: sqliteStore(path),
    onEvent: (event) => console.error(process.pid, JSON.stringify(event)),
  });
  const client = new PetStoreClient({ gate });
  const results = await Promise.all(Array.from({ length: calls }, () => client.listPets()));
  await gate.close();
  process.send?.(results.length, () => process.disconnect());
}
