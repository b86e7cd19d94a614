import { clients, type ClientName } from '../clients/index.js';
import { raw } from '../clients/fetch.js';
import type { MakeClient, Target } from '../clients/client.js';
import type { Effort } from '../measure.js';
import { ratioOf, type Ratio } from '../stats.js';

export interface LoopbackCase {
  readonly client: ClientName;
  readonly url: string;
  readonly atOnce: number;
  readonly dist: string;
  readonly effort: Effort;
}

/** Requests for 100 pets over loopback, one at a time or many at once, beside Node's fetch: µs a request by the clock. */
export default async function loopback({
  client,
  url,
  atOnce,
  dist,
  effort,
}: LoopbackCase): Promise<Ratio> {
  const target: Target = { baseUrl: `${url}/v1`, fetch: undefined, dist: new URL(dist) };
  const make: MakeClient = await clients[client]();
  const [base, own] = [raw(target).list, (await make(target)).list];
  // As many for each worker that connections and code are warm, and that a slice is long beside a turn of the scheduler.
  const count = Math.max(atOnce, effort.ms * 4);
  for (let round = 0; round < 2; round++)
    for (const work of [base, own]) await clocked(work, count, atOnce);
  const pairs: [number, number][] = [];
  for (let slice = 0; slice < effort.slices; slice++)
    pairs.push([await clocked(base, count, atOnce), await clocked(own, count, atOnce)]);
  return ratioOf(pairs);
}

async function clocked(
  work: () => Promise<unknown>,
  count: number,
  atOnce: number,
): Promise<number> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, worker));
  return ((performance.now() - began) * 1_000) / count;
}
