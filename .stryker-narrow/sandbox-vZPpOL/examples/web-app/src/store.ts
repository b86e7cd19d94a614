// @ts-nocheck
import { PetStoreClient, type PetStoreEvent } from 'petstore-client';
import type { MockService } from 'petstore-client/mocks';

export interface Store {
  readonly client: PetStoreClient;
  /** The mock; in production there is none. */
  readonly service: MockService | undefined;
}

/** The client of the page: on the mock in development, on a route of the page's own server in production. */
export async function openStore(onEvent: (event: PetStoreEvent) => void): Promise<Store> {
  // In a production build, import.meta.env.DEV is false: the bundler drops the block, and the mock with it.
  if (import.meta.env.DEV) {
    const { setupMockWorker } = await import('petstore-client/mocks/browser');
    const worker = setupMockWorker({ seed: 24 });
    await worker.start({ quiet: true });
    const client = new PetStoreClient({ apiKey: 'mock-free', onEvent });
    return { client, service: worker.service };
  }
  // The server at /api adds the API key of the service. What the page sends is the key of the visitor's session.
  const baseUrl = new URL('/api', location.origin);
  return {
    client: new PetStoreClient({ baseUrl, apiKey: sessionKey, onEvent }),
    service: undefined,
  };
}

async function sessionKey(): Promise<string> {
  const response = await fetch('/session');
  if (!response.ok) throw new Error('Not signed in');
  return response.text();
}
