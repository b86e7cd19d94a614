import { expect, onTestFinished, test, vi } from 'vitest';
import { ConfigurationError, createRateLimitGate, PetStoreClient } from '../../src/index.js';
import { fc, anyText } from '../support/fuzz.js';
import { failureOf, json, list, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const keysOf = ({ sent }: ReturnType<typeof stubFetch>) =>
  sent.map(({ headers }) => headers.get('authorization'));

/** The error with which the constructor of the client refuses options. */
const refusal = (options: object) =>
  rejection(
    Promise.resolve(options).then((own) => new PetStoreClient(own)),
    ConfigurationError,
  );

/** Keys that cannot be sent, by the reason. */
const malformed: Record<string, unknown[]> = {
  'it is empty': ['', '   ', '\n'],
  'it contains white space or a line break: trim it': [
    ...['sk-live-1\n', 'sk-\r\nX-Evil: 1', ' sk-live-1', 'sk live 1', 'sk-live\u00a01'],
  ],
  'it contains quotes, a backslash or characters outside printable ASCII': [
    ...['"sk-live-1"', "'sk-live-1'", '“sk-live-1”', 'sk\\live'],
    ...['sk-lïve-1', 'sk-live-\u0007', 'sk-🔑'],
  ],
  'it begins with "Bearer ": pass the key alone': ['Bearer sk-live-1', ' bearer\tsk-live-1'],
  'it must be a string, got a number': [5],
  'it must be a string, got an object': [{}],
  'it must be a string, got null': [null],
};

test.each(
  Object.entries(malformed).flatMap(([problem, keys]) =>
    keys.map((key) => [key, problem] as const),
  ),
)('the malformed key %j is refused, and not repeated', async (apiKey, problem) => {
  const { message } = await refusal({ apiKey });
  expect(message).toBe(`the API key of the option apiKey cannot be sent: ${problem}`);
  for (const part of ['sk', 'live', 'Evil']) expect(message).not.toContain(part);
  const error = await failureOf(json([]), list, { apiKey: () => apiKey as string });
  expect(error.message).toContain(`a key that cannot be sent: ${problem}`);
});

test('whatever the key, it is sent as it is, or refused without any part of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyText(), fc.string()), async (apiKey) => {
      const fetch = stubFetch(json([]));
      let pets: PetStoreClient;
      try {
        pets = stubClient(fetch, { apiKey });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        expect((error as Error).message).toMatch(
          /^the API key of the option apiKey cannot be sent: it [a-zA-Z :",]+$/,
        );
        return;
      }
      await pets.listPets();
      expect(keysOf(fetch)).toEqual([`Bearer ${apiKey}`]);
    }),
  );
});

test('the key comes from PETSTORE_API_KEY where the option is missing, and the white space of a file around it goes', async () => {
  vi.stubEnv('PETSTORE_API_KEY', 'from-the-environment\n');
  const fetch = stubFetch(json([]));
  await new PetStoreClient({ fetch }).listPets();
  await new PetStoreClient({ fetch, apiKey: 'own' }).listPets();
  expect(keysOf(fetch)).toEqual(['Bearer from-the-environment', 'Bearer own']);
  for (const none of ['', '  ', undefined]) {
    vi.stubEnv('PETSTORE_API_KEY', none);
    expect((await refusal({})).message).toBe(
      'no API key: pass the option apiKey, or set the variable PETSTORE_API_KEY',
    );
  }
  vi.stubEnv('PETSTORE_API_KEY', 'Bearer x');
  expect((await refusal({})).message).toMatch(
    /^the API key of the variable PETSTORE_API_KEY cannot be/,
  );
});

test('a key function is asked before every attempt, so that a key can rotate', async () => {
  const fetch = stubFetch(json({}, { status: 503 }), json([]));
  let asked = 0;
  const apiKey = async () => Promise.resolve(`key-${++asked}`);
  await stubClient(fetch, { apiKey, clock: quickClock() }).listPets();
  expect(keysOf(fetch)).toEqual(['Bearer key-1', 'Bearer key-2']);
});

test('a key function holds no permit: it may send a request through the same gate, and however slow it is, no other call waits', async () => {
  const gate = createRateLimitGate();
  const fetch = stubFetch(json([]));
  const other = stubClient(fetch, { gate, maxWait: 0 });
  const { promise: key, resolve: give } = Promise.withResolvers<string>();
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
  expect(keysOf(fetch)[2]).toBe('Bearer slow-key-1');
});

test('where requests know no credentials, none are named', async () => {
  const own = Object.getOwnPropertyDescriptor(Request.prototype, 'credentials')!;
  Reflect.deleteProperty(Request.prototype, 'credentials');
  onTestFinished(() => void Object.defineProperty(Request.prototype, 'credentials', own));
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(json([])));
  expect(await stubClient(fetch).listPets()).toEqual([]);
  expect(fetch.mock.lastCall![1]).not.toHaveProperty('credentials');
});

/** The globals of a place where code runs, instead of those of Node, until the test ends. */
function inPlace(globals: Record<string, unknown>): void {
  const { env } = process;
  for (const name of ['window', 'document', 'navigator']) vi.stubGlobal(name, globals[name]);
  vi.stubGlobal('process', globals['process'] ?? { env });
}
const page = { window: { document: {} }, document: {}, navigator: { userAgent: 'Mozilla/5.0' } };
const text = { apiKey: 'sk-live-1' };
const node = { env: {}, versions: { node: '24' } };

test.each([text, {}, { ...text, dangerouslyAllowBrowser: false }])(
  'a key that is a string is refused in a page of a browser, and the message says how to allow it: %j',
  async (options) => {
    vi.stubEnv('PETSTORE_API_KEY', 'sk-live-1');
    inPlace(page);
    const { message } = await refusal(options);
    expect(message).toMatch(/^apiKey is a string in a browser, .*dangerouslyAllowBrowser: true$/);
    expect(message).not.toContain('sk-live');
  },
);

test.each<[string, Record<string, unknown>, object]>([
  ['a page with a key of the mock', page, { apiKey: 'mock-free' }],
  ['a page with another key of the mock', page, { apiKey: 'mock-enterprise' }],
  ['a page with a key that a function gives', page, { apiKey: () => 'sk-live-1' }],
  ['a page where it is allowed', page, { ...text, dangerouslyAllowBrowser: true }],
  ['jsdom or happy-dom under Node', { ...page, process: node }, text],
  ['a worker of a browser', { navigator: page.navigator }, text],
  ['an edge runtime', { navigator: { userAgent: 'Cloudflare-Workers' } }, text],
  ['React Native', { window: {}, navigator: { product: 'ReactNative' } }, text],
  ['a server with a window, but without a navigator', { window: { document: {} } }, text],
])('a key is accepted in %s', (_name, globals, options) => {
  inPlace(globals);
  expect(new PetStoreClient(options)).toBeInstanceOf(PetStoreClient);
});
