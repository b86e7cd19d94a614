// The recipes for servers, when a visitor closes the connection while the service has not answered.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { MockService } from '../../mocks/index.js';
import { writeBlocks } from '../support/block-files.js';
import { blockWith } from '../support/documents.js';
import { turns } from '../support/world.js';

/** What the recipes have, each some of it. */
interface Recipe {
  readonly app: {
    readonly server: Server;
    set(name: string, value: string): void;
    listen(options: object): Promise<void>;
    close(): Promise<void>;
  };
  readonly server: Server;
  readonly service: MockService;
  readonly lines: string[];
  readonly GET: (request: Request) => Promise<Response>;
}

/** The recipe of docs/frameworks.md that contains `text`, up to its first request, as a module that exports `names`. */
async function recipe(text: string, end: string, names: string, edit = (code: string) => code) {
  const block = blockWith('docs/frameworks.md', text);
  const code = edit(block.code.split(end)[0]!);
  const [file] = writeBlocks([{ ...block, code: `${code}\nexport { ${names} };` }]);
  return (await import(file!.path)) as Recipe;
}

/** Requests /api/pets, and closes the connection as soon as the request has reached the service. */
async function leave(server: Server, service: MockService): Promise<void> {
  const { port } = server.address() as AddressInfo;
  service.faults.add({ hang: true, times: 1 });
  const visitor = new AbortController();
  const visit = fetch(`http://127.0.0.1:${port}/api/pets`, { signal: visitor.signal });
  await expect.poll(() => service.requests).toHaveLength(1);
  visitor.abort();
  await expect(visit).rejects.toThrow('aborted');
}

test('Express prints no error when a visitor leaves', async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const end = "await new Promise((resolve) => server.once('listening'";
  const { app, server, service } = await recipe('import express', end, 'app, server, service');
  // In tests, Express prints nothing at all.
  app.set('env', 'production');
  await expect.poll(() => server.listening).toBe(true);
  await leave(server, service);
  await new Promise((resolve) => server.close(resolve));
  await turns(50);
  expect(printed.mock.calls).toEqual([]);
});

test('Fastify logs no error when a visitor leaves', async () => {
  const logger = '{ logger: { stream: { write: (line: string) => void lines.push(line) } } }';
  const edit = (code: string) =>
    `const lines: string[] = [];\n${code.replace('Fastify()', `Fastify(${logger})`)}`;
  const names = 'app, lines, service';
  const { app, lines, service } = await recipe('import Fastify', 'const ok =', names, edit);
  await app.listen({ port: 0, host: '127.0.0.1' });
  await leave(app.server, service);
  await turns(50);
  await app.close();
  const levels = lines.map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.length).toBeGreaterThan(0);
  expect(levels.filter((level) => level > 30)).toEqual([]);
});

test('a route handler of Next answers 499, and throws nothing, when a visitor leaves', async () => {
  const { GET } = await recipe('export function GET', 'console.log(', '');
  const signal = AbortSignal.abort();
  const { status } = await GET(new Request('https://shop.example/api/pets', { signal }));
  expect(status).toBe(499);
});
