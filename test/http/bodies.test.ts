import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { ConnectionError, ResponseValidationError, type ServerError } from '../../src/index.js';
import { json, pet, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const bytes = (text: string) => new TextEncoder().encode(text);
/** An answer whose body comes in these pieces. */
const inPieces =
  (pieces: readonly Uint8Array[], init: ResponseInit = {}, cancel?: () => void) =>
  () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          if (cancel === undefined) controller.close();
        },
        ...(cancel === undefined ? {} : { cancel }),
      }),
      init,
    );
/** The largest body that is read, in bytes. */
const most = 16 * 2 ** 20;

test('a character whose bytes come in two pieces is read whole', async () => {
  const text = bytes(JSON.stringify(pet({ name: 'Zoë 🐕' })));
  for (let at = 1; at < text.length; at++) {
    const found = await stubClient(stubFetch(inPieces([text.slice(0, at), text.slice(at)]))).getPet(
      1,
    );
    expect(found.name).toBe('Zoë 🐕');
  }
});

test.each([
  ['in one piece', [bytes('{"name":"Zo\u00eb').slice(0, -1)]],
  ['in two pieces', [bytes('{"name":'), bytes('"Zo\u00eb').slice(0, -1)]],
])(
  'a body that ends within a character, %s, shows that something is missing',
  async (_name, pieces) => {
    const error = await rejection<ResponseValidationError>(
      stubClient(stubFetch(inPieces(pieces))).getPet(1),
    );
    expect(error.text).toBe('{"name":"Zo\ufffd');
  },
);

test('a body that states more than 16 MiB is refused unread, and let go', async () => {
  const cancelled = vi.fn();
  const reply = inPieces(
    [bytes('[]')],
    { headers: { 'Content-Length': String(most + 1) } },
    cancelled,
  );
  const error = await rejection<ResponseValidationError>(stubClient(stubFetch(reply)).listPets());
  expect(error.message).toContain('the body is too large');
  expect(error.text).toBe('');
  expect(cancelled).toHaveBeenCalledOnce();
});

test('a body that states 16 MiB is read', async () => {
  const reply = inPieces([bytes('[]')], { headers: { 'Content-Length': String(most) } });
  expect(await stubClient(stubFetch(reply)).listPets()).toEqual([]);
});

test('a body of 16 MiB is read, and one byte more is refused and let go', async () => {
  const half = new Uint8Array(most / 2).fill(32);
  half[0] = 91;
  const rest = new Uint8Array(most / 2).fill(32);
  rest[rest.length - 1] = 93;
  expect(await stubClient(stubFetch(inPieces([half, rest]))).listPets()).toEqual([]);
  const cancelled = vi.fn();
  const error = await rejection<ResponseValidationError>(
    stubClient(stubFetch(inPieces([half, rest, bytes(' ')], {}, cancelled))).listPets(),
  );
  expect(error.message).toContain('the body is too large');
  expect(cancelled).toHaveBeenCalledOnce();
});

test('the answer to a HEAD may state the length of any body, since none comes', async () => {
  const reply = () => new Response(null, { headers: { 'Content-Length': String(2 ** 40) } });
  expect(
    await stubClient(stubFetch(reply)).request({ method: 'HEAD', path: '/export' }),
  ).toBeUndefined();
});

test('a request without a body is sent without one, and without its type', async () => {
  const fetch = stubFetch(json([]));
  await stubClient(fetch).listPets();
  expect(fetch.sent[0]).toMatchObject({ body: '' });
  expect(fetch.sent[0]!.headers.get('content-type')).toBeNull();
});

test('an answer of the kind that a broken fetch gives is named as what it is', async () => {
  const error = await rejection<ConnectionError>(
    stubClient(stubFetch(() => Response.error())).createPet({ name: 'Rex', categoryId: 1 }),
  );
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toContain('the connection failed (network error)');
});

