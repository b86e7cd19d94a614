import { afterEach, expect, test, vi } from 'vitest';
import {
  ConfigurationError,
  createRateLimitGate,
  type HeadersContext,
  type PetStoreClientOptions,
} from '../../src/index.js';
import { version } from '../../src/utils/version.js';
import manifest from '../../package.json' with { type: 'json' };
import { json, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

afterEach(() => vi.unstubAllGlobals());

test('a function for headers is called for every attempt, with what it is for, and its headers are sent', async () => {
  const fetch = stubFetch(json({}, { status: 503 }), json([]));
  const seen: HeadersContext[] = [];
  const client = stubClient(fetch, {
    clock: quickClock(),
    headers: (context) => {
      seen.push(context);
      return { 'X-Trace-Id': `trace-${seen.length}` };
    },
  });
  await client.listPets({ limit: 5 });
  await client.request({ method: 'POST', path: '/store/orders', body: {} });
  const list = { operation: 'listPets', method: 'GET', url: 'https://pets.test/v1/pets?limit=5' };
  expect(seen).toEqual([
    { ...list, attempt: 1 },
    { ...list, attempt: 2 },
    {
      operation: 'POST /store/orders',
      attempt: 1,
      method: 'POST',
      url: 'https://pets.test/v1/store/orders',
    },
  ]);
  expect(fetch.sent.map(({ headers }) => headers.get('x-trace-id'))).toEqual([
    'trace-1',
    'trace-2',
    'trace-3',
  ]);
});

test('headers of a call take the place of those of the client, whichever of them is a function', async () => {
  const fetch = stubFetch(json([]));
  const client = stubClient(fetch, { headers: () => ({ 'X-A': 'client', 'X-B': 'client' }) });
  await client.listPets({}, { headers: { 'X-A': 'call' } });
  await client.listPets({}, { headers: () => new Headers({ 'X-A': 'call' }) });
  for (const { headers } of fetch.sent)
    expect([headers.get('x-a'), headers.get('x-b')]).toEqual(['call', 'client']);
});

test.each<[string, unknown, string]>([
  ['throws', () => { throw new Error('no trace'); }, 'no trace'], // prettier-ignore
  ['returns nothing', () => undefined, 'headers must be an object of names and values'],
  ['returns a promise', async () => Promise.reject(new Error('later')), 'not a promise of them'],
  ['sets the key', () => ({ Authorization: 'Bearer x' }), 'use the option apiKey'],
  [
    'gives a value that cannot be sent',
    () => ({ 'X-A': 'a\nb' }),
    'the value of X-A cannot be sent',
  ],
])(
  'when the function for headers %s, the call rejects, nothing is sent, and the gate is free',
  async (_name, headers, message) => {
    const fetch = stubFetch(json([]));
    const gate = createRateLimitGate();
    const options = { headers, rateLimit: { gate, maxConcurrency: 1 } } as PetStoreClientOptions;
    const error = await rejection<ConfigurationError>(stubClient(fetch, options).listPets());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('listPets on pets.test: the function headers failed: ');
    expect(error.message).toContain(message);
    expect(fetch.sent).toEqual([]);
    await stubClient(fetch, { rateLimit: { gate, maxConcurrency: 1, maxWait: 0 } }).listPets();
    expect(fetch.sent).toHaveLength(1);
  },
);

test('a server names the client and its version as User-Agent, and a header of the user takes its place', async () => {
  const fetch = stubFetch(json([]));
  await stubClient(fetch).listPets();
  await stubClient(fetch, { headers: { 'user-agent': 'shop/1' } }).listPets();
  await stubClient(fetch, { headers: () => ({ 'User-Agent': 'shop/2' }) }).listPets();
  expect(fetch.sent.map(({ headers }) => headers.get('user-agent'))).toEqual([
    `petstore-client/${version}`,
    'shop/1',
    'shop/2',
  ]);
});

test('in a browser, in its pages and workers, User-Agent is left to the browser', async () => {
  const fetch = stubFetch(json([]));
  const { process } = globalThis;
  vi.stubGlobal('process', { env: {} });
  const clients = ['Mozilla/5.0 (X11)', 'Cloudflare-Workers'].map((userAgent) => {
    vi.stubGlobal('navigator', { userAgent });
    return stubClient(fetch);
  });
  vi.stubGlobal('process', process);
  for (const client of clients) await client.listPets();
  expect(fetch.sent.map(({ headers }) => headers.has('user-agent'))).toEqual([false, true]);
});

test('the version that the client names is that of the package', () => {
  expect(version).toBe(manifest.version);
});
