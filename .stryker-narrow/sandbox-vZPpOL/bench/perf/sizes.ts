// @ts-nocheck
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Row } from '../page.js';
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

/** kB of each page, bundled and minified for a browser, as it is and by gzip. */
export async function sizes(): Promise<Row[]> {
  const rows = Object.entries(pages).map(async ([name, contents]) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser' },
    });
    const code = outputFiles[0]!.contents;
    const kB = (bytes: Uint8Array) => (bytes.length / 1_000).toFixed(1);
    return { '': name, minified: kB(code), gzip: kB(gzipSync(code, { level: 9 })) };
  });
  return Promise.all(rows);
}
