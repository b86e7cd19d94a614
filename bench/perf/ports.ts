import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pets } from './answers.js';

const bench = new URL('../', import.meta.url);
const root = new URL('../../', import.meta.url);
const file = (path: string, from: URL) => fileURLToPath(new URL(path, from));

/** A mock in a process of its own. */
export interface Running {
  readonly url: string;
  /** ms from the start of the process to its first answer. */
  readonly firstAnswer: number;
  stop(): void;
}

/** The arguments of Node that start a mock on `port`, and where it answers with 20 pets. */
type Start = (
  port: number,
  dist: URL,
) => { readonly args: readonly string[]; readonly path: string };

export const servers = {
  'node:http by hand': (port) => ({
    args: [
      '--import',
      'tsx',
      file('child.ts', new URL('./', import.meta.url)),
      'serve-canned',
      JSON.stringify({ port }),
    ],
    path: '/v1/pets?limit=20',
  }),
  'petstore-mock': (port, dist) => ({
    args: [file('mocks/cli.js', dist), '--port', String(port), '--seed', '100'],
    path: '/v1/pets?limit=20',
  }),
  'hono + @hono/node-server': (port) => ({
    args: [
      '--import',
      'tsx',
      file('child.ts', new URL('./', import.meta.url)),
      'serve-hono',
      JSON.stringify({ port }),
    ],
    path: '/v1/pets?limit=20',
  }),
  'json-server': (port) => ({
    args: [
      file('node_modules/json-server/lib/cli/bin.js', bench),
      '--quiet',
      '--port',
      String(port),
      pasture(),
    ],
    path: '/pets?_limit=20',
  }),
  'Prism, static': (port) => ({
    args: [
      file('node_modules/@stoplight/prism-cli/dist/index.js', bench),
      'mock',
      '-p',
      String(port),
      '-v',
      'silent',
      file('openapi.json', root),
    ],
    path: '/pets?limit=20',
  }),
} satisfies Record<string, Start>;

export type ServerName = keyof typeof servers;

/** Starts a mock, and waits for its first answer. */
export async function start(name: ServerName, dist: URL): Promise<Running> {
  const port = await freePort();
  const { args, path } = (servers[name] as Start)(port, dist);
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL('./', import.meta.url)),
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}${path}`;
  await answered(url, child);
  return { url, firstAnswer: performance.now() - began, stop: () => child.kill('SIGKILL') };
}

async function answered(url: string, child: ChildProcess): Promise<void> {
  for (
    const end = performance.now() + 30_000;
    performance.now() < end && child.exitCode === null;
  ) {
    const response = await fetch(url, {
      headers: { authorization: 'Bearer mock-enterprise' },
    }).catch(() => undefined);
    if (response?.ok) return void (await response.text());
    await response?.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  child.kill('SIGKILL');
  throw new Error(`Nothing answers at ${url}.`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** A file of pets, as json-server reads it. */
function pasture(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'pets-')), 'db.json');
  writeFileSync(path, JSON.stringify({ pets }));
  return path;
}
