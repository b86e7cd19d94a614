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
} from '../../src/index.js';
import { json, pet, quickClock, stubClient, stubFetch, type Sent } from '../support/stub.js';
import { rejection } from '../support/world.js';
import { apiKey, spellings, leaks } from '../support/leaks.js';

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
    await call(client, key, { maxWait: 0, maxRetries: 1 }).catch((error: unknown) => {
      expect(error).toBeInstanceOf(PetStoreError);
      outcomes.push(error);
    });
  }
  return [client, ...outcomes, ...events, ...events.map((event) => inspect(event))];
}

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

test('an error whose fields cannot be read is reported as such', async () => {
  const odd = Object.defineProperty(new Error('x'), 'cause', {
    get() {
      throw new Error('no cause for you');
    },
  });
  const error = await rejection<ConnectionError>(
    stubClient(
      stubFetch(() => Promise.reject(odd)),
      { maxRetries: 0 },
    ).listPets(),
  );
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error.cause as Error).message).toBe('an error that cannot be read');
});

test('what has a message and no name is shown as an error', async () => {
  const odd = { message: 'the cable is cut', name: 5 };
  const error = await rejection<ConnectionError>(
    stubClient(
      // As an error of another realm, or of code that throws objects.
      stubFetch(() => Promise.reject(odd as unknown as Error)),
      { maxRetries: 0 },
    ).listPets(),
  );
  expect(error.cause).toMatchObject({ name: 'Error', message: 'the cable is cut' });
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
