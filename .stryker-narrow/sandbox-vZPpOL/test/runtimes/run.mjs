// @ts-nocheck
// The same suite, with the packed package, in every runtime: `npm run test:runtimes [-- bun deno …] [--write]`.
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinned, setup } from '../../tools/install.mjs';
import { unpack } from '../packed/pack.mjs';
import { project, tarball } from '../packed/project.mjs';
import { run } from '../packed/run.mjs';
import { runSteps } from '../packed/steps.mjs';
import { keepTable } from '../packed/table.mjs';

const here = import.meta.dirname;
const bin = (path) => join(here, 'node_modules', path);
const node = (name) => (name === 'node24' ? process.execPath : bin(`${name}/bin/node`));
// Node 24 is the one that the package is made with.
const version = (name) => (name === 'node24' ? process.versions.node : pinned(name));

await setup();
const installed = await unpack(tarball, here);
// Without the package.json of this folder the name would mean dist/: Node resolves a package's own name first.
const resolved = fileURLToPath(import.meta.resolve('petstore-client'));
assert.ok(realpathSync(resolved).startsWith(realpathSync(installed)), `not packed: ${resolved}`);
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
  const { stdout, stderr } = await withService((url) =>
    run(program, [...args, file, url], { cwd: here, timeout: 30_000 }),
  );
  // The one warning that is due: getPet is deprecated.
  const expected = /^$|PETSTORE_DEP_GETPET|--trace-(deprecation|warnings)/;
  const noise = stderr.split('\n').filter((line) => !expected.test(line));
  if (noise.length > 0) throw new Error(`it printed: ${noise.join('\n')}`);
  if (!stdout.includes('3 operations')) throw new Error(`it ended early: ${stdout}`);
}

/** msw 2 runs on every Node here; msw 3 needs what Node 22.12 brought. */
async function withMsw(program, newest) {
  for (const msw of ['msw2', 'msw']) {
    const folder = await project('test/runtimes/projects/msw', `${msw} as msw`);
    const outcome = msw === 'msw2' || newest ? 'runs' : 'refused';
    await run(program, ['main.mjs', outcome], { cwd: folder });
  }
}

/**
 * Only what the client needs is allowed: this machine's loopback, its files, its variables. Deno's cache of compiled code would run
 * the CommonJS of an earlier build where the new file has the same length.
 */
const deno = [
  'run',
  '--no-code-cache',
  '--no-remote',
  '--node-modules-dir=manual',
  '--allow-net=127.0.0.1',
  '--allow-read',
  '--allow-env',
];
const formats = { import: ['main.mjs', 'ES modules'], require: ['main.cjs', 'CommonJS'] };
const processes = [
  ...['node20', 'node22', 'node24', 'node26'].map((name) => ({
    name,
    where: 'Node',
    program: node(name),
  })),
  { name: 'bun', where: 'Bun', program: bin('.bin/bun') },
  { name: 'deno', where: 'Deno', program: bin('.bin/deno'), args: deno },
];
const steps = [
  ...processes.flatMap(({ name, where, program, args = [] }) =>
    Object.entries(formats).map(([format, [file, what]]) => ({
      name: `${name} ${format}`,
      where: `${where} ${version(name)}`,
      what,
      work: () => inProcess(program, args, file),
    })),
  ),
  ...[20, 22, 24, 26].map((major) => ({
    name: `node${major} msw`,
    where: `Node ${version(`node${major}`)}`,
    what: `\`./mocks/node\` over msw ${version('msw2')}${major > 20 ? ` and ${version('msw')}` : `; msw 3 is refused with the reason`}`,
    work: () => withMsw(node(`node${major}`), major > 20),
  })),
  {
    name: 'workerd',
    where: `workerd, by Miniflare ${version('miniflare')}`,
    what: 'bundled by esbuild',
    work: () => withService(inWorkerd),
  },
  {
    name: 'chromium',
    where: `Chromium, by Playwright ${version('playwright')}`,
    what: 'bundled by esbuild, from another origin',
    work: () => withService(inChromium),
  },
];
if (await runSteps(steps, { lanes: 2 })) keepTable('runtimes', steps);
