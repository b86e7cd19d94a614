import { expect, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { NotFoundError, PetStoreClient } from '../../src/index.js';

const unsupported = (): never => {
  throw new Error('A Node.js API is used which is not supported in the Edge Runtime.');
};

test('a process that throws at what it does not support, as that of Next’s edge runtime, stops no call', async () => {
  const builtins = vi.spyOn(process, 'getBuiltinModule').mockImplementation(unsupported);
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(unsupported);
  const printed = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const service = createMockService({ seed: 2 });
  const client = new PetStoreClient({ fetch: service.fetch, apiKey: 'mock-free' });
  await expect(client.listPets()).resolves.toHaveLength(2);
  await expect(client.getPet(99)).rejects.toBeInstanceOf(NotFoundError);
  expect(builtins).toHaveBeenCalled();
  expect(warnings).toHaveBeenCalledOnce();
  expect(printed).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('[PETSTORE_DEP_GETPET] DeprecationWarning: getPet is deprecated'),
  );
  vi.restoreAllMocks();
});
