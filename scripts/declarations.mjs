// Writes the declarations of every entry, for ES modules (.d.ts) and CommonJS (.d.cts). Their maps lead an editor to the
// TypeScript sources, which are in the package. tsup's own step makes no maps.
import { readFileSync } from 'node:fs';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import entries from './entries.json' with { type: 'json' };

const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const external = [
  /^node:/,
  ...Object.keys({ ...dependencies, ...peerDependencies }).map(
    (name) => new RegExp(`^${name}(/|$)`),
  ),
];

const bundle = await rollup({
  input: entries,
  external,
  plugins: [dts({ sourcemap: true, compilerOptions: { noEmit: false, declarationMap: true } })],
});
for (const extension of ['d.ts', 'd.cts']) {
  await bundle.write({
    dir: 'dist',
    format: 'esm',
    // The maps of the CommonJS declarations would be the same once more.
    sourcemap: extension === 'd.ts',
    sourcemapExcludeSources: true,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
  });
}
await bundle.close();
