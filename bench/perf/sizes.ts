import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { built } from '../product.js';

const pet = `
  import * as z from 'zod/mini';
  const status = z.enum(['available', 'pending', 'sold']);
  export const Pet = z.object({ id: z.int(), name: z.string(), categoryId: z.int(), status: z.optional(status) });
  export const Pets = z.array(Pet);`;
const axios = `
  import axios from 'axios';
  import axiosRetry from 'axios-retry';
  export const client = axios.create();
  axiosRetry(client);`;

/** What a page loads, as its author writes it. */
const pages = {
  'petstore-client': `export * from ${JSON.stringify(new URL(built('index')).pathname)};`,
  'axios + axios-retry + zod/mini': axios + pet,
  'ky + zod/mini': `export { default as ky } from 'ky';${pet}`,
  openai: `export { default as OpenAI } from 'openai';`,
};

type Size = [page: string, minified: number, gzip: number];

/** kB of each page, bundled and minified for a browser, as it is and by gzip. */
export async function sizes(): Promise<Size[]> {
  const entries = Object.entries(pages).map(async ([name, contents]): Promise<Size> => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser' },
    });
    const code = outputFiles[0]!.contents;
    return [name, code.length / 1_000, gzipSync(code, { level: 9 }).length / 1_000];
  });
  return Promise.all(entries);
}
