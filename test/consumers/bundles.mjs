// Each bundler over the same apps: do the bundles run, and what came into them?
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';
import webpack from 'webpack';
import { pinned } from '../../tools/install.mjs';
import { project } from '../packed/project.mjs';
import { run } from '../packed/run.mjs';

const apps = ['app', 'unused', 'mocked', 'errors'];

/** Each writes `out/<app>.mjs`, minified, for a browser. */
const bundlers = {
  async esbuild(folder) {
    const entryPoints = apps.map((app) => join(folder, `${app}.js`));
    const outExtension = { '.js': '.mjs' };
    const { warnings } = await esbuild({
      entryPoints,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      minify: true,
      outdir: join(folder, 'out'),
      outExtension,
      logLevel: 'silent',
    });
    assert.deepEqual(warnings, []);
  },
  async vite(folder) {
    for (const app of apps) {
      // A library build would leave the minifying of whitespace out.
      const output = { entryFileNames: `${app}.mjs`, codeSplitting: false };
      const rolldownOptions = { input: join(folder, `${app}.js`), output };
      const build = {
        target: 'es2022',
        outDir: 'out',
        emptyOutDir: false,
        modulePreload: false,
        rolldownOptions,
      };
      await vite({ root: folder, configFile: false, logLevel: 'error', build });
    }
  },
  async webpack(folder) {
    const stats = await promisify(webpack)({
      context: folder,
      mode: 'production',
      target: ['web', 'es2022'],
      entry: Object.fromEntries(apps.map((app) => [app, `./${app}.js`])),
      output: {
        path: join(folder, 'out'),
        filename: '[name].mjs',
        module: true,
        chunkFormat: 'module',
      },
      experiments: { outputModule: true },
      performance: false,
    });
    const { errors, warnings } = stats.toJson();
    assert.deepEqual([...errors, ...warnings], []);
  },
};

async function outcomeOf(file) {
  const { stdout } = await run('node', [
    '-e',
    `import(${JSON.stringify(file)}).then(() => console.log(globalThis.outcome))`,
  ]);
  return stdout.trim();
}

/** Bundles the apps, runs them, and looks for what must not be in them. */
async function checkBundler(name) {
  // msw is there to be found, so that its absence from the bundle says something.
  const folder = await project('test/consumers/projects/bundle', 'msw');
  await bundlers[name](folder);
  const outcomes = [
    '{"names":["Rex"],"known":true,"calls":2}',
    'nothing used',
    '3 pets',
    'function',
  ];
  const files = apps.map((each) => join(folder, 'out', `${each}.mjs`));
  for (const [at, file] of files.entries()) assert.equal(await outcomeOf(file), outcomes[at]);
  const [appCode, unusedCode, mockedCode, errorsCode] = files.map((file) =>
    readFileSync(file, 'utf8'),
  );
  assert.ok(errorsCode.length < 5_000, `one error class leaves ${errorsCode.length} bytes`);
  const strangers = ['onUnhandledRequest', 'mockServiceWorker', 'node:http'];
  const within = (code, words) => words.filter((word) => code.includes(word));
  assert.deepEqual(within(appCode, ['mock-free', ...strangers]), [], 'an app of the client alone');
  assert.deepEqual(within(mockedCode, strangers), [], 'an app on the in-memory service');
  assert.ok(mockedCode.includes('mock-free'), 'the words looked for are not those of the mock');
  assert.ok(unusedCode.length < 200, `imports that nobody uses leave ${unusedCode.length} bytes`);
  return `${Math.round(appCode.length / 1000)} kB minified; on the in-memory service ${Math.round(mockedCode.length / 1000)} kB`;
}

export const steps = ['vite', 'webpack', 'esbuild'].map((name) => ({
  name,
  where: `${name} ${pinned(name)}`,
  what: 'client alone, without the code of mocks or msw; unused imports dropped; app on the in-memory service',
  work: () => checkBundler(name),
}));
