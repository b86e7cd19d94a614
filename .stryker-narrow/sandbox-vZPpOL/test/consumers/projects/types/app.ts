// @ts-nocheck
// What an app writes. It is only type-checked, as an ES module and as CommonJS, in each module mode.
import { PetStoreClient, RateLimitError, type Pet, type PetStoreEvent } from 'petstore-client';
import { NewPetSchema, operations, plans } from 'petstore-client/contract';
import { createMockService, type MockService } from 'petstore-client/mocks';
import { serve } from 'petstore-client/mocks/server';

const apiKey = async () => 'mock-free';
export const events: PetStoreEvent[] = [];
export const client = new PetStoreClient({ apiKey, onEvent: (event) => events.push(event) });

export async function numbers(): Promise<number> {
  const call = client.listPets({ limit: 5, status: 'sold' });
  const { data, rateLimit, response } = await call.withResponse();
  const first: Pet | undefined = data[0];
  return (first?.id ?? 0) + (rateLimit?.remaining ?? 0) + response.status;
}

export async function bigints(signal: AbortSignal): Promise<bigint> {
  const exact = new PetStoreClient({ apiKey, int64: 'bigint' });
  const pet = await exact.createPet({ name: 'Rex', categoryId: 9223372036854775807n }, { signal });
  return pet.id;
}

export const explain = (error: unknown): string =>
  error instanceof RateLimitError ? `${error.reason} ${error.retryAfter ?? 0}` : 'unknown';

export async function mocked(): Promise<MockService> {
  const service = createMockService({ clock: 'virtual', seed: 3 });
  service.faults.add({ operation: 'listPets', status: 503, times: 1 });
  await (await serve(service, { port: 0 })).close();
  const rex = { name: operations.listPets.path, categoryId: plans.free.perMinute };
  service.pets.add(NewPetSchema.parse(rex));
  return service;
}
