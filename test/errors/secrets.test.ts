import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { PetStoreError, resetRateLimitGates, type PetStoreClient } from '../../src/index.js';
import { fc, fuzzRuns } from '../support/fuzz.js';
import { reachableStrings } from '../support/reachable.js';
import { cutBody, json, quickClock, schemaBy, stubClient, stubFetch } from '../support/stub.js';

// Keys of all characters that can be sent, long enough that they are in no text by chance, and keys of digits alone.
const characters = [...'ABCxyz0189-._~+/=:;,!#$%&()*<>?@[]^{|}'];
const anyKey = fc.oneof(
  fc
    .string({ unit: fc.constantFrom(...characters), minLength: 16, maxLength: 60 })
    .filter((key) => !/^bearer\s/i.test(key)),
  fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }).map(String),
);

type Spelling = (key: string) => string;
const hex = (one: string) => one.charCodeAt(0).toString(16);
/** The ways in which services and proxies spell a text that they repeat. */
const spellings: Spelling[] = [
  (key) => key,
  encodeURIComponent,
  (key) => new URLSearchParams({ key }).toString().slice(4),
  (key) => encodeURIComponent(key).replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()),
  (key) => key.replaceAll('/', '\\/'),
  (key) => key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (key) => key.replaceAll(/[&<>]/g, (one) => `\\u00${hex(one)}`),
  (key) => key.replaceAll(/[^A-Za-z0-9]/g, (one) => `&#${one.charCodeAt(0)};`),
  (key) => key.replaceAll(/[^A-Za-z0-9]/g, (one) => `&#x${hex(one)};`),
  (key) => key.replaceAll(/[^]/g, (one) => `\\u00${hex(one)}`),
];
/** Basic credentials, as services repeat them: found where they are whole. */
const base64: Spelling[] = [
  (key) => btoa(`Bearer ${key}`).replace(/=+$/, ''),
  (key) => btoa(key).replace(/=+$/, ''),
  (key) => btoa(`a:${key}`).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_'),
];

/** The strings reachable from `values` that show the key in any form, or its first characters. */
function leaks(values: unknown[], key: string, length = 10): string[] {
  const forms = new Set([
    ...spellings.map((spell) => spell(key.slice(0, length))),
    ...base64.map((spell) => spell(key)),
  ]);
  const texts = new Set(values.flatMap((value) => [...reachableStrings(value)]));
  return [...texts].filter((text) => [...forms].some((form) => text.includes(form)));
}

const numberOf = (text: string) => (/^[1-9]\d*$/.test(text) ? text : '1');
const failWith = (error: unknown): never => {
  throw error as Error;
};

const saying = (status: number, shown: string, headers = {}) =>
  json({ code: shown, message: shown, status, [shown]: [{ [shown]: shown }] }, { status, headers });

const echoed = ['X-Request-Id', 'Location', 'Authorization', 'Set-Cookie', 'X-Echo'];