test.each<[string, () => Response | Promise<Response>, string]>([
  [
    'has read the body already',
    async () => {
      const answer = json([]);
      await answer.text();
      return answer;
    },
    'read already',
  ],
  [
    'keeps the body to itself',
    () => {
      const answer = json([]);
      answer.body!.getReader();
      return answer;
    },
    'read already',
  ],
  [
    'gives a body of strings',
    () => new Response(new ReadableStream({ start: (to) => to.enqueue('[]') })),
    'not bytes',
  ],
])(
  'a fetch of one’s own that %s: the request took effect, and the error says so',
  async (_name, reply, problem) => {
    const error = await rejection<ResponseValidationError>(
      stubClient(stubFetch(reply)).createPet({ name: 'Rex', categoryId: 1 }),
    );
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toBe(
      `createPet on pets.test: 200, but the body is ${problem}; the request took effect: do not send it again`,
    );
  },
);

test.each<[string, HeadersInit, () => Promise<string>, string]>([
  ['states too much', { 'Content-Length': '99999999' }, () => Promise.resolve('{}'), 'too large'],
  ['is too much', {}, () => Promise.resolve(' '.repeat(most + 1)), 'too large'],
  ['breaks off', {}, () => Promise.reject(new Error('aborted')), 'cut short'],
])(
  'a body without a web stream that %s: the request took effect, and the error says so',
  async (_name, headers, text, problem) => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const reply = { status: 201, ok: true, headers: new Headers(headers), body: {}, text };
    const fetch = stubFetch(() => reply as unknown as Response);
    const error = await rejection<ResponseValidationError>(
      stubClient(fetch).createPet({ name: 'Rex', categoryId: 1 }),
    );
    expect(error.message).toBe(
      `createPet on pets.test: 201, but the body is ${problem}; the request took effect: do not send it again`,
    );
  },
);

test('on Deno, which sends a POST again by itself unless its body is a Blob, it is one, also where there is nothing to send', async () => {
  vi.stubGlobal('Deno', {});
  const sent: unknown[] = [];
  const fetch = async (_url: unknown, init?: RequestInit) => {
    sent.push(init?.body instanceof Blob ? await init.body.text() : init?.body);
    return json({});
  };
  const client = stubClient(fetch);
  const headers = { 'Content-Type': 'image/png' };
  await client.request({ method: 'POST', path: '/x', body: { a: 1 } });
  await client.request({ method: 'POST', path: '/x', body: new Uint8Array([82]) }, { headers });
  await client.request({ method: 'POST', path: '/x' });
  await client.request({ method: 'GET', path: '/x' });
  expect(sent).toEqual(['{"a":1}', 'R', '', null]);
});

test('a response of more than 16 MiB never reaches a schema of the caller', async () => {
  const ofItems = (count: number) => `[${'1,'.repeat(count - 1)}1]`;
  const seen: number[] = [];
  const items = z.array(z.object({ name: z.string() }));
  const schema = z.pipe(
    z.transform((value: unknown[]) => {
      seen.push(value.length);
      return value;
    }),
    items,
  );
  const rejected = (count: number) => {
    const client = stubClient(stubFetch(() => new Response(ofItems(count))));
    return rejection<ResponseValidationError>(
      client.request({ method: 'GET', path: '/store/orders', schema }),
    );
  };
  expect((await rejected(1_000)).issues).toHaveLength(21);
  expect((await rejected(2 ** 23)).message).toContain('the body is too large');
  expect(seen).toEqual([1_000]);
});

