import { PetStoreClient, type PetStoreEvent } from 'petstore-client';
import type { MockService } from 'petstore-client/mocks';

export interface Store {
  readonly client: PetStoreClient;
  readonly service: MockService;
}

/**
 * The client of the page, with the mock. In production, a page calls a route of its own server instead (../hono), because every
 * visitor can read a key in a page.
 */
export async function openStore(onEvent: (event: PetStoreEvent) => void): Promise<Store> {
  // A dynamic import, so that the mock is in a separate chunk.
  const { setupMockWorker } = await import('petstore-client/mocks/browser');
  const worker = setupMockWorker({ seed: 24 });
  await worker.start({ quiet: true });
  return { client: new PetStoreClient({ apiKey: 'mock-free', onEvent }), service: worker.service };
}
