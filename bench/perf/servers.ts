/** Mocks on a port, each asked by a process of its own. */
import { spawn } from 'node:child_process';
import { Agent, createServer, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { root } from '../product.js';
import { answerTo, headers, pets } from './answers.js';
import { sliceOf, type Slice } from './measure.js';

/** Programs that print where they listen as JSON. */
const servers = {
  'node:http by hand': undefined,
  'petstore-mock': ['dist/mocks/cli.js', '--json', '--port', '0', '--seed', '100'],
  'hono + @hono/node-server': ['bench/perf/hono-server.mjs'],
} as const;
export type ServerName = keyof typeof servers;
export const serverNames = Object.keys(servers) as ServerName[];

/** Requests for 20 pets over ten connections, in slices. */
export let slice: Slice;

/** Gives the ms from the start of a server to its first answer. */
export async function start(name: ServerName): Promise<number> {
  const [file, ...args] = servers[name] ?? [];
  const began = performance.now();
  const origin = file === undefined ? await canned() : await startProgram(file, args);
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });
  const options = { agent, headers: { authorization: 'Bearer mock-enterprise' } };
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get(`${origin}/v1/pets?limit=20`, options, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
        answer.resume().on('end', resolve).on('error', reject);
      }).on('error', reject);
    });
  await ask();
  const firstAnswer = performance.now() - began;
  slice = sliceOf(ask, 10);
  await slice(1_000);
  return firstAnswer;
}

async function startProgram(file: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, root)), ...args]);
  process.on('exit', () => child.kill('SIGKILL'));
  const [line] = (await child.stdout.take(1).toArray()) as [Buffer];
  return (JSON.parse(String(line)) as { url: string }).url;
}

/** A bare server of canned answers in this process: the floor of all mocks. Its origin. */
export async function canned(): Promise<string> {
  const twenty = { body: JSON.stringify(pets.slice(0, 20)), status: 200 };
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming;
    const { body, status } = url.endsWith('limit=20') ? twenty : answerTo(method, url);
    incoming.resume();
    outgoing.writeHead(status, { ...headers(), 'Content-Length': Buffer.byteLength(body) });
    outgoing.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
