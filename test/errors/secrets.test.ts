import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ConnectionError,
  PetStoreClient,
  PetStoreError,
  resetRateLimitGates,
  type PetStoreClientOptions,
  type PetStoreEvent,
  type RequestOptions,
  type ServerError,
} from '../../src/index.js';
import { reachableStrings } from '../support/reachable.js';
import { json, pet, quickClock, stubClient, stubFetch, type Sent } from '../support/stub.js';
import { rejection } from '../support/world.js';

/** Keys of every character that can be sent; long enough that they are in no text by chance. */
const apiKey = fc
  .string({
    unit: fc.constantFrom(...[...'ABCxyz0189-._~+/=:;,!#$%&()*<>?@[]^{|}']),
    minLength: 16,
    maxLength: 40,
  })
  .filter((key) => !/^bearer\s/i.test(key));

/** The ways in which services and proxies spell a text that they repeat. */
const spellings: ((key: string) => string)[] = [
  (key) => key,
  encodeURIComponent,
  (key) => new URLSearchParams({ key }).toString().slice(4),
  (key) => encodeURIComponent(key).replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()),
  (key) => key.replaceAll('/', '\\/'),
  (key) => key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (key) => key.replaceAll(/[&<>]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  (key) => key.replaceAll(/[^A-Za-z0-9]/g, (one) => `&#${one.charCodeAt(0)};`),
  (key) => key.replaceAll(/[^A-Za-z0-9]/g, (one) => `&#x${one.charCodeAt(0).toString(16)};`),
];

type Echo = (shown: string, request: Sent) => Response | Promise<Response>;

/** Services, proxies and runtimes that repeat the key wherever they can. */
const echoes: Record<string, Echo> = {
  'error body': (shown) =>
    json(
      { code: shown, message: `no ${shown}`, status: 400, [shown]: [{ [shown]: shown }] },
      { status: 400 },
    ),
  'error body that is no error': (shown) => json([shown, { [shown]: shown }], { status: 404 }),
  'error body of text, at the very edge of what is kept': (shown) =>
    new Response('x'.repeat(1_000 - shown.length / 2) + shown.repeat(30), { status: 500 }),
  'HTML page': (shown) =>
    new Response(`<html><title>${shown}</title>${shown}</html>`, { status: 502 }),
  headers: (shown) =>
    json([], {
      status: 401,
      statusText: 'Unauthorized',
      headers: {
        'X-Request-Id': shown,
        Location: `/?k=${shown}`,
        Authorization: shown,
        'Set-Cookie': shown,
        'X-Echo': shown,
      },
    }),
  'status text': (shown) =>
    new Response('{}', { status: 403, statusText: shown.replaceAll(/[^\x20-\x7e]/g, '') }),
  '429': (shown) =>
    json(
      { code: shown, message: shown, status: 429 },
      { status: 429, headers: { 'Retry-After': shown } },
    ),
  '503 with a header': (shown) =>
    json(
      { code: 'x', message: shown, status: 503 },
      { status: 503, headers: { 'Retry-After': shown } },
    ),
  'redirect to a URL': (shown) =>
    new Response(null, {
      status: 302,
      headers: { Location: `https://evil.test/${encodeURIComponent(shown)}?key=${shown}` },
    }),
  '200 that is not JSON': (shown) => new Response(`${'y'.repeat(995)}${shown} not json`),
  '200 with JSON cut short': (shown) => json(`[{"id":1,"name":"${shown}`),
  '200 with the wrong shape': (shown) =>
    json([{ id: shown, name: 5, categoryId: { [shown]: shown }, status: shown }]),
  '200 with unknown fields': (shown) => json([pet({ [shown]: shown, status: shown })]),
  'fetch throws the headers': (shown, { headers }) => {
    throw new TypeError(`bad header ${headers.get('authorization')} ${shown}`, {
      cause: Object.assign(new Error(shown), { code: shown, name: shown, request: headers }),
    });
  },
  'fetch throws many': (shown) => {
    throw Object.assign(
      new AggregateError([Object.assign(new Error(shown), { code: `E_${shown}` })], shown),
      { cause: shown },
    );
  },
  'fetch throws no error': (shown) => {
    throw shown as unknown as Error;
  },
  'fetch throws an error without words': (shown) => {
    throw Object.assign(new Error(), { message: { shown }, name: undefined });
  },
  'body breaks': (shown) => {
    let pulled = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      if (pulled++ === 0) controller.enqueue(new TextEncoder().encode(`[{"name":"${shown}`));
      else controller.error(new Error(shown));
    };
    return new Response(new ReadableStream({ pull }));
  },
};

