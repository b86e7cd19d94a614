import { afterEach, expect, test, vi } from 'vitest';
import { PetStoreClient } from '../../src/index.js';
import { operations } from '../../src/contract/operations.js';
import { stubClient, stubFetch, json } from '../support/stub.js';
import { rejection } from '../support/world.js';

afterEach(() => vi.unstubAllEnvs());

test('a variable that may not be read counts as not set', () => {
  const env = new Proxy(
    {},
    {
      get: () => {
        throw new Error('not granted');
      },
    },
  );
  vi.stubGlobal('process', { env });
  try {
    expect(new PetStoreClient({ apiKey: 'mock-free' }).baseUrl).toBe(
      'https://api.petstore.example/v1',
    );
  } finally {
    vi.unstubAllGlobals();
  }
});

test.each([
  ['production', 'PETSTORE_BASE_URL'],
  ['staging', 'PETSTORE_STAGING_BASE_URL'],
] as const)(
  'an error on %s names the host if the address is set in the environment, and the environment otherwise',
  async (environment, variable) => {
    const messageOf = async () => {
      const fetch = stubFetch(json({ code: 'c', message: 'm', status: 401 }, { status: 401 }));
      const client = stubClient(fetch, { baseUrl: undefined, environment });
      return (await rejection<Error>(client.listPets())).message;
    };
    vi.stubEnv(variable, undefined);
    expect(await messageOf()).toMatch(
      new RegExp(`^listPets on ${environment}: .*, and that it belongs to ${environment}$`),
    );
    vi.stubEnv(variable, 'http://127.0.0.1:4010');
    expect(await messageOf()).toMatch(
      /^listPets on 127\.0\.0\.1:4010: .*, and that it belongs to 127\.0\.0\.1:4010$/,
    );
  },
);

test('an address that ends in the path of an operation is refused, from the option and from the environment', () => {
  const paths = Object.values(operations).map(({ path }) => path.replaceAll(/\{\w+\}/g, '17'));
  expect(paths).toContain('/pets/17');
  for (const path of paths)
    for (const prefix of ['', '/v1', '/gateway/v1'])
      for (const suffix of ['', '/']) {
        const baseUrl = `https://pets.test${prefix}${path}${suffix}`;
        const message = `baseUrl ends in ${path}, the path of an operation, which is added for each call: leave it out; if it is a folder of the service, add /v1`;
        expect(() => new PetStoreClient({ apiKey: 'k', baseUrl }), baseUrl).toThrow(message);
        vi.stubEnv('PETSTORE_BASE_URL', baseUrl);
        expect(() => new PetStoreClient({ apiKey: 'k' }), baseUrl).toThrow(
          message.replace('baseUrl', 'the variable PETSTORE_BASE_URL'),
        );
      }
});

test('a folder of the service may have the name of an operation path', () => {
  for (const baseUrl of ['https://pets.test/pets/v1', 'https://pets.test/pets-api', 'https://pets'])
    expect(new PetStoreClient({ apiKey: 'k', baseUrl }).baseUrl).toMatch(/\/v1$/);
});
