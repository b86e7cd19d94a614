import { existsSync } from 'node:fs';
import type { Ours } from './run/ours.js';
import type { CreateMockService } from './run/world.js';

/** Where the package is. */
export const root = new URL('../../', import.meta.url);

/** The package and its mock service: the build, or the sources. @throws Error when there is no build. */
export async function loadProduct(
  source: boolean,
): Promise<{ product: Ours; createMockService: CreateMockService }> {
  if (!source && !existsSync(new URL('dist/index.js', root)))
    throw new Error('There is no dist/ to measure: run `npm run build` first.');
  const entry = (built: string, written: string): Promise<unknown> =>
    import(new URL(source ? written : built, root).href);
  const product = (await entry('dist/index.js', 'src/index.ts')) as Ours;
  const { createMockService } = (await entry('dist/mocks/index.js', 'mocks/index.ts')) as {
    createMockService: CreateMockService;
  };
  return { product, createMockService };
}
