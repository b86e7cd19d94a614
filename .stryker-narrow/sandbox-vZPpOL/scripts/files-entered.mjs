// @ts-nocheck
// How many files, and functions, of src and mocks one warm call enters: `node scripts/files-entered.mjs [checkout] [--json]`.
// Each file is compiled by itself, so that V8 counts its functions under its own name.
import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const arguments_ = process.argv.slice(2);
const root = resolve(
  arguments_.find((argument) => !argument.startsWith('--')) ?? join(import.meta.dirname, '..'),
);
// Inside of the checkout, from where `ky` and `zod` are found. A folder a process: tests run side by side.
const outdir = join(root, 'temp', `files-entered-${process.pid}`);

await build({
  entryPoints: globSync(['src/**/*.ts', 'mocks/**/*.ts'], { cwd: root }).map((file) =>
    join(root, file),
  ),
  outbase: root,
  outdir,
  format: 'esm',
  logLevel: 'error',
});

try {
  const load = (file) => import(pathToFileURL(join(outdir, file)).href);
  const { PetStoreClient } = await load('src/index.js');
  const { createMockService } = await load('mocks/index.js');
  const service = createMockService({ seed: 3 });
  // The counted call gets a copy of the response before it: the service enters files of the contract too.
  let isReplayed = false;
  let recorded;
  const fetch = async (...request) => {
    if (isReplayed) return new Response(recorded.text, recorded);
    const response = await service.fetch(...request);
    const { status, headers } = response;
    recorded = { text: await response.clone().text(), status, headers };
    return response;
  };
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch });
  process.removeAllListeners('warning');
  process.on('warning', () => undefined);
  const calls = {
    success: () => client.listPets({ limit: 2 }),
    notFound: () => client.getPet(99).catch(() => undefined),
  };

  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const figures = {};
  for (const [name, call] of Object.entries(calls)) {
    isReplayed = false;
    await call();
    await call();
    const mock = entered(await counted(session, call), 'mocks');
    isReplayed = true;
    figures[name] = { client: entered(await counted(session, call), 'src'), mock };
  }
  session.disconnect();
  print(figures);
} finally {
  await rm(outdir, { recursive: true, force: true });
}

/** The functions of every script that one call runs. */
async function counted(session, call) {
  await settled();
  // Taking the counts sets them back to zero.
  await session.post('Profiler.takePreciseCoverage');
  await call();
  await settled();
  return (await session.post('Profiler.takePreciseCoverage')).result;
}

/** What a call leaves behind for the next turn of the event loop belongs to it. */
function settled() {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** The files under a folder of which at least one function ran, and how many functions of each. */
function entered(scripts, folder) {
  const files = {};
  for (const { url, functions } of scripts) {
    if (!url.startsWith(pathToFileURL(outdir).href)) continue;
    const file = relative(outdir, fileURLToPath(url)).replace(/\.js$/, '.ts');
    const ran = functions.filter(({ ranges }) => ranges[0].count > 0).length;
    if (file.startsWith(`${folder}/`) && ran > 0) files[file] = ran;
  }
  return files;
}

function print(figures) {
  if (arguments_.includes('--json')) return console.log(JSON.stringify(figures));
  for (const [name, sides] of Object.entries(figures)) {
    for (const [side, files] of Object.entries(sides)) {
      const functions = Object.values(files).reduce((sum, count) => sum + count, 0);
      console.log(`${name}, ${side}: ${Object.keys(files).length} files, ${functions} functions`);
      if (arguments_.includes('--files'))
        for (const [file, count] of Object.entries(files)) console.log(`  ${file} ${count}`);
    }
  }
}
