import { beforeEach, expect, test, vi, type MockInstance } from 'vitest';
import { PetStoreClient, type PetStoreClientOptions } from '../../src/index.js';
import { operations } from '../../src/contract/operations.js';
import { failing } from '../support/recording-gate.js';
import { errorResponse, failureOf, list, stubFetch } from '../support/stub.js';

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  for (const name of ['PETSTORE_BASE_URL', 'PETSTORE_STAGING_BASE_URL', 'PETSTORE_LOG'])
    vi.stubEnv(name, undefined);
  warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
});

const production = 'https://api.petstore.example/v1';
const staging = { environment: 'staging' } as const;
const own = 'https://own.test';
const variable = { PETSTORE_BASE_URL: 'https://pets.test' };

test.each<[PetStoreClientOptions, variables: Record<string, string>, address: string]>([
  [{}, {}, production],
  [staging, {}, 'https://staging.petstore.example/v1'],
  [{}, variable, 'https://pets.test/v1'],
  [staging, { PETSTORE_STAGING_BASE_URL: `${own}/api/` }, `${own}/api/v1`],
  [staging, variable, 'https://staging.petstore.example/v1'],
  [{ baseUrl: own }, variable, `${own}/v1`],
  [{ baseUrl: `${own}/v1` }, {}, `${own}/v1`],
  [{ baseUrl: `${own}/v1/` }, {}, `${own}/v1`],
  [{ baseUrl: `${own}/apiv1` }, {}, `${own}/apiv1/v1`],
  [{ baseUrl: new URL(`${own}/a//#f`) }, {}, `${own}/a/v1`],
  [{ baseUrl: 'http://localhost:4010' }, {}, 'http://localhost:4010/v1'],
  [{ baseUrl: 'http://app.localhost' }, {}, 'http://app.localhost/v1'],
  [{ baseUrl: 'http://127.0.20.153' }, {}, 'http://127.0.20.153/v1'],
  [{ baseUrl: 'http://[::1]:80' }, {}, 'http://[::1]/v1'],
  [{ baseUrl: 'http://pets.test', allowInsecureHttp: true }, {}, 'http://pets.test/v1'],
  // A folder of the service may have the name of the path of an operation.
  [{ baseUrl: `${own}/pets/v1` }, {}, `${own}/pets/v1`],
  [{ baseUrl: `${own}/pets-api` }, {}, `${own}/pets-api/v1`],
  [{ baseUrl: 'https://pets' }, {}, 'https://pets/v1'],
])('with %j and the variables %j the address is %s', (options, variables, expected) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  expect(new PetStoreClient({ apiKey: 'k', ...options }).baseUrl).toBe(expected);
});

test('an environment or a variable that may not be read counts as not set', () => {
  const get = failing.throws;
  for (const process of [
    { env: new Proxy({}, { get }) },
    Object.defineProperty({}, 'env', { get }),
  ]) {
    vi.stubGlobal('process', process);
    const { baseUrl } = new PetStoreClient({ apiKey: 'mock-free' });
    vi.unstubAllGlobals();
    expect(baseUrl).toBe(production);
  }
});

test.each([
  ['production', 'PETSTORE_BASE_URL'],
  ['staging', 'PETSTORE_STAGING_BASE_URL'],
] as const)(
  'an error on %s names the host if the address is set in the environment, and the environment otherwise',
  async (environment, variable) => {
    const options = { baseUrl: undefined, environment };
    for (const name of [environment, '127.0.0.1:4010']) {
      if (name !== environment) vi.stubEnv(variable, `http://${name}`);
      const { message } = await failureOf(errorResponse(401), list, options);
      expect(message.startsWith(`listPets on ${name}: `)).toBe(true);
      expect(message.endsWith(`, and that it belongs to ${name}`)).toBe(true);
    }
  },
);

test('an address that ends in the path of an operation is refused, from the option and from the environment', () => {
  const paths = Object.values(operations).map(({ path }) => path.replaceAll(/\{\w+\}/g, '17'));
  expect(paths).toContain('/pets/17');
  for (const path of paths)
    for (const prefix of ['', '/v1', '/gateway/v1'])
      for (const suffix of ['', '//']) {
        const baseUrl = `https://pets.test${prefix}${path}${suffix}`;
        const message = `baseUrl ends in ${path}, the path of an operation, which is added for each call: leave it out; if it is a folder of the service, add /v1`;
        expect(() => new PetStoreClient({ apiKey: 'k', baseUrl }), baseUrl).toThrow(message);
        vi.stubEnv('PETSTORE_BASE_URL', baseUrl);
        expect(() => new PetStoreClient({ apiKey: 'k' }), baseUrl).toThrow(
          message.replace('baseUrl', 'the variable PETSTORE_BASE_URL'),
        );
      }
});

test('a client without an address warns when it is constructed, once for each variable that is missing', () => {
  new PetStoreClient({ apiKey: 'sk-live-1' });
  new PetStoreClient({ apiKey: () => 'sk-live-2' });
  expect(warn.mock.calls).toHaveLength(1);
  expect(warn.mock.calls[0]![0]).toMatch(
    /no address is set, .* https:\/\/api\.petstore\.example\/v1: .*baseUrl, or set the variable PETSTORE_BASE_URL/,
  );
  new PetStoreClient({ apiKey: 'sk-live-1', environment: 'staging' });
  expect(warn.mock.calls).toHaveLength(2);
  expect(warn.mock.calls[1]![0]).toContain('set the variable PETSTORE_STAGING_BASE_URL');
});

test.each<[PetStoreClientOptions, variables?: Record<string, string>]>([
  [{ baseUrl: 'https://pets.test' }],
  [{ fetch: stubFetch() }],
  [{ apiKey: 'mock-pro' }],
  [{ logLevel: 'off' }],
  [{}, variable],
])('a client with %j does not warn, nor one with the variables %j', (options, variables = {}) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  new PetStoreClient({ apiKey: 'sk-live-1', ...options });
  expect(warn).not.toHaveBeenCalled();
});
