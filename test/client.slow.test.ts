import { expect, test } from 'vitest';
import { buildClient } from './support/builds.js';
import { hostileServer, http } from './support/hostile.js';
import { runProgram } from './support/programs.js';
import { quotaHeaders } from './support/stub.js';

test('a process ends when its last call is done, while connections are kept alive and holds are known', async () => {
  const headers = {
    ...quotaHeaders(60, 0, Math.ceil(Date.now() / 1_000) + 600),
    'Keep-Alive': 'timeout=600',
  };
  await using server = await hostileServer((socket) => void socket.write(http('[]', { headers })));
  const { esm } = await buildClient();
  const code = `
    const { PetStoreClient } = await import(${JSON.stringify(esm)});
    const client = new PetStoreClient({ apiKey: 'k', baseUrl: ${JSON.stringify(server.url)} });
    await client.listPets({}, { totalTimeout: 600_000 });
    await client.listPets({}, { maxWait: 10 }).catch((error) => console.log(error.reason));`;
  // Whatever kept the process alive would do so for ten minutes.
  const args = ['--input-type=module', '-e', code];
  const { code: exit, out } = await runProgram(process.execPath, args);
  expect([exit, out.trim()]).toEqual([0, 'wait']);
});
