import type { PetStoreClient as Client } from '../../../src/index.js';
import { apiKey, newPet, nobody } from '../answers.js';
import { failure, type Calls, type Target } from './client.js';

type Entry = { readonly PetStoreClient: typeof Client };

/** petstore-client with its defaults: gate, timeout, exact ids, Zod. */
export async function ours(
  { baseUrl, fetch, dist }: Target,
  int64: 'number' | 'bigint' = 'number',
): Promise<Calls> {
  const { PetStoreClient } = (await import(new URL('index.js', dist).href)) as Entry;
  const client = new PetStoreClient({ apiKey, baseUrl, fetch, int64 });
  process.removeAllListeners('warning');
  return {
    list: () => client.listPets({ limit: 100 }),
    get: () => client.getPet(1),
    create: () => client.createPet(newPet),
    missing: () => failure(client.getPet(nobody)),
  };
}

export function oursWithBigint(target: Target): Promise<Calls> {
  return ours(target, 'bigint');
}
