import { runInNewContext } from 'node:vm';
import { afterEach, expect, test, vi } from 'vitest';
import {
  ConfigurationError,
  createRateLimitGate,
  type HeadersContext,
  type PetStoreError,
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
    const options = { headers, gate } as PetStoreClientOptions;
    const error = await rejection<ConfigurationError>(stubClient(fetch, options).listPets());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('listPets on pets.test: the function headers failed: ');
    expect(error.message).toContain(message);
    expect(fetch.sent).toEqual([]);
    await stubClient(fetch, { gate, maxWait: 0 }).listPets();
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

test('headers of the client and of the call are sent together, those of the call first', async () => {
  const fetch = stubFetch(json([]));
  const pets = stubClient(fetch, { headers: { 'X-A': '1', 'X-B': '1' } });
  await pets.listPets({}, { headers: new Headers({ 'x-b': '2', 'x-c': 'é' }) });
  await pets.listPets();
  expect([...fetch.sent[0]!.headers].filter(([name]) => name !== 'authorization')).toEqual([
    ['accept', 'application/json'],
    ['user-agent', expect.stringMatching(/^petstore-client\/\d/)],
    ['x-a', '1'],
    ['x-b', '2'],
    ['x-c', 'é'],
  ]);
  expect(fetch.sent[1]!.headers.get('x-b')).toBe('1');
});

test('a header that is undefined is left out, and takes that of the client away', async () => {
  const fetch = stubFetch(json([]));
  const client = stubClient(fetch, { headers: { 'X-A': '1', 'X-B': undefined } });
  await client.listPets();
  await client.listPets({}, { headers: { 'x-a': undefined } });
  await client.listPets({}, { headers: () => ({ 'X-A': undefined }) });
  expect(fetch.sent.map(({ headers }) => [headers.get('x-a'), headers.has('x-b')])).toEqual([
    ['1', false],
    [null, false],
    [null, false],
  ]);
});

test('a call of request() may set Accept and Content-Type, and its body is then sent as it is', async () => {
  const fetch = stubFetch(json({}));
  const client = stubClient(fetch);
  const request = { method: 'POST', path: '/pets/photo' } as const;
  const bytes = new TextEncoder().encode('<pet/>');
  const foreign: unknown = runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...bytes] });
  expect(foreign).not.toBeInstanceOf(ArrayBuffer);
  for (const body of ['<pet/>', bytes, bytes.buffer, foreign])
    await client.request(
      { ...request, body },
      { headers: { 'Content-Type': 'application/xml', Accept: 'text/plain' } },
    );
  for (const { body, headers } of fetch.sent)
    expect([body, headers.get('content-type'), headers.get('accept')]).toEqual([
      '<pet/>',
      'application/xml',
      'text/plain',
    ]);
  const options = { headers: { 'Content-Type': 'application/xml' } };
  const { message } = await rejection<Error>(client.request({ ...request, body: {} }, options));
  expect(message).toContain(
    'body must be a string or bytes, since the headers of the call hold a Content-Type, got an object',
  );
});

test('the curl command of a request with bytes names a file for them', async () => {
  const client = stubClient(stubFetch(json({}, { status: 404 })));
  const error = await rejection<PetStoreError>(
    client.request(
      { method: 'PUT', path: '/photo', body: new Uint8Array(3) },
      { headers: { 'Content-Type': 'image/png' } },
    ),
  );
  expect(error.toCurl()).toMatch(/ --data-binary @BODY$/);
});
