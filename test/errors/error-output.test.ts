import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { beforeAll, expect, test, vi } from 'vitest';
import * as source from '../../src/index.js';
import { brokenConnection, failureOf, json, list, stubFetch } from '../support/stub.js';
import { buildClient } from '../support/builds.js';
import { rejection } from '../support/world.js';

test('an error that a test makes without details has no cause, attempts or operation, and can be written as JSON', () => {
  const error = new source.ConfigurationError('x');
  expect(Object.hasOwn(error, 'cause')).toBe(false);
  expect([error.attempts, error.operation]).toEqual([[], undefined]);
  const none = new source.NotFoundError('none', { status: 404 });
  expect(JSON.parse(JSON.stringify(none))).toMatchObject({ status: 404, headers: {} });
});

test('a class that a user derives has its own instances only', () => {
  class Mine extends source.ApiError {}
  for (const type of [Mine, source.ApiError]) expect(new Mine('m')).toBeInstanceOf(type);
  expect(new source.ApiError('m')).not.toBeInstanceOf(Mine);
});

test('toJSON of an error has all that is safe to log', async () => {
  const error = await failureOf(brokenConnection('ECONNRESET'));
  const ms = expect.any(Number) as number;
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'ConnectionError',
    message: error.message,
    operation: 'createPet',
    attempts: [{ failure: 'connection', at: expect.any(String), waited: ms, took: ms }],
    url: 'https://pets.test/v1/pets',
    requestSent: 'unknown',
    code: 'ECONNRESET',
    cause: { name: 'TypeError', message: 'fetch failed' },
  });
});

test('an error shows the headers of a short list only', async () => {
  const shown = {
    'content-type': 'application/json',
    'retry-after': '3',
    'x-ratelimit-limit': '60',
    'x-request-id': 'r1',
  };
  const headers = { ...shown, 'X-Secret': 's', 'Set-Cookie': 'c=1', Server: 'nginx' };
  const error = await failureOf(new Response('{}', { status: 404, headers }), list);
  expect(Object.fromEntries(error.headers)).toEqual(shown);
  const written = JSON.parse(JSON.stringify(error)) as { headers: object };
  expect(written.headers).toEqual(shown);
  expect(written).not.toHaveProperty('cause');
});

const unreadable = Object.defineProperty(new Error('x'), 'cause', { get: brokenConnection() });

test.each([
  ['an error that cannot be read', unreadable],
  // As an error of another realm, or of code that throws objects.
  ['the cable is cut', { message: 'the cable is cut', name: 5 }],
  ['the cable is cut', new TypeError('the cable is cut')],
])('the cause of an error is a copy with a name, %j and no stack: %o', async (message, thrown) => {
  const error = await failureOf<source.ConnectionError>(() => Promise.reject(thrown as Error));
  const name = thrown instanceof TypeError ? 'TypeError' : 'Error';
  expect(error.cause).toMatchObject({ name, message, stack: `${name}: ${message}` });
});

const withheld = '[text withheld: it contains the API key]';