/** Services, proxies and runtimes that repeat the key wherever they can. */
const echoes: Record<string, (shown: string, request: { headers: Headers }) => Response> = {
  'error body': (shown) => saying(400, shown),
  'error body that is no error': (shown) => json([shown, { [shown]: shown }], { status: 404 }),
  'number of an error body': (shown) =>
    json(`{"code":"c","message":"m","status":404,"k":[${numberOf(shown)},-${numberOf(shown)}]}`, {
      status: 404,
    }),
  'error body of text': (shown) => new Response(shown, { status: 500 }),
  'error body of text, at the very edge of what is kept': (shown) =>
    new Response('x'.repeat(1_000 - shown.length / 2) + shown.repeat(30), { status: 500 }),
  headers: (shown) =>
    json([], { status: 401, headers: Object.fromEntries(echoed.map((name) => [name, shown])) }),
  'status text': (shown) =>
    new Response('{}', { status: 403, statusText: shown.replaceAll(/[^\x20-\x7e]/g, '') }),
  '429 with a header': (shown) => saying(429, shown, { 'Retry-After': shown }),
  '503 with a header': (shown) => saying(503, shown, { 'Retry-After': shown }),
  '200 that is not JSON': (shown) => new Response(`${'y'.repeat(995)}${shown} not json`),
  '200 with JSON cut short': (shown) => json(`[{"id":1,"name":"${shown}`),
  '200 with the wrong shape': (shown) =>
    json([{ id: shown, name: 5, categoryId: { [shown]: shown }, status: shown }]),
  '200 with ids of its digits': (shown) =>
    json(`[{"id":${numberOf(shown)},"name":"x","categoryId":${numberOf(shown)}.5}]`),
  '200 with unknown fields': (shown) =>
    json([{ id: 1, name: 'x', categoryId: 1, [shown]: shown, status: shown }]),
  'fetch throws the headers': (shown, { headers }) =>
    failWith(
      new TypeError(`bad header ${headers.get('authorization')} ${shown}`, {
        cause: Object.assign(new Error(shown), { code: shown, name: shown, request: headers }),
      }),
    ),
  'fetch throws many': (shown) =>
    failWith(
      Object.assign(
        new AggregateError([Object.assign(new Error(shown), { code: `E_${shown}` })], shown),
        { cause: shown },
      ),
    ),
  'fetch throws no error': failWith,
  'fetch throws an error without words': (shown) =>
    failWith(Object.assign(new Error(), { message: { shown }, name: undefined })),
  'body breaks': (shown) => new Response(cutBody(`[{"name":"${shown}`, new Error(shown))),
};
/** Behind these texts nothing stands, so that they may also end within the key. */
const mayEnd = new Set(['error body of text', 'fetch throws no error', '200 with JSON cut short']);

type Call = (client: PetStoreClient, key: string, options: object) => Promise<unknown>;
/** Calls that succeed or fail in every way, some of them with the key in the caller's own arguments. */
const calls: Call[] = [
  (client, _key, options) => client.listPets({}, options),
  (client, key, options) => client.createPet({ name: key, categoryId: 1 }, options),
  (client, _key, options) => client.getPet(1, options),
  (client, key, options) =>
    client.request(
      { method: 'GET', path: `/x/${encodeURIComponent(key)}`, query: { key } },
      options,
    ),
  (client, key, options) =>
    client.request({ method: 'POST', path: '/x', body: { [key]: key } }, options),
];

/** A key function that fails, before anybody knows the key. */
const throwing = (fields: object) => () => failWith(Object.assign(new Error('x'), fields));

type Misplaced = (client: (more?: object) => PetStoreClient, key: string) => Promise<unknown>;
const refusing = (key: string) => schemaBy(() => ({ issues: [{ message: key, path: [key] }] }));

/** The key where it does not belong: nothing is sent, so that the key of a function is not even known. */
const misplaced: Misplaced[] = [
  (client, key) => client().listPets({ [key]: key, status: key, limit: key } as never),
  (client, key) => client().getPet(key as never),
  (client, key) => client().getPet(Number(numberOf(key))),
  (client, key) => client().listPets({}, { [key]: 1 } as never),
  (client, key) => client().listPets({}, { headers: { [`${key} ` as string]: key } }),
  (client, key) => client().request({ method: numberOf(key), path: key as '/' }),
  (client, key) => client({ [key]: 1 }).listPets(),
  (client, key) => client({ headers: { [`${key} `]: 'x' } }).listPets(),
  (client, key) => client({ apiKey: throwing({ name: key }) }).listPets(),
  (client, key) => client({ apiKey: throwing({ code: key }) }).listPets(),
  (client, key) =>
    client({ apiKey: throwing({ name: `${key}Error`, code: `E_${key}` }) }).listPets(),
  (client, key) => client({ headers: { [/^\w+$/.test(key) ? key : 'x']: '\u0000' } }).listPets(),
  (client, key) => client().request({ method: 'GET', path: '/x', schema: refusing(key) }),
];

