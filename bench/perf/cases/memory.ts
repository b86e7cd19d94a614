import type { PetStoreClient as Client } from '../../../src/index.js';
import { apiKey } from '../answers.js';
import { heldBytes } from '../heap.js';
import { slope } from '../stats.js';
import { stub } from '../stub.js';

export interface MemoryCase {
  readonly calls: number;
  readonly dist: string;
}

/** What the heap holds as calls are made: bytes for each further call, by the line of least squares, and the first and last MB. */
export interface Memory {
  readonly bytesPerCall: number;
  readonly first: number;
  readonly last: number;
}

/** Needs `--expose-gc`. */
export default async function memory({ calls, dist }: MemoryCase): Promise<Memory> {
  const { PetStoreClient } = (await import(new URL('index.js', dist).href)) as {
    readonly PetStoreClient: typeof Client;
  };
  const client = new PetStoreClient({ apiKey, baseUrl: 'https://bench.example', fetch: stub });
  const steps = 20;
  const points: [number, number][] = [];
  // The first step is warm-up: compiled code counts as heap.
  for (let step = -1; step < steps; step++) {
    for (let done = 0; done < calls / steps; done++) {
      await client.listPets({ limit: 1 });
      if (done % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const held = await heldBytes();
    if (step >= 0) points.push([((step + 1) * calls) / steps, held]);
  }
  return {
    bytesPerCall: slope(points),
    first: points[0]![1] / 2 ** 20,
    last: points.at(-1)![1] / 2 ** 20,
  };
}
