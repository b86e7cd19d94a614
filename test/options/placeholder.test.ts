import { afterEach, beforeEach, expect, test, vi, type MockInstance } from 'vitest';
import { PetStoreClient } from '../../src/index.js';
import { stubFetch } from '../support/stub.js';

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  vi.stubEnv('PETSTORE_BASE_URL', undefined);
  vi.stubEnv('PETSTORE_STAGING_BASE_URL', undefined);
  vi.stubEnv('PETSTORE_LOG', undefined);
  // As in a new process.
  (globalThis as Record<symbol, unknown>)[Symbol.for('petstore-client.notices')] = undefined;
  warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a client without an address warns when it is constructed, once for each variable that is missing', () => {
  new PetStoreClient({ apiKey: 'sk-live-1' });
  new PetStoreClient({ apiKey: () => 'sk-live-2' });
  expect(warn.mock.calls).toEqual([
    [
      expect.stringMatching(
        /no address is set, .* https:\/\/api\.petstore\.example\/v1, .*baseUrl, or set the variable PETSTORE_BASE_URL/,
      ),
    ],
  ]);
  new PetStoreClient({ apiKey: 'sk-live-1', environment: 'staging' });
  expect(warn.mock.calls).toHaveLength(2);
  expect(warn.mock.calls[1]![0]).toContain('set the variable PETSTORE_STAGING_BASE_URL');
});

test.each([
  ['baseUrl', { apiKey: 'sk-live-1', baseUrl: 'https://pets.test' }],
  ['a fetch of its own', { apiKey: 'sk-live-1', fetch: stubFetch() }],
  ['a key of the mock', { apiKey: 'mock-pro' }],
  ["logLevel: 'off'", { apiKey: 'sk-live-1', logLevel: 'off' }],
] as const)('a client with %s does not warn', (_name, options) => {
  new PetStoreClient(options);
  expect(warn).not.toHaveBeenCalled();
});

test('a client whose address is in the environment does not warn', () => {
  vi.stubEnv('PETSTORE_BASE_URL', 'https://pets.test');
  new PetStoreClient({ apiKey: 'sk-live-1' });
  expect(warn).not.toHaveBeenCalled();
});