/** What a call shows: the client, its events, as they are and printed, and its error. */
async function shownBy(
  options: object,
  run: (client: (more?: object) => PetStoreClient) => Promise<unknown>,
): Promise<unknown[]> {
  resetRateLimitGates();
  const shown: unknown[] = [];
  const client = (more: object = {}) =>
    stubClient(stubFetch(), {
      clock: quickClock(),
      onEvent: (event) => shown.push(event, inspect(event)),
      ...options,
      ...more,
    });
  try {
    await run(client);
    shown.push(client());
  } catch (error) {
    expect(error).toBeInstanceOf(PetStoreError);
    shown.push(error);
  }
  return shown;
}

test.each(Object.keys(echoes))(
  'no string reachable from client, error, cause or event holds the key when it is repeated by: %s',
  async (name) => {
    const text = fc.record({
      key: anyKey,
      spell: fc.constantFrom(...spellings, ...base64),
      padding: fc.oneof(fc.constant(0), fc.constantFrom(20, 90, 180, 480, 980)),
      more: fc.nat(40),
    });
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.constantFrom(...calls),
        fc.boolean(),
        fc.boolean(),
        async ({ key, spell, padding, more }, call, asFunction, isStrict) => {
          const whole = 'x'.repeat(padding === 0 ? 0 : padding + more) + spell(key);
          for (const given of [whole, whole + whole]) {
            const options = {
              apiKey: asFunction ? () => key : key,
              fetch: stubFetch((request) => echoes[name]!(given, request)),
              validation: isStrict ? 'strict' : 'tolerant',
            };
            const once = { maxWait: 0, maxRetries: 1 };
            const values = await shownBy(options, (client) => call(client(), key, once));
            expect(leaks(values, key)).toEqual([]);
          }
        },
      ),
      { numRuns: fuzzRuns(12) },
    );
  },
);

/** What services and proxies put behind a key that they have cut. */
const tails = [
  ...['\u2026', '...', '"', '\\"', "'", '<', '&lt;', ' ', '\n', '\t'],
  ...['***', '%20', '=', 'x', '0', ' and more'],
];

test.each([...mayEnd])(
  'no beginning of a key of 8 characters or more is shown, with any text before and behind it, by: %s',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(
        // The words that a key begins with may be shown.
        anyKey.filter((key) => !/^[a-z]*[._-]/i.test(key)),
        fc.constantFrom(...spellings, (one: string) => btoa(one).replaceAll('=', '')),
        fc.integer({ min: 8, max: 60 }),
        fc.constantFrom('', 'k=', 'key "', '<b>'),
        fc.constantFrom(...tails),
        async (key, spell, kept, before, tail) => {
          const text = before + spell(key.slice(0, kept)) + tail;
          const fetch = stubFetch((request) => echoes[name]!(text, request));
          const values = await shownBy({ apiKey: key, fetch }, (client) => client().listPets());
          expect(leaks(values, key, 8)).toEqual([]);
          const shown = values.flatMap((value) => [...reachableStrings(value)]);
          expect(shown.filter((one) => one.includes(btoa(key.slice(0, 6))))).toEqual([]);
        },
      ),
      { numRuns: fuzzRuns(30) },
    );
  },
);

test('no key is shown where the caller puts it into an option, a header, an argument, an issue, or what a key function throws', async () => {
  await fc.assert(
    fc.asyncProperty(anyKey, fc.constantFrom('', 'x', 'x'.repeat(35)), async (key, before) => {
      const options = { apiKey: key, fetch: stubFetch(json({})) };
      for (const call of misplaced) {
        const values = await shownBy(options, (client) => call(client, before + key));
        expect(leaks(values, key)).toEqual([]);
      }
    }),
    { numRuns: fuzzRuns(15) },
  );
});

test('the search finds a key anywhere in an object, so that it would find a leak', () => {
  const key = 'sk_live_0123456789';
  const hidden = new Error('x', {
    cause: Object.defineProperty({}, 'secret', { value: new Map([['k', [`Bearer ${key}`]]]) }),
  });
  const byGetter = new (class {
    get headers(): Headers {
      return new Headers({ authorization: key });
    }
  })();
  for (const value of [hidden, byGetter, { [key]: 1 }, [[key]], { toJSON: () => key }])
    expect(leaks([value], key)).not.toEqual([]);
});
