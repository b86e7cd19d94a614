// @ts-nocheck
import { NotFoundError, PetStoreClient, type Pet } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';
import { serve } from 'petstore-client/mocks/server';

const service = createMockService({ seed: 3 });
const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
const pets: Pet[] = await client.listPets({ limit: 2 });
if (pets.length === 0) throw new NotFoundError('none', { status: 404 } as never);
await (await serve(service, { port: 0 })).close();
