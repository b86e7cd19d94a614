import { expect, test } from 'vitest';
import { PetStoreClient, RateLimitError } from '../../../src/index.js';
import { createMockService } from '../../../mocks/index.js';

test.for([
  ['system', 'reset'],
  ['system', 'restore'],
  ['virtual', 'reset'],
  ['virtual', 'restore'],
] as const)(
  'on a %s clock, a client carries no hold of the time before %s()',
  async ([kind, back]) => {
    const service = createMockService({ clock: kind, seed: 2 });
    const client = new PetStoreClient({
      apiKey: 'mock-free',
      fetch: service.fetch,
      ...(kind === 'virtual' && { clock: service.clock }),
    });
    const start = service.snapshot();
    // A quarter of a day at least, whatever time it is.
    service.clock.set('2026-03-01T06:00:00Z');
    service.keys.get('mock-free').exhaust('day');
    await expect(client.listPets()).rejects.toThrow(RateLimitError);
    await expect(client.listPets()).rejects.toMatchObject({ requestSent: 'no' });
    if (back === 'reset') service.reset();
    else service.restore(start);
    expect(await client.listPets()).toHaveLength(2);
    expect(service.report()).toMatchObject({ requests: 1, rateLimited: 0 });
  },
);

test('two clients of one service still share what they learn after a reset', async () => {
  const service = createMockService({ clock: 'virtual' });
  const client = () =>
    new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch, clock: service.clock });
  const [one, other] = [client(), client()];
  service.reset();
  service.keys.get('mock-free').exhaust('day');
  await expect(one.listPets()).rejects.toThrow(RateLimitError);
  await expect(other.listPets()).rejects.toThrow(RateLimitError);
  expect(service.report().requests).toBe(1);
});
