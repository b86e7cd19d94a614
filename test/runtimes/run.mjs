// The same suite, with the packed package, in every runtime: `npm run test:runtimes [-- bun deno …]`.
import { join } from 'node:path';
import { install } from '../packed/install.mjs';
import { pack, unpack } from '../packed/pack.mjs';
import { run } from '../packed/run.mjs';
import { createSteps } from '../packed/steps.mjs';

const here = import.meta.dirname;
const bin = (path) => join(here, 'node_modules', path);
const { step } = createSteps();

console.log(`runtimes: ${await install(here)}`);
await unpack(await pack(), here);
const { createMockService } = await import('petstore-client/mocks');
const { serve } = await import('petstore-client/mocks/server');
const { inChromium, inWorkerd } = await import('./bundled.mjs');

/** A service on a port, for one runtime alone. */
async function withService(work) {
  const server = await serve(createMockService({ seed: 3 }), { port: 0 });
  try {
    return await work(server.url);
  } finally {
    await server.close();
  }
}

async function inProcess(program, args, file) {
  const versioned = run(program, ['--version']);
  const { stdout, stderr } = await withService((url) => run(program, [...args, file, url], { cwd: here, timeout: 30_000 }));
  // The one warning that is due: getPet is deprecated.
  const noise = stderr.split('\n').filter((line) => line !== '' && !/PETSTORE_DEP_GETPET|--trace-(deprecation|warnings)/.test(line));
  if (noise.length > 0) throw new Error(`it printed: ${noise.join('\n')}`);
  if (!stdout.includes('3 operations')) throw new Error(`it ended early: ${stdout}`);
  return (await versioned).stdout.split('\n')[0];
}

for (const node of ['node20', 'node22', 'node24', 'node26']) {
  await step(`${node} import`, () => inProcess(bin(`${node}/bin/node`), [], 'main.mjs'));
  await step(`${node} require`, () => inProcess(bin(`${node}/bin/node`), [], 'main.cjs'));
}
await step('bun import', () => inProcess(bin('.bin/bun'), [], 'main.mjs'));
await step('bun require', () => inProcess(bin('.bin/bun'), [], 'main.cjs'));
// Only what the client needs is allowed: this machine's loopback, its files, its variables.
const deno = ['run', '--no-remote', '--node-modules-dir=manual', '--allow-net=127.0.0.1', '--allow-read', '--allow-env'];
await step('deno import', () => inProcess(bin('.bin/deno'), deno, 'main.mjs'));
await step('workerd', () => withService(inWorkerd));
await step('chromium', () => withService(inChromium));