/** Calls that succeed or fail in every way, some of them with the key in the caller's own arguments. */
const calls: ((
  client: PetStoreClient,
  key: string,
  options: RequestOptions,
) => Promise<unknown>)[] = [
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

/** The key where it does not belong: nothing is sent, so that the key of a function is not even known. */
const misplaced: typeof calls = [
  (client, key) => client.listPets({ [key]: key, status: key, limit: key } as never),
  (client, key) => client.getPet(key as never),
  (client, key) => client.listPets({}, { [key]: 1 } as never),
  (client, key) => client.listPets({}, { headers: { [`${key} ` as string]: key } }),
  (client, key) => client.request({ method: key, path: key as '/' }),
];

async function everything(
  key: string,
  echo: Echo,
  shown: string,
  options: PetStoreClientOptions<'number'>,
): Promise<unknown[]> {
  resetRateLimitGates();
  const events: PetStoreEvent[] = [];
  const fetch = stubFetch((request) => echo(shown, request));
  const client = new PetStoreClient({
    ...options,
    fetch,
    clock: quickClock(),
    onEvent: (event) => events.push(event),
  });
  const outcomes: unknown[] = [];
  for (const call of typeof options.apiKey === 'string' ? [...calls, ...misplaced] : calls) {
    await call(client, key, { maxWait: 0, retry: { limit: 1 } }).catch((error: unknown) => {
      expect(error).toBeInstanceOf(PetStoreError);
      outcomes.push(error);
    });
  }
  return [client, ...outcomes, ...events, ...events.map((event) => inspect(event))];
}

const forms = (key: string) => new Set(spellings.map((spell) => spell(key)));
const leaks = (values: unknown[], key: string) => {
  const texts = new Set(values.flatMap((value) => [...reachableStrings(value)]));
  return [...texts].filter((text) => [...forms(key)].some((form) => text.includes(form)));
};

test.each(Object.keys(echoes))(
  'no string reachable from client, error, cause or event holds the key when it is repeated by: %s',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(
        apiKey,
        fc.constantFrom(...spellings),
        fc.boolean(),
        async (key, spell, asFunction) => {
          const values = await everything(key, echoes[name]!, spell(key), {
            apiKey: asFunction ? () => key : key,
          });
          expect(leaks(values, key)).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  },
);

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

test('keys that rotate are all taken out, also the one that holds another', async () => {
  const keys = ['sk_rotating_key_one', 'sk_rotating_key_one_and_more', 'sk_rotating_key_three'];
  let asked = 0;
  const fetch = stubFetch(() =>
    json({ code: keys.join(' '), message: keys.join(), status: 503 }, { status: 503 }),
  );
  const client = new PetStoreClient({
    apiKey: () => keys[asked++]!,
    fetch,
    clock: quickClock(),
    baseUrl: 'https://pets.test',
  });
  const error = await client.listPets().catch((failure: unknown) => failure);
  expect(fetch.sent.map(({ headers }) => headers.get('authorization'))).toEqual(
    keys.map((key) => `Bearer ${key}`),
  );
  expect((error as { code?: string }).code).toBe('[API key] [API key] [API key]');
  for (const key of keys) expect(leaks([client, error], key)).toEqual([]);
});

test('an error of the key function is shown without the key that it mentions', async () => {
  let asked = 0;
  const key = 'sk_live_of_the_first_time';
  const client = new PetStoreClient({
    apiKey: () => {
      if (asked++ === 0) return key;
      throw new Error(`cannot refresh ${key}`);
    },
    fetch: stubFetch(json({}, { status: 503 })),
    clock: quickClock(),
    baseUrl: 'https://pets.test',
  });
  const error = await client.listPets().catch((failure: unknown) => failure);
  expect((error as Error).message).toBe(
    'listPets on pets.test: the function apiKey failed (Error); its message is not shown, because it may contain the key',
  );
  expect(leaks([error], key)).toEqual([]);
});

test('a key function that takes the file of a key for JSON shows nothing of the key, which nobody knows then', async () => {
  const key = 'sk_live-S3cr3t/Key+9';
  const apiKey = () => Promise.resolve(JSON.parse(key) as string);
  const error = await rejection<Error>(stubClient(stubFetch(), { apiKey }).listPets());
  expect(error.message).toContain('the function apiKey failed (SyntaxError)');
  expect(leaks([error], key)).toEqual([]);
});

test('a key of earlier calls is known for ever: neither the service nor a broken runtime can repeat it later', async () => {
  const old = 'sk_live_0ld-Key/1';
  const keys = [old, 'sk_live_new-key-2', 'sk_live_new-key-2'];
  const replies = [
    json([]),
    json({ code: 'unauthorized', message: `revoked: ${old}`, status: 401 }, { status: 401 }),
    () => Promise.reject(new Error(`proxy refused ${old}`)),
  ];
  const client = stubClient(stubFetch(...replies), {
    apiKey: () => keys.shift() ?? 'sk_live_new-key-2',
    retry: { limit: 0 },
  });
  await client.listPets();
  for (let n = 0; n < 2; n += 1) {
    const error = await rejection<Error>(client.listPets());
    expect(error.message).toContain('[API key]');
    expect(leaks([error], old)).toEqual([]);
  }
});

test('of the keys of finished calls the newest hundred are known', async () => {
  let turn = 0;
  const echo = (named: string) => () =>
    json({ code: 'unauthorized', message: `not ${named}`, status: 401 }, { status: 401 });
  const replies = [
    ...Array.from({ length: 101 }, () => json([])),
    echo('sk_live_key_000'),
    echo('sk_live_key_003'),
  ];
  const apiKey = () => `sk_live_key_${String(turn++).padStart(3, '0')}`;
  const client = stubClient(stubFetch(...replies), { apiKey });
  for (let n = 0; n < 101; n += 1) await client.listPets();
  const [forgotten, known] = [
    await rejection<Error>(client.listPets()),
    await rejection<Error>(client.listPets()),
  ];
  expect(forgotten.message).toContain('not sk_live_key_000');
  expect(known.message).toContain('not [API key]');
});

test('the keys of all calls in flight are known, however many', async () => {
  const keys = Array.from({ length: 150 }, (_, n) => `sk_live_in_flight_${n}_end`);
  let asked = 0;
  const respond: (() => void)[] = [];
  const fetch = stubFetch(async ({ headers }) => {
    await new Promise<void>((resolve) => respond.push(resolve));
    const message = `not ${headers.get('authorization')}`;
    return json({ code: 'unauthorized', message, status: 401 }, { status: 401 });
  });
  const client = stubClient(fetch, { apiKey: () => keys[asked++]!, rateLimit: false });
  const errors = keys.map(() => rejection<Error>(client.listPets()));
  while (respond.length < keys.length) await new Promise((resolve) => setTimeout(resolve));
  for (const answer of respond) answer();
  for (const error of await Promise.all(errors)) {
    expect(error.message).toContain('not Bearer [API key]');
    expect(leaks([error], 'sk_live_in_flight')).toEqual([]);
  }
});

test('a body that breaks off within the key shows none of it', async () => {
  const key = 'sk_live_0123456789';
  for (const kept of [17, 12, 8]) {
    const text = `{"code":"unauthorized","message":"wrong key ${key.slice(0, kept)}`;
    const error = await rejection<ServerError>(
      stubClient(stubFetch(json(text, { status: 500 })), {
        apiKey: key,
        retry: { limit: 0 },
      }).listPets(),
    );
    expect(error.body).toBe('{"code":"unauthorized","message":"wrong key [API key]');
  }
  const short = await rejection<ServerError>(
    stubClient(stubFetch(json(`wrong key ${key.slice(0, 7)}`, { status: 500 })), {
      apiKey: key,
      retry: { limit: 0 },
    }).listPets(),
  );
  expect(short.body).toBe('wrong key sk_live');
});

test('an error whose fields cannot be read is reported as such', async () => {
  const odd = Object.defineProperty(new Error('x'), 'cause', {
    get() {
      throw new Error('no cause for you');
    },
  });
  const error = await rejection<ConnectionError>(
    stubClient(
      stubFetch(() => Promise.reject(odd)),
      { retry: { limit: 0 } },
    ).listPets(),
  );
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error.cause as Error).message).toBe('an error that cannot be read');
});

