// @ts-nocheck
import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';

const service = createMockService({ seed: 3 });

/** On the in-memory service, so that building needs no network. */
export const client = new PetStoreClient({ fetch: service.fetch, apiKey: 'mock-free' });
