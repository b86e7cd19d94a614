import type { Request } from '../answers.js';
import { clients, type ClientName } from '../clients/index.js';
import type { MakeClient, Target } from '../clients/client.js';
import { heldBytes } from '../heap.js';
import { repeat, timed, type Slice, type Timed } from '../steady.js';
import { stub } from '../stub.js';

export interface RequestCase {
  readonly client: ClientName;
  readonly request: Request;
  readonly dist: string;
  /** The origin of a service over loopback; without it, a `fetch` that responds at once. */
  readonly url?: string;
  /** Calls that run at the same time. */
  readonly atOnce: number;
  /** Calls before the first slice. */
  readonly warm: number;
}

/** Calls whose allocations are counted: few enough that the collector does not run in between. */
const countedCalls = 50;

/**
 * One request through one client. The process warms up, sends the bytes that a call allocates, and then runs a slice whenever
 * its parent asks for one, until the parent ends it.
 */
export default async function request(input: RequestCase): Promise<never> {
  const target: Target = {
    baseUrl: `${input.url ?? 'https://bench.example'}/v1`,
    fetch: input.url === undefined ? stub : undefined,
    dist: new URL(input.dist),
  };
  const make: MakeClient = await clients[input.client]();
  const work = (await make(target))[input.request];
  if ((await work()) === undefined)
    throw new Error(`${input.client} gave no answer to ${input.request}.`);
  await repeat(work, input.warm, input.atOnce);
  const bytes = await allocatedBytes(work);
  process.on('message', (slice: Slice) => {
    void timed(work, slice.count, input.atOnce).then((found) => process.send?.(found));
  });
  const first: Timed = await timed(work, 500, input.atOnce);
  process.send?.({ ...first, bytes });
  return new Promise<never>(() => undefined);
}

/** Median of the bytes on the heap that one call allocates. Needs `--expose-gc`. */
async function allocatedBytes(work: () => Promise<unknown>): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < 9; round++) {
    const before = await heldBytes();
    await repeat(work, countedCalls, 1);
    found.push((process.memoryUsage().heapUsed - before) / countedCalls);
  }
  return found.sort((a, b) => a - b)[4]!;
}
