// @ts-nocheck
// Writes the CommonJS build: the ES modules of dist/ again, with the same shared chunks, by Rollup. esbuild cannot split CommonJS,
// and tsup's own way (Sucrase) drops the names of classes.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { rollup } from 'rollup';
import entries from './entries.json' with { type: 'json' };

const { dependencies, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const required = Object.values(exports)
  .map((target) => target.require?.default)
  .filter(Boolean)
  .map((file) => file.slice('./dist/'.length, -'.cjs'.length));
const unknown = required.filter((name) => !(name in entries));
if (unknown.length > 0) throw new Error(`no entry of the build: ${unknown.join(', ')}`);

/** ky is published as ES modules only. It is bundled, so that `require` works in every Node and in stock Jest. */
const bundled = { ky: 'node_modules/ky/distribution/index.js' };
const packages = [...Object.keys(dependencies), 'msw'].filter((name) => !(name in bundled));
const external = [/^node:/, ...packages.map((name) => new RegExp(`^${name}(/|$)`))];

const bundle = await rollup({
  input: Object.fromEntries(required.map((name) => [name, `dist/${name}.js`])),
  external,
  treeshake: { moduleSideEffects: false },
  plugins: [
    {
      name: 'bundled',
      resolveId: (id) => (id in bundled ? `${process.cwd()}/${bundled[id]}` : null),
    },
  ],
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'cjs',
  exports: 'named',
  interop: 'esModule',
  // Jest cannot `import()` without Node's vm modules, so that modules loaded on demand are required too.
  dynamicImportInCjs: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
});
await bundle.close();

/**
 * Entries of programs on a server, whose parts no bundler drops: their ES module takes all from the CommonJS build, so that the package
 * holds them once.
 */
const onceInPackage = ['fleet/index'];
for (const name of onceInPackage) {
  const { exports: names } = output.find(({ fileName }) => fileName === `${name}.cjs`);
  const text = `import entry from './${basename(name)}.cjs';\nexport const { ${names.join(', ')} } = entry;\n`;
  writeFileSync(`dist/${name}.js`, text);
}

// For scripts/licences.mjs, in the shape of esbuild's metafile. The package does not hold this file.
const outputs = Object.fromEntries(
  output.map(({ fileName, moduleIds }) => [
    fileName,
    { inputs: Object.fromEntries(moduleIds.map((id) => [id, {}])) },
  ]),
);
writeFileSync('dist/metafile-cjs.json', JSON.stringify({ outputs }));
