/** What a process of its own measures. */
// @ts-nocheck

import { Bench } from 'tinybench';
import { load } from '../product.js';
import { median, slope } from '../stats.js';
import { apiKey, stub } from './answers.js';
import * as makers from './works.js';

export { createsWithState } from './works.js';

/** µs of one call. */
export interface Timed {
  /** By the clock. */
  readonly wall: number;
  /** CPU time of the whole process, so with the threads of the garbage collector. */
  readonly cpu: number;
}

/** After so many calls the event loop gets a turn, as it does after each response of a network: only then objects are finalized. */
const callsPerTurn = 10;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** So many calls of `work`, one after the other. */
async function many(work: () => unknown, calls: number): Promise<void> {
  for (let call = 1; call <= calls; call++) {
    await work();
    if (call % callsPerTurn === 0) await turn();
  }
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

export type Kind = 'request' | 'mock' | 'port' | 'parsing' | 'growth';
type Maker = (name: string, ...inputs: never[]) => Promise<() => unknown>;
const works = new Map<string, () => unknown>();

/** Makes what is called `name`, and calls it so often. Gives the ms until its first answer. */
export async function prepare(name: string, calls: number, kind: Kind, ...inputs: never[]) {
  const began = performance.now();
  const work = await (makers[kind] as Maker)(name, ...inputs);
  if ((await work()) === undefined) throw new Error(`${name} gave no answer.`);
  const first = performance.now() - began;
  works.set(name, work);
  await many(work, calls);
  return first;
}

/** A slice of it: about so many ms, one call after the other or so many at the same time. */
export async function slice(name: string, ms: number, atOnce: number): Promise<Timed> {
  const work = works.get(name)!;
  const together = () => Promise.all(Array.from({ length: atOnce }, work)).then(turn);
  const bench = new Bench({ time: ms, iterations: 1, warmup: false, throws: true });
  bench.add(name, atOnce > 1 ? together : () => many(work, callsPerTurn));
  const began = process.cpuUsage();
  const [task] = await bench.run();
  const { user, system } = process.cpuUsage(began);
  if (task?.result.state !== 'completed') throw new Error('A slice has not ended.');
  const { latency } = task.result;
  const calls = atOnce > 1 ? atOnce : callsPerTurn;
  return {
    wall: (latency.mean * 1_000) / calls,
    cpu: (user + system) / (latency.samplesCount * calls),
  };
}

/** Bytes that one call of it allocates: of so few that the collector does not run in between. */
export async function allocated(name: string): Promise<number> {
  const before = await heldBytes();
  await many(works.get(name)!, 50);
  return (process.memoryUsage().heapUsed - before) / 50;
}

/** The first calls of a process: µs of a call by the clock, until each of these numbers of calls. */
export async function young(ends: readonly number[], ...input: Parameters<typeof makers.request>) {
  const work = await makers.request(...input);
  let done = 0;
  const times: number[] = [];
  for (const end of ends) {
    const [began, from] = [performance.now(), done];
    for (; done < end; done++) await work();
    times.push(((performance.now() - began) * 1_000) / (end - from));
  }
  return times;
}

/** ms of one act. */
function once(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** The store with so many pets: bytes of a pet, and ms of whole acts. */
export async function store(count: number) {
  const own = (await load('mocks/index')).createMockService();
  const before = await heldBytes();
  const seed = once(() => void own.pets.seed(count));
  const bytes = ((await heldBytes()) - before) / count;
  let saved = own.snapshot();
  const times = (work: () => unknown) => median(Array.from({ length: 7 }, () => once(work)));
  const add = () => void own.pets.add({ name: 'Rex', categoryId: 1 });
  const acts = {
    seed,
    snapshot: times(() => (saved = own.snapshot())),
    'first add after a snapshot': once(add),
    add: times(add),
    restore: times(() => own.restore(saved)),
    reset: once(() => own.reset()),
  };
  return { bytes, acts };
}

/** Bytes of the heap that each further call, and each key that is used once, leaves behind. */
export async function memory(count: number) {
  const { PetStoreClient } = await load('index');
  const target = { baseUrl: 'https://bench.example/v1', fetch: stub };
  const client = new PetStoreClient({ apiKey, ...target });
  const points: [number, number][] = [];
  // The first step is warm-up: compiled code counts as heap.
  for (let step = 0; step <= 20; step++) {
    await many(() => client.listPets({ limit: 1 }), count / 20);
    if (step > 0) points.push([(step * count) / 20, await heldBytes()]);
  }
  let now = Date.now();
  const sleep = () => new Promise<void>(() => undefined);
  const clock = { now: () => now, monotonic: () => now, sleep };
  const use = () => {
    now += 3_700_000;
    return new PetStoreClient({ apiKey: `key-${now}`, ...target, clock }).listPets();
  };
  const keys = Math.ceil(count / 100);
  await many(use, keys);
  const before = await heldBytes();
  await many(use, keys);
  return { perCall: slope(points), perKey: ((await heldBytes()) - before) / keys };
}
