import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { temporaryFolder } from './temporary-folder.js';
import { root } from './documents.js';

/** The path of a module of this repository with all that it needs inside, until the test file ends. */
export async function bundle(entry: string, format: 'esm' | 'cjs', options: BuildOptions = {}) {
  const outfile = join(temporaryFolder(), format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
  const entryPoints = [join(root, entry)];
  await build({ entryPoints, outfile, format, bundle: true, platform: 'node', ...options });
  return outfile;
}

/** The client built both ways, minified: copies of the package like any other's. */
export async function buildClient(): Promise<{ esm: string; cjs: string }> {
  const mainFields = ['module', 'main'];
  const neutral = { platform: 'neutral', target: 'es2022', mainFields, minify: true } as const;
  const esm = await bundle('src/index.ts', 'esm', neutral);
  return { esm: pathToFileURL(esm).href, cjs: await bundle('src/index.ts', 'cjs', neutral) };
}