test('an integer of millions of digits is refused in no time, and the message stays short', async () => {
  const digits = '9'.repeat(2_000_000);
  // To make a bigint of so many digits takes seconds.
  const made: unknown[] = [];
  vi.stubGlobal(
    'BigInt',
    new Proxy(BigInt, {
      apply: (target, self, given: [string]) => (
        made.push(given[0]),
        Reflect.apply(target, self, given)
      ),
    }),
  );
  const error = await rejection<ResponseValidationError>(
    stubClient(stubFetch(json(`{"id":${digits},"name":"x","categoryId":1}`))).getPet(1),
  );
  const raw = await stubClient(
    stubFetch(json(`{"n":${digits},"text":"a:1234567890123456,b","id":9007199254740993}`)),
  ).request({
    method: 'GET',
    path: '/x',
  });
  vi.unstubAllGlobals();
  expect(made.filter((text) => String(text).length > 400)).toEqual([]);
  expect(error.message.length).toBeLessThan(400);
  expect(raw).toEqual({ n: Infinity, text: 'a:1234567890123456,b', id: '9007199254740993' });
});

test('an integer of 400 digits is read, and one of 401 is no number that anybody means', async () => {
  const read = async (length: number) =>
    (
      (await stubClient(stubFetch(json(`{"n":${'9'.repeat(length)}}`))).request({
        method: 'GET',
        path: '/x',
      })) as { n: unknown }
    ).n;
  expect(await read(400)).toBe('9'.repeat(400));
  expect(await read(401)).toBe(Infinity);
});

test.each(['number', 'bigint'] as const)(
  'an id with an exponent that a number cannot hold is refused in words that help (%s)',
  async (int64) => {
    const error = await rejection<Error>(
      stubClient(stubFetch(json('{"id":9007199254740993e0,"name":"x","categoryId":1}')), {
        int64,
      }).getPet(1),
    );
    expect(error.message).toContain(
      'id must be an integer (int64) in plain digits, got one with an exponent or a fraction',
    );
  },
);

test('however long an unknown field is called, the message of a strict client stays short', async () => {
  const body = json({ ...pet(), ['x'.repeat(1_000_000)]: 1 });
  const error = await rejection<ResponseValidationError>(
    stubClient(stubFetch(body), { validation: 'strict' }).getPet(1),
  );
  expect(error.message.length).toBeLessThan(1_000);
  expect(error.issues[0]!.message).toHaveLength(500);
});

test('an error body of more than 65,536 characters is kept as text, and cut', async () => {
  const bodyOf = async (length: number) => {
    const body = JSON.stringify('x'.repeat(length - 2));
    return (
      await rejection<ServerError>(
        stubClient(stubFetch(json(body, { status: 500 })), { maxRetries: 0 }).listPets(),
      )
    ).body as string;
  };
  expect(await bodyOf(65_536)).toBe('x'.repeat(65_534));
  expect(await bodyOf(65_537)).toBe(`"${'x'.repeat(999)}`);
});

test.each([
  [599, 'ServerError', 'try again later'],
  [501, 'ServerError', 'repeating the request does not help'],
  [304, 'ApiError', 'check the request'],
  [302, 'ApiError', 'redirects are refused'],
])('an answer of %i is a %s that says: %s', async (status, name, advice) => {
  const error = await rejection<Error>(
    stubClient(stubFetch(new Response(null, { status })), { maxRetries: 0 }).listPets(),
  );
  expect(error.name).toBe(name);
  expect(error.message).toContain(advice);
});

test('a status beyond all classes is an ApiError', async () => {
  const odd = () => Object.defineProperty(json({}), 'status', { value: 999 });
  const answer = () => Object.defineProperty(odd(), 'ok', { value: false });
  const error = await rejection<ServerError>(
    stubClient(stubFetch(answer), { maxRetries: 0 }).listPets(),
  );
  expect([error.name, error.status]).toEqual(['ApiError', 999]);
});

test.each(['', ',"\\u007f"'])(
  'a body with a long integer that is nested too deeply for the engine is called so: %s',
  async (more) => {
    const depth = 100_000;
    const text = `${'['.repeat(depth)}9007199254740993${more}${']'.repeat(depth)}`;
    const call = stubClient(stubFetch(json(text))).request({ method: 'GET', path: '/x' });
    const error = await rejection<ResponseValidationError>(call);
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error.message).toContain(
      'the body is JSON that is nested too deeply to be read exactly',
    );
  },
);