/** What a shell makes of the command: its words. */
const words = (curl: string) =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; PETSTORE_API_KEY=the-key; ${curl}`], {
    encoding: 'utf8',
  })
    .trimEnd()
    .split('\n');

test('toCurl is the request as a command that a shell reads right, with a variable for the key', async () => {
  const apiKey = 'a-key-in-a-header';
  const curlOf = async (call: (client: source.PetStoreClient) => Promise<unknown>) =>
    (await failureOf(json({}, { status: 400 }), call, { int64: 'bigint', apiKey })).toCurl()!;
  const create = await curlOf((client) =>
    client.createPet({ name: `O'Neill $HOME "x" \`id\``, categoryId: 2n ** 60n }),
  );
  const key = 'Authorization: Bearer the-key';
  expect(create).toContain('$PETSTORE_API_KEY');
  expect(words(create)).toEqual([
    ...['-g', '-i', '-X', 'POST', 'https://pets.test/v1/pets', '-H', key],
    ...['-H', 'Content-Type: application/json'],
    ...['--data-raw', `{"name":"O'Neill $HOME \\"x\\" \`id\`","categoryId":1152921504606846976}`],
  ]);
  const list = await curlOf((client) => client.listPets({ limit: 5, status: 'sold' }));
  const listed = 'https://pets.test/v1/pets?limit=5&status=sold';
  expect(words(list)).toEqual(['-g', '-i', '-X', 'GET', listed, '-H', key]);
  const put = async (type: string, body: unknown) => {
    const headers = { 'Content-Type': type };
    return words(
      await curlOf((client) => client.request({ method: 'PUT', path: '/x', body }, { headers })),
    );
  };
  expect((await put(`text/x; of='a b'`, 'a'))[8]).toBe(`Content-Type: text/x; of='a b'`);
  expect((await put(`text/x; of=${apiKey}`, 'a'))[8]).toBe(withheld);
  // The bytes are in a file.
  const [type, ...data] = (await put('image/png', new Uint8Array(3))).slice(-3);
  expect([type, data]).toEqual(['Content-Type: image/png', ['--data-binary', '@BODY']]);
  const head = await curlOf((client) => client.request({ method: 'HEAD', path: '/x' }));
  expect(words(head).slice(0, 3)).toEqual(['-g', '--head', 'https://pets.test/v1/x']);
});

type Copy = typeof source;
let copies: Record<string, Copy>;

beforeAll(async () => {
  const [first, second] = [await buildClient(), await buildClient()];
  const require = createRequire(import.meta.url);
  copies = {
    source,
    'ES modules': (await import(/* @vite-ignore */ first.esm)) as Copy,
    CommonJS: require(first.cjs) as Copy,
    'another copy of the ES modules': (await import(/* @vite-ignore */ second.esm)) as Copy,
    'another copy in CommonJS': require(second.cjs) as Copy,
  };
});

const names = Object.keys(source).filter((name) =>
  /^(?!GateRefused).*Error$/.test(name),
) as 'ApiError'[];

test('instanceof holds between any two builds and copies of the package, where every error class has its literal name', () => {
  expect(names).toHaveLength(12);
  expect(new Set(Object.values(copies).map(({ ApiError }) => ApiError)).size).toBe(5);
  for (const [thrower, from] of Object.entries(copies))
    for (const [catcher, to] of Object.entries(copies)) {
      for (const name of names) {
        const error = new from[name]('m');
        expect(String(error)).toBe(`${name}: m`);
        const isApi = /^(?:BadRequest|Authentication|NotFound|Server|RateLimit)Error$/.test(name);
        const ancestors = isApi ? ['ApiError', 'PetStoreError'] : ['PetStoreError'];
        const types = names.filter((type) => error instanceof to[type]);
        const expected = new Set([name, ...ancestors]);
        expect(new Set(types), `${name} of ${thrower} to ${catcher}`).toEqual(expected);
      }
      for (const other of [new Error('x'), null, undefined, 'x', {}, { name: 'PetStoreError' }])
        expect((other as unknown) instanceof to.PetStoreError).toBe(false);
    }
});

test('all builds and copies share one gate a key, whose refusal is a RateLimitError in each, count their calls together, and warn once of a deprecated operation', async () => {
  const fetch = stubFetch(json({}, { status: 429, headers: { 'Retry-After': '600' } }));
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const calls = new Set<number>();
  const onEvent = (event: source.PetStoreEvent) => {
    if (event.type === 'call-end') calls.add(event.call);
  };
  const options = { apiKey: 'shared-by-copies', baseUrl: 'https://pets.test', fetch, onEvent };
  for (const { PetStoreClient, RateLimitError } of Object.values(copies)) {
    const error = await rejection(new PetStoreClient(options).getPet(1), RateLimitError);
    expect(error.reason).toBe('hold');
  }
  expect([fetch.sent.length, calls.size, warn.mock.calls.length]).toEqual([1, 5, 1]);
});
