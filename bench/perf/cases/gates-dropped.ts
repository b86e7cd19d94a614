import type { PetStoreClient as Client } from '../../../src/index.js';
import { heldBytes } from '../heap.js';
import { stub } from '../stub.js';

/** How many gates the process holds after `keys` keys were used, each once, an hour of the clock apart. Needs `--expose-gc`. */
export default async function gatesDropped({
  keys,
  dist,
}: {
  keys: number;
  dist: string;
}): Promise<{ bytesPerKey: number }> {
  const { PetStoreClient } = (await import(new URL('index.js', dist).href)) as {
    readonly PetStoreClient: typeof Client;
  };
  let now = Date.now();
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: () => new Promise<void>(() => undefined),
  };
  const use = async (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      now += 3_700_000;
      await new PetStoreClient({
        apiKey: `key-${at}`,
        baseUrl: 'https://bench.example',
        fetch: stub,
        clock,
      }).listPets();
    }
  };
  await use(0, keys);
  const before = await heldBytes();
  await use(keys, 2 * keys);
  return { bytesPerKey: ((await heldBytes()) - before) / keys };
}
