import { expect, test, vi } from 'vitest';
import { createMockService } from '../mocks/index.js';
import { PetStoreClient } from '../src/index.js';

test('a process that throws at what it does not support, as that of Next’s edge runtime, stops no call', async () => {
  const unsupported = vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
    throw new Error('A Node.js API is used (process.getBuiltinModule) which is not supported in the Edge Runtime.');
  });
  const service = createMockService({ seed: 2 });
  const client = new PetStoreClient({ fetch: service.fetch, apiKey: 'mock-free' });
  expect(unsupported).toHaveBeenCalled();
  unsupported.mockRestore();
  await expect(client.listPets()).resolves.toHaveLength(2);
});
