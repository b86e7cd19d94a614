/** What a process of its own does with one client. */
import { stub, type RequestName } from './answers.js';
import { clients, type ClientName } from './clients.js';
import { heldBytes, sliceOf, type Slice } from './measure.js';

interface RequestCase {
  readonly client: ClientName;
  readonly request: RequestName;
  /** The origin of a service over loopback; without it, a `fetch` that responds at once. */
  readonly url?: string;
}

async function workOf({ client, request, url }: RequestCase): Promise<() => Promise<unknown>> {
  const baseUrl = `${url ?? 'https://bench.example'}/v1`;
  return (await clients[client]({ baseUrl, fetch: url ? undefined : stub }))[request];
}

async function many(count: number): Promise<void> {
  for (let done = 0; done < count; done++) {
    await work();
    if (done % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

let work: () => Promise<unknown>;
/** Requests in slices, once they are warm. */
export let slice: Slice;

/** Makes so many calls before the first slice. */
export async function warm(input: RequestCase, calls: number, atOnce: number): Promise<void> {
  work = await workOf(input);
  if ((await work()) === undefined) throw new Error(`${input.client} gave no answer.`);
  await many(calls);
  slice = sliceOf(work, atOnce);
}

/** Bytes that one call allocates: of so few that the collector does not run in between. */
export async function allocated(): Promise<number> {
  const before = await heldBytes();
  await many(50);
  return (process.memoryUsage().heapUsed - before) / 50;
}

/** The first calls of a process: µs of a call by the clock, until each of these numbers of calls. */
export async function young(input: RequestCase, ends: readonly number[]): Promise<number[]> {
  const work = await workOf(input);
  let done = 0;
  const times: number[] = [];
  for (const end of ends) {
    const [began, from] = [performance.now(), done];
    for (; done < end; done++) await work();
    times.push(((performance.now() - began) * 1_000) / (end - from));
  }
  return times;
}
