import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Paths of the client built both ways, minified, with all that it needs inside: copies of the package like any other's. */
export async function buildClient(): Promise<{ esm: string; cjs: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-client-'));
  const make = async (format: 'esm' | 'cjs', name: string) => {
    const outfile = join(folder, name);
    const entryPoints = [join(root, 'src/index.ts')];
    await build({
      entryPoints,
      outfile,
      format,
      bundle: true,
      platform: 'neutral',
      target: 'es2022',
      mainFields: ['module', 'main'],
      minify: true,
    });
    return outfile;
  };
  return {
    esm: pathToFileURL(await make('esm', 'index.mjs')).href,
    cjs: await make('cjs', 'index.cjs'),
  };
}
