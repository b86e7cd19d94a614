import type { createMockService } from '../../../mocks/index.js';
import { cpuTime } from '../cpu-time.js';
import { heldBytes } from '../heap.js';
import { calibrated, type Effort } from '../measure.js';
import { median } from '../stats.js';

export interface MillionCase {
  readonly pets: number;
  readonly dist: string;
  readonly effort: Effort;
}

/** What the store does with so many pets. Times of whole acts in ms, of lists in µs, memory in bytes a pet. */
export interface Million {
  readonly fill: number;
  readonly bytes: number;
  readonly list: number;
  readonly snapshot: number;
  readonly restore: number;
  readonly reset: number;
  /** The first pet after a snapshot: what the snapshot shares is copied then. */
  readonly addAfterSnapshot: number;
  readonly add: number;
}

type Entry = { readonly createMockService: typeof createMockService };

export default async function million({ pets, dist, effort }: MillionCase): Promise<Million> {
  const { createMockService } = (await import(new URL('mocks/index.js', dist).href)) as Entry;
  const service = createMockService();
  const before = await heldBytes();
  const fill = once(() => void service.pets.seed(pets));
  const bytes = ((await heldBytes()) - before) / pets;
  // Three in four pets are seeded with another status, and this one must be found among them.
  const list = median(
    await calibrated(() => service.pets.list({ status: 'sold', limit: 20 }), effort),
  );
  const add = once(() => void service.pets.add({ name: 'Rex', categoryId: 1 }));
  let saved = service.snapshot();
  const snapshot = median(times(7, () => (saved = service.snapshot())));
  const addAfterSnapshot = once(() => void service.pets.add({ name: 'Rex', categoryId: 1 }));
  const restore = median(times(7, () => service.restore(saved)));
  const reset = once(() => service.reset());
  if (service.pets.size !== 0) throw new Error('reset() left pets behind.');
  return { fill, bytes, list, snapshot, restore, reset, addAfterSnapshot, add };
}

function times(count: number, work: () => unknown): number[] {
  return Array.from({ length: count }, () => once(work));
}

/** ms of CPU time. */
function once(work: () => unknown): number {
  const began = cpuTime();
  work();
  return (cpuTime() - began) / 1_000;
}
