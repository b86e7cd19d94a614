import { afterEach, expect, test, vi } from 'vitest';
import { PetStoreClient, type PetStoreClientOptions } from '../../src/index.js';
import { refusal } from '../support/refusal.js';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['', 'it is empty'],
  ['   ', 'it is empty'],
  ['\n', 'it is empty'],
  ['sk-live-1\n', 'it holds a line break: was it read from a file? trim it'],
  ['sk-\r\nX-Evil: 1', 'it holds a line break: was it read from a file? trim it'],
  [' sk-live-1', 'it holds white space: trim it'],
  ['sk live 1', 'it holds white space: trim it'],
  ['sk-live\u00a01', 'it holds white space: trim it'],
  ['"sk-live-1"', 'it holds quotes or a backslash: pass the key without them'],
  ["'sk-live-1'", 'it holds quotes or a backslash: pass the key without them'],
  ['“sk-live-1”', 'it holds quotes or a backslash: pass the key without them'],
  ['sk\\live', 'it holds quotes or a backslash: pass the key without them'],
  ['Bearer sk-live-1', 'it begins with "Bearer ": pass the key alone'],
  [' bearer\tsk-live-1', 'it begins with "Bearer ": pass the key alone'],
  ['sk-lïve-1', 'it holds characters outside printable ASCII'],
  ['sk-live-\u0007', 'it holds characters outside printable ASCII'],
  ['sk-🔑', 'it holds characters outside printable ASCII'],
  [5, 'it must be a string, got a number'],
  [{}, 'it must be a string, got an object'],
])('the malformed key %j is refused, and not repeated', (apiKey, problem) => {
  const { message } = refusal({ apiKey });
  expect(message).toBe(`the API key cannot be sent: ${problem}`);
  for (const part of ['sk', 'live', 'Evil']) expect(message).not.toContain(part);
});

test('an environment that may not be read is an environment without variables', () => {
  const { env } = process;
  Object.defineProperty(process, 'env', {
    configurable: true,
    get: () => {
      throw new Error('not granted');
    },
  });
  try {
    expect(new PetStoreClient({ apiKey: 'k' }).baseUrl).toBe('https://api.petstore.example/v1');
  } finally {
    Object.defineProperty(process, 'env', { configurable: true, writable: true, value: env });
  }
});

test.each([
  [{}, {}, 'https://api.petstore.example/v1'],
  [{ environment: 'staging' }, {}, 'https://staging.petstore.example/v1'],
  [{}, { PETSTORE_BASE_URL: 'https://pets.test' }, 'https://pets.test/v1'],
  [
    { environment: 'staging' },
    { PETSTORE_STAGING_BASE_URL: 'https://stage.test/api/' },
    'https://stage.test/api/v1',
  ],
  [
    { environment: 'staging' },
    { PETSTORE_BASE_URL: 'https://pets.test' },
    'https://staging.petstore.example/v1',
  ],
  [
    { baseUrl: 'https://own.test' },
    { PETSTORE_BASE_URL: 'https://pets.test' },
    'https://own.test/v1',
  ],
  [{ baseUrl: 'https://own.test/v1' }, {}, 'https://own.test/v1'],
  [{ baseUrl: 'https://own.test/v1/' }, {}, 'https://own.test/v1'],
  [{ baseUrl: 'https://own.test/apiv1' }, {}, 'https://own.test/apiv1/v1'],
  [{ baseUrl: new URL('https://own.test/a//#f') }, {}, 'https://own.test/a/v1'],
  [{ baseUrl: 'http://localhost:4010' }, {}, 'http://localhost:4010/v1'],
  [{ baseUrl: 'http://app.localhost' }, {}, 'http://app.localhost/v1'],
  [{ baseUrl: 'http://127.1.2.3' }, {}, 'http://127.1.2.3/v1'],
  [{ baseUrl: 'http://[::1]:80' }, {}, 'http://[::1]/v1'],
  [{ baseUrl: 'http://pets.test', allowInsecureHttp: true }, {}, 'http://pets.test/v1'],
])('with %j and the variables %j the address is %s', (options, variables, expected) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  expect(new PetStoreClient({ apiKey: 'k', ...(options as PetStoreClientOptions) }).baseUrl).toBe(
    expected,
  );
});
