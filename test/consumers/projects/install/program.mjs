// The program of the package, as npm links it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { PetStoreClient } from 'petstore-client';

const program = spawn('node_modules/.bin/petstore-mock', ['--port', '0', '--json', '--seed', '5'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const line = await new Promise((resolve) =>
  program.stdout.once('data', (data) => resolve(String(data))),
);
const { url } = JSON.parse(line);
assert.equal(
  (await new PetStoreClient({ baseUrl: url, apiKey: 'mock-free' }).listPets()).length,
  5,
);
program.kill('SIGINT');
assert.equal(await new Promise((resolve) => program.once('exit', resolve)), 0);
