// What an app writes. It is only type-checked, as an ES module and as CommonJS, in each module mode.
import {
  ApiError,
  PetStoreClient,
  PetStoreError,
  RateLimitError,
  type Pet,
  type PetStoreEvent,
} from 'petstore-client';
import { NewPetSchema, operations, plans } from 'petstore-client/contract';
import { createMockService, type MockService } from 'petstore-client/mocks';
import { serve } from 'petstore-client/mocks/server';

export async function numbers(): Promise<number> {
  const events: PetStoreEvent[] = [];
  const client = new PetStoreClient({
    apiKey: async () => 'mock-free',
    onEvent: (event) => events.push(event),
  });
  const { data, rateLimit, response } = await client
    .listPets({ limit: 5, status: 'sold' })
    .withResponse();
  const first: Pet | undefined = data[0];
  return (first?.id ?? 0) + (rateLimit?.remaining ?? 0) + response.status;
}

export async function bigints(signal: AbortSignal): Promise<bigint> {
  const client = new PetStoreClient({ apiKey: 'mock-free', int64: 'bigint' });
  const pet = await client.createPet({ name: 'Rex', categoryId: 9223372036854775807n }, { signal });
  return pet.id;
}

export function explain(error: unknown): string {
  if (error instanceof RateLimitError) return `${error.reason} ${error.retryAfter ?? 0}`;
  if (error instanceof ApiError) return `${error.status} ${error.code ?? ''} ${error.message}`;
  return error instanceof PetStoreError ? error.name : 'unknown';
}

export async function mocked(): Promise<MockService> {
  const service = createMockService({ clock: 'virtual', seed: 3 });
  new PetStoreClient({ fetch: service.fetch, clock: service.clock, apiKey: 'mock-free' });
  service.faults.add({ operation: 'listPets', status: 503, times: 1 });
  const server = await serve(service, { port: 0 });
  await server.close();
  const perMinute: number = plans.free.perMinute;
  const name: string = NewPetSchema.parse({
    name: operations.listPets.path,
    categoryId: perMinute,
  }).name;
  void name;
  return service;
}