test('a client prints its address and nothing of the key', () => {
  const client = new PetStoreClient({ apiKey: 'sk_live_0123456789', baseUrl: 'https://pets.test' });
  expect(inspect(client)).toBe("PetStoreClient { baseUrl: 'https://pets.test/v1' }");
  expect(JSON.stringify(client)).toBe('{"baseUrl":"https://pets.test/v1"}');
  expect(leaks([client, { nested: [client] }], 'sk_live_0123456789')).toEqual([]);
});

test('an error shows the headers of a short list only', async () => {
  const headers = {
    'X-Request-Id': 'r1',
    'X-Secret': 's',
    'Set-Cookie': 'c=1',
    Server: 'nginx',
    'X-RateLimit-Limit': '60',
    'Retry-After': '3',
  };
  const client = new PetStoreClient({
    apiKey: 'k-headers',
    fetch: stubFetch(json({}, { status: 404, headers })),
    baseUrl: 'https://pets.test',
  });
  const error = (await client.getPet(1).catch((failure: unknown) => failure)) as {
    headers: Headers;
    toJSON(): { headers: object };
  };
  const shown = {
    'content-type': 'application/json',
    'retry-after': '3',
    'x-ratelimit-limit': '60',
    'x-request-id': 'r1',
  };
  expect(Object.fromEntries(error.headers)).toEqual(shown);
  expect(error.toJSON().headers).toEqual(shown);
});

