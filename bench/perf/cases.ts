/** What a process of its own measures at once. */
import * as z from 'zod';
import { patientCall } from '../../test/support/gate-call.js';
import { load } from '../product.js';
import { apiKey, headers, pets, stub } from './answers.js';
import { heldBytes, ratios, warmInTurns, type Effort } from './measure.js';
import { init, mocks, url, type MockName } from './mocks.js';
import { median, slope, type Ratio } from './stats.js';

/** A list of 20 pets from a mock in the same process, read by its caller, beside a `fetch` written by hand. */
export async function mock(name: MockName, effort: Effort): Promise<Ratio> {
  const [base, ask] = [await mocks['a fetch by hand'](), await mocks[name]()];
  const text = await (await ask()).text();
  if ((JSON.parse(text) as unknown[]).length !== 20)
    throw new Error(`${name}: no 20 pets: ${text}`);
  const work = { base: async () => (await base()).text(), own: async () => (await ask()).text() };
  return ratios(await warmInTurns(work, effort)).own;
}

/** A check as one would write it by hand, each pet copied as Zod does. */
function byHand(value: readonly Record<string, unknown>[]): unknown {
  return value.map(({ id, name, categoryId, status }) => {
    const isPet =
      Number.isSafeInteger(id) &&
      typeof name === 'string' &&
      Number.isSafeInteger(categoryId) &&
      (status === undefined || ['available', 'pending', 'sold'].includes(status as string));
    if (!isPet) throw new TypeError('no pet');
    return { id, name, categoryId, status };
  });
}

/** What a body of 100 pets costs: validated, or parsed with exact ids, divided by `JSON.parse` of the same text. */
export async function parsing(effort: Effort): Promise<Record<string, Ratio>> {
  const { PetListSchema } = await load('contract/index');
  // No entry exports it: of the sources, then.
  const { parseJson } = await import('../../src/contract/json.js');
  const text = JSON.stringify(pets);
  const long = text.replaceAll(/"id":(\d+)/g, (_, id: string) => `"id":${2n ** 62n + BigInt(id)}`);
  const pet = z.object({
    id: z.int(),
    name: z.string(),
    categoryId: z.int(),
    status: z.enum(['available', 'pending', 'sold']).optional(),
  });
  const list = z.array(pet);
  const short = await warmInTurns(
    {
      'JSON.parse': () => JSON.parse(text) as unknown,
      'check by hand, 100 pets': () => byHand(pets),
      'contract, 100 pets': () => PetListSchema['~standard'].validate(pets),
      'zod, 100 pets': () => list.parse(pets),
      'zod without JIT, 100 pets': () => list.safeParse(pets, { jitless: true } as never),
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

const service = async (seed: number) => (await load('mocks/index')).createMockService({ seed });
const ask = (of: Awaited<ReturnType<typeof service>>) => async () =>
  (await of.fetch(url, init)).text();

/** What must not take longer where there is much of something: makes the work with so much of it. */
const grown: Readonly<Record<string, (count: number) => unknown>> = {
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
    const line = Array.from({ length: count + 1 }, () => gate.acquire(patientCall));
    let next = 0;
    // One joins, one goes, and its answer lets the next one go.
    return async () => {
      line.push(gate.acquire(patientCall));
      const permit = await line[next]!;
      line[next++] = undefined as never;
      permit.settle(answer);
    };
  },
};

/** µs of CPU time of such work. */
export async function growth(what: string, count: number, effort: Effort): Promise<number> {
  const work = (await grown[what]!(count)) as () => unknown;
  const { own } = await warmInTurns({ own: work }, effort);
  return median(own.map(({ cpu }) => cpu));
}

/** ms of one act. */
function once(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** The store with so many pets: ms of whole acts, µs of a list, and bytes of a pet. */
export async function store(count: number, effort: Effort): Promise<Record<string, number>> {
  const own = await service(0);
  const before = await heldBytes();
  const seed = once(() => void own.pets.seed(count));
  const bytes = ((await heldBytes()) - before) / count;
  // Three in four pets have another status, and this one must be found among them.
  const work = () => own.pets.list({ status: 'sold', limit: 20 });
  const { list } = await warmInTurns({ list: work }, effort);
  let saved = own.snapshot();
  const times = (work: () => unknown) => median(Array.from({ length: 7 }, () => once(work)));
  const add = () => void own.pets.add({ name: 'Rex', categoryId: 1 });
  return {
    ...{ seed, bytes, list: median(list.map(({ cpu }) => cpu)) },
    snapshot: times(() => (saved = own.snapshot())),
    'first add after a snapshot': once(add),
    add: times(add),
    restore: times(() => own.restore(saved)),
    reset: once(() => own.reset()),
  };
}

/** Bytes of the heap that each further call, and each key that is used once, leaves behind. */
export async function memory(count: number): Promise<{ perCall: number; perKey: number }> {
  const { PetStoreClient } = await load('index');
  const target = { baseUrl: 'https://bench.example/v1', fetch: stub };
  const client = new PetStoreClient({ apiKey, ...target });
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
  const sleep = () => new Promise<void>(() => undefined);
  const clock = { now: () => now, monotonic: () => now, sleep };
  const use = async (keys: number) => {
    for (let at = 0; at < keys; at++) {
      now += 3_700_000;
      await new PetStoreClient({ apiKey: `key-${now}`, ...target, clock }).listPets();
    }
  };
  const keys = Math.ceil(count / 100);
  await use(keys);
  const before = await heldBytes();
  await use(keys);
  return { perCall: slope(points), perKey: ((await heldBytes()) - before) / keys };
}
