import { PetStoreClient, type PetStoreEvent } from 'petstore-client';
import type { MockService } from 'petstore-client/mocks';

export interface Store {
  readonly client: PetStoreClient;
  readonly service: MockService;
}

/**
 * The client of the page, on the mock. A page that goes to people asks a server of its own instead (../hono): whoever
 * can open a page can read the key in it.
 */
export async function openStore(onEvent: (event: PetStoreEvent) => void): Promise<Store> {
  // A chunk of its own, which a build without the mock does not load.
  const { setupMockWorker } = await import('petstore-client/mocks/browser');
  const worker = setupMockWorker({ seed: 24 });
  await worker.start({ quiet: true });
  return { client: new PetStoreClient({ apiKey: 'mock-free', onEvent }), service: worker.service };
}
