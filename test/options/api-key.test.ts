import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { ConfigurationError, createRateLimitGate, PetStoreClient } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';
import { refusal } from '../support/refusal.js';

afterEach(() => vi.unstubAllEnvs());

test('whatever the key, it is sent as it is, or refused without any part of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (key) => {
      const fetch = stubFetch(json([]));
      let pets: PetStoreClient;
      try {
        pets = new PetStoreClient({ apiKey: key, fetch, baseUrl: 'https://pets.test' });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        expect((error as Error).message).toMatch(/^the API key cannot be sent: it [a-zA-Z :"?]+$/);
        return;
      }
      await pets.listPets();
      expect(fetch.sent[0]!.headers.get('authorization')).toBe(`Bearer ${key}`);
    }),
  );
});

test('the key comes from PETSTORE_API_KEY where the option is missing, and the white space of a file around it goes', async () => {
  vi.stubEnv('PETSTORE_API_KEY', 'from-the-environment\n');
  const fetch = stubFetch(json([]));
  await new PetStoreClient({ fetch }).listPets();
  expect(fetch.sent[0]!.headers.get('authorization')).toBe('Bearer from-the-environment');
  await new PetStoreClient({ fetch, apiKey: 'own' }).listPets();
  expect(fetch.sent[1]!.headers.get('authorization')).toBe('Bearer own');
  for (const none of ['', '  ', undefined]) {
    vi.stubEnv('PETSTORE_API_KEY', none);
    expect(refusal({}).message).toBe(
      'no API key: pass the option apiKey, or set the variable PETSTORE_API_KEY',
    );
  }
  expect(refusal({ apiKey: null }).message).toContain('no API key');
});

test('a key function is asked before every attempt, so that a key can rotate', async () => {
  const fetch = stubFetch(json({}, { status: 503 }), json([]));
  let asked = 0;
  const pets = stubClient(fetch, {
    apiKey: async () => Promise.resolve(`key-${++asked}`),
    maxRetries: 1,
  });
  vi.spyOn(Math, 'random').mockReturnValue(0);
  await pets.listPets();
  vi.restoreAllMocks();
  expect(fetch.sent.map(({ headers }) => headers.get('authorization'))).toEqual([
    'Bearer key-1',
    'Bearer key-2',
  ]);
});

test('a key function holds no permit: it may send a request through the same gate, and however slow it is, no other call waits', async () => {
  const gate = createRateLimitGate();
  const fetch = stubFetch(json([]));
  const other = stubClient(fetch, { gate, maxWait: 0 });
  let give = (_key: string): void => undefined;
  const key = new Promise<string>((resolve) => (give = resolve));
  const asked = vi.fn(async () => {
    await other.listPets();
    return key;
  });
  const slow = stubClient(fetch, { gate, apiKey: asked }).listPets();
  await expect.poll(() => fetch.sent.length).toBe(1);
  expect(await other.listPets()).toEqual([]);
  give('slow-key-1');
  expect(await slow).toEqual([]);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(fetch.sent[2]!.headers.get('authorization')).toBe('Bearer slow-key-1');
});

test('a key function that gives no string is told what it gave', async () => {
  for (const [given, kind] of [
    [null, 'null'],
    [undefined, 'nothing'],
    [7, 'a number'],
  ] as const) {
    const error = await rejection<Error>(
      stubClient(stubFetch(), { apiKey: () => given as never }).listPets(),
    );
    expect(error.message).toContain(`a key that cannot be sent: it must be a string, got ${kind}`);
  }
});

test('where requests know no credentials, none are named', async () => {
  const own = Object.getOwnPropertyDescriptor(Request.prototype, 'credentials')!;
  Reflect.deleteProperty(Request.prototype, 'credentials');
  try {
    const named: unknown[] = [];
    const fetch = (_input: unknown, init?: RequestInit) => {
      named.push(init?.credentials);
      return Promise.resolve(json([]));
    };
    expect(await stubClient(fetch).listPets()).toEqual([]);
    expect(named).toEqual([undefined]);
  } finally {
    Object.defineProperty(Request.prototype, 'credentials', own);
  }
});
