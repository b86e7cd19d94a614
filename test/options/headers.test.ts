import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { createRateLimitGate, type PetStoreClientOptions } from '../../src/index.js';
import { version } from '../../src/utils/version.js';
import manifest from '../../package.json' with { type: 'json' };
import { failureOf, json, list, quickClock, stubClient, stubFetch } from '../support/stub.js';

/** What each request of these calls had in these headers. */
async function sent(names: string[], options: PetStoreClientOptions, ...calls: (typeof list)[]) {
  const fetch = stubFetch(json([]));
  const client = stubClient(fetch, options);
  for (const call of calls) await call(client);
  return fetch.sent.map(({ headers }) => names.map((name) => headers.get(name)));
}
const listWith =
  (headers: PetStoreClientOptions['headers']): typeof list =>
  (client) =>
    client.listPets({}, { headers });

test('a function for headers is called for every attempt, with what it is for, and its headers are sent', async () => {
  const fetch = stubFetch(json({}, { status: 503 }), json([]));
  const seen: object[] = [];
  const headers = (context: object) => ({ 'X-Trace-Id': `trace-${seen.push(context)}` });
  const client = stubClient(fetch, { clock: quickClock(), headers });
  await client.listPets({ limit: 5, status: undefined });
  await client.request({ method: 'POST', path: '/store/orders', body: {} });
  const url = 'https://pets.test/v1/pets?limit=5';
  const first = { operation: 'listPets', method: 'GET', url, attempt: 1 };
  const other = 'https://pets.test/v1/store/orders';
  expect(seen).toEqual([
    first,
    { ...first, attempt: 2 },
    { operation: 'POST /store/orders', attempt: 1, method: 'POST', url: other },
  ]);
  const traces = fetch.sent.map(({ headers }) => headers.get('x-trace-id'));
  expect(traces).toEqual(['trace-1', 'trace-2', 'trace-3']);
});

test('headers of a call take the place of those of the client, whichever of them is a function, and one that is undefined takes that of the client away', async () => {
  const ofClient = { 'X-A': 'client', 'X-B': 'client', 'X-D': undefined };
  const none = { 'x-a': undefined };
  for (const headers of [ofClient, () => ofClient])
    expect(
      await sent(
        ['x-a', 'x-b', 'x-c', 'x-d'],
        { headers },
        listWith({ 'x-a': 'call' }),
        listWith(new Headers({ 'X-A': 'call', 'x-c': 'é' })),
        listWith(() => new Headers({ 'X-A': 'call' })),
        listWith(none),
        listWith(() => none),
        list,
      ),
    ).toEqual([
      ['call', 'client', null, null],
      ['call', 'client', 'é', null],
      ['call', 'client', null, null],
      [null, 'client', null, null],
      [null, 'client', null, null],
      ['client', 'client', null, null],
    ]);
});

test.each<[string, unknown, string]>([
  ['throws', () => { throw new Error('no trace'); }, 'no trace'], // prettier-ignore
  ['returns nothing', () => undefined, 'headers must be an object of names and values'],
  ['returns a promise', async () => Promise.reject(new Error('later')), 'or Headers, got Promise'],
  ['sets the key', () => ({ Authorization: 'Bearer x' }), 'by the option apiKey'],
  ['sets the type of the body', () => ({ 'Content-Type': 'a/b' }), 'not from a function'],
  ['gives a value that cannot be sent', () => ({ 'X-A': 'a\nb' }), 'headers: X-A cannot be sent'],
])(
  'when the function for headers %s, the call rejects, nothing is sent, and the gate is free',
  async (_name, headers, message) => {
    const fetch = stubFetch(json([]));
    const gate = createRateLimitGate();
    const options = { headers, gate, fetch } as PetStoreClientOptions;
    const error = await failureOf(json([]), list, options);
    expect(error.name).toBe('ConfigurationError');
    expect(error.message).toContain('listPets on pets.test: the function headers failed: ');
    expect(error.message).toContain(message);
    expect(fetch.sent).toEqual([]);
    await stubClient(fetch, { gate, maxWait: 0 }).listPets();
    expect(fetch.sent).toHaveLength(1);
  },
);

test('a server names the client and its version as User-Agent, and a header of the user takes its place', async () => {
  expect(version).toBe(manifest.version);
  for (const [headers, agent] of [
    [undefined, `petstore-client/${version}`],
    [{ 'user-agent': 'shop/1' }, 'shop/1'],
    [() => ({ 'User-Agent': 'shop/2' }), 'shop/2'],
  ] as const)
    expect(await sent(['user-agent'], { headers }, list)).toEqual([[agent]]);
});

test('a call of request() can leave out Accept, but not the type of its JSON body', async () => {
  const headers = { Accept: undefined, 'Content-Type': undefined };
  const post: typeof list = (client) =>
    client.request({ method: 'POST', path: '/store/orders', body: {} }, { headers });
  expect(await sent(['accept', 'content-type'], {}, post)).toEqual([[null, 'application/json']]);
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

test('a call of request() may set Accept and Content-Type, and its body is then sent as it is', async () => {
  const fetch = stubFetch(json({}));
  const client = stubClient(fetch);
  const request = { method: 'POST', path: '/pets/photo' } as const;
  const sentHeaders = { 'content-type': 'application/xml', accept: 'text/plain' };
  const options = { headers: sentHeaders };
  const bytes = new TextEncoder().encode('<pet/>');
  const foreign: unknown = runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...bytes] });
  expect(foreign).not.toBeInstanceOf(ArrayBuffer);
  for (const body of ['<pet/>', bytes, bytes.buffer, foreign])
    await client.request({ ...request, body }, options);
  for (const { body, headers } of fetch.sent) {
    expect(body).toBe('<pet/>');
    expect(Object.fromEntries(headers)).toMatchObject(sentHeaders);
  }
  const error = await failureOf(json({}), (pets) =>
    pets.request({ ...request, body: {} }, options),
  );
  expect(error.message).toContain(
    'body must be a string or bytes, because the headers of the call set a Content-Type, got an object',
  );
});
