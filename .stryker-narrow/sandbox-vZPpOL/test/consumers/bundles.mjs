// @ts-nocheck
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

/** What each app leaves in `globalThis.outcome`. */
const outcomes = {
  app: '{"names":["Rex"],"known":true,"calls":2}',
  unused: 'nothing used',
  mocked: '3 pets',
  errors: 'function',
};

/** Each bundles `<app>.js` of a folder to `out/<app>.mjs`, minified, for a browser. */
const bundlers = {
  async esbuild(folder, app) {
    const { warnings } = await esbuild({
      entryPoints: [join(folder, `${app}.js`)],
      bundle: true,
      format: 'esm',
      target: 'es2022',
      minify: true,
      outfile: join(folder, `out/${app}.mjs`),
      logLevel: 'silent',
    });
    assert.deepEqual(warnings, []);
  },
  async vite(folder, app) {
    // A library build would leave the minifying of whitespace out.
    const output = { entryFileNames: `${app}.mjs`, codeSplitting: false };
    const rolldownOptions = { input: join(folder, `${app}.js`), output };
    const out = { outDir: 'out', emptyOutDir: false, modulePreload: false };
    const build = { target: 'es2022', ...out, rolldownOptions };
    await vite({ root: folder, configFile: false, logLevel: 'error', build });
  },
  async webpack(folder, app) {
    const stats = await promisify(webpack)({
      context: folder,
      mode: 'production',
      target: ['web', 'es2022'],
      entry: `./${app}.js`,
      output: { path: join(folder, 'out'), filename: `${app}.mjs`, module: true },
      experiments: { outputModule: true },
      performance: false,
    });
    const { errors, warnings } = stats.toJson();
    assert.deepEqual([...errors, ...warnings], []);
  },
};

async function outcomeOf(file) {
  const code = `import(${JSON.stringify(file)}).then(() => console.log(globalThis.outcome))`;
  const { stdout } = await run('node', ['-e', code]);
  return stdout.trim();
}

/** Bundles the apps, runs them, and looks for what must not be in them. */
async function checkBundler(name) {
  // msw is there to be found, so that its absence from the bundle says something.
  const folder = await project('test/consumers/projects/bundle', 'msw');
  const code = {};
  for (const [app, outcome] of Object.entries(outcomes)) {
    await bundlers[name](folder, app);
    const file = join(folder, 'out', `${app}.mjs`);
    assert.equal(await outcomeOf(file), outcome);
    code[app] = readFileSync(file, 'utf8');
  }
  assert.ok(code.errors.length < 5_000, `one error class leaves ${code.errors.length} bytes`);
  const strangers = ['onUnhandledRequest', 'mockServiceWorker', 'node:http'];
  const within = (text, words) => words.filter((word) => text.includes(word));
  assert.deepEqual(within(code.app, ['mock-free', ...strangers]), [], 'an app of the client alone');
  assert.deepEqual(within(code.mocked, strangers), [], 'an app on the in-memory service');
  assert.ok(code.mocked.includes('mock-free'), 'the words looked for are not those of the mock');
  assert.ok(code.unused.length < 200, `imports that nobody uses leave ${code.unused.length} bytes`);
  return `${Math.round(code.app.length / 1000)} kB minified; on the in-memory service ${Math.round(code.mocked.length / 1000)} kB`;
}

export const steps = ['vite', 'webpack', 'esbuild'].map((name) => ({
  name,
  where: `${name} ${pinned(name)}`,
  what: 'client alone, without the code of mocks or msw; unused imports dropped; app on the in-memory service',
  work: () => checkBundler(name),
}));
