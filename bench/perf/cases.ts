/** What a process of its own measures: each export is a case. */
import { spawn } from 'node:child_process';
import { Agent, createServer, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { gateCall } from '../conduct/run/ours.js';
import { load, root } from '../product.js';
import { answerTo, apiKey, headers, periods, pets, stub, type RequestName } from './answers.js';
import { clients, type ClientName } from './clients.js';
import { ratios, sliceOf, warmInTurns, type Timed } from './measure.js';
import { init, mocks, url, type MockName } from './mocks.js';
import { median, slope, type Ratio } from './stats.js';

export interface Effort {
  readonly slices: number;
  readonly ms: number;
}

const baseUrl = 'https://bench.example/v1';

interface RequestCase {
  readonly client: ClientName;
  readonly request: RequestName;
  /** The origin of a service over loopback; without it, a `fetch` that responds at once. */
  readonly url?: string;
  readonly atOnce?: number;
  /** Calls before the first slice. */
  readonly warm: number;
}

/** One request through one client, in slices. Gives the bytes that one call allocates. */
export async function request({
  client,
  request,
  url,
  atOnce,
  warm,
}: RequestCase): Promise<number> {
  const target = {
    baseUrl: url ? `${url}/v1` : baseUrl,
    fetch: url ? undefined : stub,
  };
  const work = (await clients[client](target))[request];
  if ((await work()) === undefined) throw new Error(`${client} gave no answer to ${request}.`);
  const many = async (count: number) => {
    for (let done = 0; done < count; done++) {
      await work();
      if (done % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await many(warm);
  answerSlices(sliceOf(work, atOnce));
  // So few calls that the collector does not run in between.
  const [before, calls] = [await heldBytes(), 50];
  await many(calls);
  return (process.memoryUsage().heapUsed - before) / calls;
}

function answerSlices(slice: (ms: number) => Promise<Timed>): void {
  process.on('message', (ms: number) => {
    void slice(ms).then((found) => process.send?.(found));
  });
}

/** Bytes on the heap that something still refers to. Needs `--expose-gc`. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    // What is registered for finalization (each Request is) goes a turn after it was collected.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}

/** The first calls of a process: µs of a call by the clock, in each of the periods. */
export async function young(input: {
  client: ClientName;
  request: RequestName;
}): Promise<number[]> {
  const work = (await clients[input.client]({ baseUrl, fetch: stub }))[input.request];
  const times: number[] = [];
  let done = 0;
  for (const end of periods) {
    const [began, from] = [performance.now(), done];
    for (; done < end; done++) await work();
    times.push(((performance.now() - began) * 1_000) / (end - from));
  }
  return times;
}

/** A list of 20 pets from a mock in the same process, read by its caller, beside a `fetch` written by hand. */
export async function mock({ name, effort }: { name: MockName; effort: Effort }): Promise<Ratio> {
  const [base, ask] = [await mocks['a fetch by hand'](), await mocks[name]()];
  const text = await (await ask()).text();
  if ((JSON.parse(text) as unknown[]).length !== 20)
    throw new Error(`${name}: no 20 pets: ${text}`);
  const work = { base: async () => (await base()).text(), own: async () => (await ask()).text() };
  return ratios(await warmInTurns(work, effort)).own;
}

const servers = {
  'node:http by hand': undefined,
  'petstore-mock': ['dist/mocks/cli.js', '--seed', '100'],
} as const;
export type ServerName = keyof typeof servers;

/** Requests for 20 pets over ten connections to a mock on a port, in slices. Gives the ms from its start to its first answer. */
export async function port({ server }: { server: ServerName }): Promise<number> {
  const [file, ...args] = servers[server] ?? [];
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
  const slice = sliceOf(ask, 10);
  await slice(1_000);
  answerSlices(slice);
  return firstAnswer;
}

async function startProgram(file: string, args: readonly string[]): Promise<string> {
  const path = fileURLToPath(new URL(file, root));
  const child = spawn(process.execPath, [path, '--json', '--port', '0', ...args]);
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

const pet = z.object({
  id: z.int(),
  name: z.string(),
  categoryId: z.int(),
  status: z.enum(['available', 'pending', 'sold']).optional(),
});

/** What a body of 100 pets costs: validated by Zod, or parsed with exact ids, divided by `JSON.parse` of the same text. */
export async function parsing(effort: Effort): Promise<Record<string, Ratio>> {
  // No entry exports it: of the sources, then.
  const { parseJson } = await import('../../src/contract/json.js');
  const text = JSON.stringify(pets);
  const long = text.replaceAll(/"id":(\d+)/g, (_, id: string) => `"id":${2n ** 62n + BigInt(id)}`);
  const list = z.array(pet);
  const short = await warmInTurns(
    {
      'JSON.parse': () => JSON.parse(text) as unknown,
      'zod, 100 pets': () => list.parse(pets),
      'int64, no id long': () => parseJson(text),
    },
    effort,
  );
  const all = await warmInTurns(
    {
      'JSON.parse': () => JSON.parse(long) as unknown,
      'int64, all ids long': () => parseJson(long),
    },
    effort,
  );
  return { ...ratios(short), 'int64, all ids long': ratios(all)['int64, all ids long'] };
}

/** µs of CPU time of work that must not take longer where there is much of something: by what there is, and how much. */
export async function growth(effort: Effort): Promise<Record<string, Record<string, number>>> {
  const { createMockService, PetStoreClient, createRateLimitGate } = await load();
  const service = (seed: number) => createMockService({ seed });
  const ask = (of: ReturnType<typeof service>) => async () => (await of.fetch(url, init)).text();
  const grown: Record<
    string,
    readonly [counts: readonly number[], make: (count: number) => unknown]
  > = {
    pets: [[1_000, 100_000, 1_000_000], (count) => ask(service(count))],
    faults: [
      [1, 1_000],
      (count) => {
        const own = service(20);
        // Of another key: each is looked at, and none hits.
        for (let at = 0; at < count; at++) own.faults.add({ key: 'mock-business', status: 500 });
        return ask(own);
      },
    ],
    'requests in the journal': [
      [100, 100_000],
      async (count) => {
        const own = service(20);
        for (let at = 0; at < count; at++) await ask(own)();
        return ask(own);
      },
    ],
    'clients of the process': [
      [1, 10_000],
      async (count) => {
        const { fetch } = service(20);
        const of = (at: number) => `https://host-${at}.example`;
        const all = Array.from({ length: count }, (_, at) => {
          return new PetStoreClient({ apiKey: 'mock-enterprise', baseUrl: of(at), fetch });
        });
        for (const client of all) await client.listPets();
        return () => all[0]!.listPets();
      },
    ],
    'waiting calls of the gate': [
      [1, 1_000, 100_000],
      (count) => {
        const gate = createRateLimitGate();
        const answer = { status: 200, headers: new Headers(headers()) };
        const line = Array.from({ length: count + 1 }, () => gate.acquire(gateCall()));
        let next = 0;
        // One joins, one goes, and its answer lets the next one go.
        return async () => {
          line.push(gate.acquire(gateCall()));
          const permit = await line[next]!;
          line[next++] = undefined as never;
          permit.settle(answer);
        };
      },
    ],
  };
  const found: Record<string, Record<string, number>> = {};
  for (const [what, [counts, make]] of Object.entries(grown)) {
    found[what] = {};
    for (const count of counts) {
      const work = (await make(count)) as () => unknown;
      const { own } = await warmInTurns({ own: work }, effort);
      found[what][count] = median(own.map(({ cpu }) => cpu));
    }
  }
  return found;
}

/** The store with so many pets: ms of whole acts, and bytes of a pet. */
export async function store(count: number): Promise<Record<string, number>> {
  const service = (await load()).createMockService();
  const once = (work: () => unknown) => {
    const began = performance.now();
    work();
    return performance.now() - began;
  };
  const before = await heldBytes();
  const fill = once(() => void service.pets.seed(count));
  const bytes = ((await heldBytes()) - before) / count;
  let saved = service.snapshot();
  const times = (work: () => unknown) => median(Array.from({ length: 7 }, () => once(work)));
  const snapshot = times(() => (saved = service.snapshot()));
  const restore = times(() => service.restore(saved));
  return { fill, snapshot, restore, reset: once(() => service.reset()), bytes };
}

/** Bytes of the heap that each further call, and each key that is used once, leaves behind. */
export async function memory(count: number): Promise<{ perCall: number; perKey: number }> {
  const { PetStoreClient } = await load();
  const client = new PetStoreClient({ apiKey, baseUrl, fetch: stub });
  const points: [number, number][] = [];
  const steps = 20;
  // The first step is warm-up: compiled code counts as heap.
  for (let step = 0; step <= steps; step++) {
    for (let done = 0; done < count / steps; done++) {
      await client.listPets({ limit: 1 });
      if (done % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    if (step > 0) points.push([(step * count) / steps, await heldBytes()]);
  }
  let now = Date.now();
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: () => new Promise<void>(() => undefined),
  };
  const use = async (keys: number) => {
    for (let at = 0; at < keys; at++) {
      now += 3_700_000;
      await new PetStoreClient({ apiKey: `key-${now}`, baseUrl, fetch: stub, clock }).listPets();
    }
  };
  const keys = Math.ceil(count / 100);
  await use(keys);
  const before = await heldBytes();
  await use(keys);
  return { perCall: slope(points), perKey: ((await heldBytes()) - before) / keys };
}
