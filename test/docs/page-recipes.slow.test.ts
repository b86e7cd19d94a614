// The recipes for pages that need a bundler: the Vite plugin and the line for a content security policy, as the page states them.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { build as bundle } from 'esbuild';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { blockWith, read, root } from '../support/documents.js';

const folder = temporaryFolder(join(root, 'temp'));
// Otherwise the package.json of this package would hold, which says that no module has side effects.
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

const recipe = (text: string) => blockWith('docs/browsers-and-edge.md', text).code;

test('the Vite plugin deletes the script of the mock from a production build, and nothing else', async () => {
  mkdirSync(join(folder, 'public'));
  writeFileSync(join(folder, 'public/mockServiceWorker.js'), '// the worker of msw');
  writeFileSync(join(folder, 'public/robots.txt'), 'User-agent: *');
  writeFileSync(join(folder, 'index.html'), '<p>Pets</p>');
  const configFile = join(folder, 'vite.config.ts');
  writeFileSync(configFile, recipe('without-mock-worker'));
  for (const mode of ['production', 'development']) {
    await build({ root: folder, configFile, mode, logLevel: 'error' });
    const has = (name: string) => existsSync(join(folder, 'dist', name));
    expect([has('robots.txt'), has('mockServiceWorker.js')]).toEqual([true, mode !== 'production']);
  }
});

/** The size of a page with the client, and whether it compiles code. The page imports a module with the code `first` before the client. */
async function page(first: string): Promise<{ size: number; compiled: string }> {
  writeFileSync(join(folder, 'first.mjs'), first);
  const contents = `import '${join(folder, 'first.mjs')}';
    import { PetStoreClient } from '${join(root, 'src/index.ts')}';
    const fetch = async () => Response.json([{ id: 1, name: 'Rex', categoryId: 1 }]);
    await new PetStoreClient({ apiKey: 'mock-free', fetch }).listPets();`;
  const { outputFiles } = await bundle({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const file = join(folder, 'page.mjs');
  const count = `let compiled = 0; globalThis.Function = new Proxy(Function, {
    construct: (target, args) => (compiled++, Reflect.construct(target, args)) });\n`;
  writeFileSync(file, `${count}${outputFiles[0]!.text}\nconsole.log(compiled > 0);`);
  const { stdout } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  return { size: outputFiles[0]!.contents.length, compiled: stdout.trim() };
}

test('the line for a content security policy stops all compilation, and adds less than 1 kB', async () => {
  const plain = await page('');
  const strict = await page(recipe('jitless'));
  expect([plain.compiled, strict.compiled]).toEqual(['true', 'false']);
  expect(strict.size - plain.size).toBeLessThan(1_000);
});

test('every relative link of the packed documents leads to a file of the package, which is below 600 kB', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', args, { cwd: root, encoding: 'utf8' });
  const [packed] = JSON.parse(output) as [{ size: number; files: { path: string }[] }];
  const held = packed.files.map(({ path }) => path);
  const pages = held.filter((path) => path.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(20);
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, link]) => normalize(join(dirname(page), link!)).replace(/\/$/, ''))
      .filter((path) => !held.some((file) => file === path || file.startsWith(`${path}/`)))
      .map((path) => `${page} -> ${path}`),
  );
  expect(broken).toEqual([]);
  expect(packed.size).toBeLessThan(600_000);
});
