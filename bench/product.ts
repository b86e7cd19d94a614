import { existsSync } from 'node:fs';
import type { createMockService } from '../mocks/index.js';
import type { createRateLimitGate, PetStoreClient } from '../src/index.js';

/** Where the package is. */
export const root = new URL('../', import.meta.url);

/** What is measured: the client, and the service in memory. */
export interface Product {
  readonly PetStoreClient: typeof PetStoreClient;
  readonly createRateLimitGate: typeof createRateLimitGate;
  readonly createMockService: typeof createMockService;
}

/** Loads the build, or with `--source` the sources. @throws Error when there is no build. */
export async function load(source = process.argv.includes('--source')): Promise<Product> {
  if (!source && !existsSync(new URL('dist/index.js', root)))
    throw new Error('There is no dist/ to measure: run `npm run build` first.');
  const files = source
    ? ['src/index.ts', 'mocks/index.ts']
    : ['dist/index.js', 'dist/mocks/index.js'];
  const [client, mocks] = await Promise.all(
    files.map((file) => import(new URL(file, root).href) as Promise<object>),
  );
  return { ...client, ...mocks } as Product;
}
