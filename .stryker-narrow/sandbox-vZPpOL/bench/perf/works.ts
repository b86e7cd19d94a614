/** What is measured: each makes a function that is called again and again, and loads what it needs itself. */
// @ts-nocheck

import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { Agent, createServer, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patientCall } from '../../test/support/gate-call.js';
import { load, root } from '../product.js';
import { answerTo, headers, pets, stub, zodList, type RequestName } from './answers.js';
import { clients } from './clients.js';
import { init, mocks, url } from './mocks.js';

type Work = () => unknown;

/** `origin`: that of a service over loopback; without it, a `fetch` that responds at once. */
export async function request(client: string, request: RequestName, origin?: string) {
  const baseUrl = `${origin ?? 'https://bench.example'}/v1`;
  const target = { baseUrl, fetch: origin === undefined ? stub : fetch };
  return (await clients[client]!(target))[request];
}

/** A list of 20 pets from a mock in the same process, read by its caller. */
export async function mock(name: string): Promise<Work> {
  const ask = await mocks[name]!();
  const read = async () => (await ask()).text();
  const text = await read();
  if ((JSON.parse(text) as unknown[]).length !== 20)
    throw new Error(`${name}: no 20 pets: ${text}`);
  return read;
}

/** Programs that print where they listen as JSON. */
const programs: Readonly<Record<string, readonly [file: string, ...args: string[]]>> = {
  'petstore-mock': ['dist/mocks/cli.js', '--json', '--port', '0', '--seed', '100'],
  'hono + @hono/node-server': ['bench/perf/hono-server.mjs'],
};
export const servers = ['node:http by hand', ...Object.keys(programs)];

/** A request for 20 pets to a mock on a port. */
export async function port(name: string): Promise<Work> {
  const origin = programs[name] ? await startProgram(...programs[name]) : await canned();
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });
  const options = { agent, headers: { authorization: 'Bearer mock-enterprise' } };
  return () =>
    new Promise((resolve, reject) => {
      get(`${origin}/v1/pets?limit=20`, options, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
        answer
          .resume()
          .on('end', () => resolve(200))
          .on('error', reject);
      }).on('error', reject);
    });
}

async function startProgram(file: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, root)), ...args]);
  process.on('exit', () => child.kill('SIGKILL'));
  const [line] = (await child.stdout.take(1).toArray()) as [Buffer];
  return (JSON.parse(String(line)) as { url: string }).url;
}

/** Creates a second of 50 clients at once, with 10,000 pets: each is on the disk before its answer. */
export async function createsWithState(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-state-'));
  const [program, ...args] = programs['petstore-mock']!;
  const ours = ['--state', join(folder, 'state.json'), '--key', 'bench=1000000/100000000'];
  const origin = await startProgram(program, ...args, ...ours, '--seed', '10000');
  const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
  const client = async () => {
    for (let at = 0; at < 40; at++) {
      const { status } = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body });
      if (status !== 201) throw new Error(`status ${status}`);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: 50 }, client));
  return 2_000 / ((performance.now() - began) / 1_000);
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

/** A check as one would write it by hand, each pet copied as Zod does. */
function byHand({ id, name, categoryId, status }: Readonly<Record<string, unknown>>): unknown {
  const isPet =
    Number.isSafeInteger(id) &&
    typeof name === 'string' &&
    Number.isSafeInteger(categoryId) &&
    (status === undefined || ['available', 'pending', 'sold'].includes(status as string));
  if (!isPet) throw new TypeError('no pet');
  return { id, name, categoryId, status };
}

const text = JSON.stringify(pets);
const long = text.replaceAll(/"id":(\d+)/g, (_, id: string) => `"id":${2n ** 62n + BigInt(id)}`);
/** A body of 100 pets is parsed, or checked when it is. The last two are of another text than the others. */
export async function parsers(): Promise<Record<string, Work>> {
  const { PetListSchema: contract } = await load('contract/index');
  // No entry exports it: of the sources, then.
  const { parseJson } = await import('../../src/contract/json.js');
  const zod = await zodList();
  return {
    'JSON.parse': () => JSON.parse(text) as unknown,
    'check by hand, 100 pets': () => pets.map(byHand),
    'contract, 100 pets': () => contract['~standard'].validate(pets),
    'zod, 100 pets': () => zod.parse(pets),
    'zod without JIT, 100 pets': () => zod.safeParse(pets, { jitless: true } as never),
    'int64, no id long': () => parseJson(text),
    'JSON.parse, all ids long': () => JSON.parse(long) as unknown,
    'int64, all ids long': () => parseJson(long),
  };
}
export const parsing = async (name: string) => (await parsers())[name]!;

const service = async (seed: number) => (await load('mocks/index')).createMockService({ seed });
const ask = (of: Awaited<ReturnType<typeof service>>) => async () =>
  (await of.fetch(url, init)).text();

/** What must not take longer where there is much of something: makes the work with so much of it. */
const grown: Readonly<Record<string, (count: number) => Promise<Work>>> = {
  pets: async (count) => ask(await service(count)),
  async faults(count) {
    const own = await service(20);
    // Of another key: each is looked at, and none hits.
    for (let at = 0; at < count; at++) own.faults.add({ key: 'mock-business', status: 500 });
    return ask(own);
  },
  async 'requests in the journal'(count) {
    const own = await service(20);
    for (let at = 0; at < count; at++) await ask(own)();
    return ask(own);
  },
  async 'clients of the process'(count) {
    const { PetStoreClient } = await load('index');
    const { fetch } = await service(20);
    const all = Array.from({ length: count }, (_, at) => {
      const baseUrl = `https://host-${at}.example`;
      return new PetStoreClient({ apiKey: 'mock-enterprise', baseUrl, fetch });
    });
    for (const client of all) await client.listPets();
    return () => all[0]!.listPets();
  },
  async 'waiting calls of the gate'(count) {
    const gate = (await load('index')).createRateLimitGate();
    const answer = { status: 200, headers: new Headers(headers()) };
    // More than 10,000 calls: only retries may wait then.
    const call = { ...patientCall, isRetry: true };
    const line = Array.from({ length: count + 1 }, () => gate.acquire(call));
    let next = 0;
    // One joins, one goes, and its answer lets the next one go.
    return async () => {
      line.push(gate.acquire(call));
      const permit = await line[next]!;
      line[next++] = undefined as never;
      permit.settle(answer);
      return permit;
    };
  },
  async 'list by status'(count) {
    const own = await service(count);
    // Three in four pets have another status, and this one must be found among them.
    return () => own.pets.list({ status: 'sold', limit: 20 });
  },
};
export const growth = (count: string, what: string) => grown[what]!(Number(count));