test('cookies are never sent, redirects are never followed, and the key goes in the one header', async () => {
  const fetch = stubFetch(json([], { headers: { 'Set-Cookie': 'session=1' } }));
  const client = new PetStoreClient({
    apiKey: 'k-once',
    fetch,
    baseUrl: 'https://pets.test',
    headers: { 'X-Mine': '1' },
  });
  await client.listPets();
  await client.listPets();
  for (const { headers, redirect, credentials } of fetch.sent) {
    expect(Object.fromEntries(headers)).toEqual({
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^petstore-client\/\d/) as string,
      authorization: 'Bearer k-once',
      'x-mine': '1',
    });
    expect([redirect, credentials]).toEqual(['manual', 'omit']);
  }
});

test('a fetch of one’s own gets the key with redirects refused and cookies left out, and not in the address', async () => {
  const seen: Parameters<typeof globalThis.fetch>[] = [];
  const fetch: typeof globalThis.fetch = (...given) => {
    seen.push(given);
    return Promise.resolve(json([]));
  };
  await new PetStoreClient({ apiKey: 'k-alone', fetch, baseUrl: 'https://pets.test' }).listPets();
  const [url, init] = seen[0]!;
  expect(url).toBe('https://pets.test/v1/pets');
  expect(init).toMatchObject({
    method: 'GET',
    redirect: 'manual',
    credentials: 'omit',
    headers: { authorization: 'Bearer k-alone' },
  });
});

test('a body goes to fetch as text, so that its length is known before it is sent', async () => {
  const seen: (RequestInit | undefined)[] = [];
  const fetch: typeof globalThis.fetch = (_url, init) => {
    seen.push(init);
    return Promise.resolve(json(pet(), { status: 201 }));
  };
  const client = new PetStoreClient({ apiKey: 'k-body', fetch, baseUrl: 'https://pets.test' });
  await client.createPet({ name: 'Rex', categoryId: 1 });
  expect(seen[0]).toMatchObject({ method: 'POST', body: '{"name":"Rex","categoryId":1}' });
});
