import { expect, test, vi } from 'vitest';
import type { PetStoreClient, ResponseValidationError } from '../../src/index.js';
import { failureOf, json, list, pet, stubClient, stubFetch, type Reply } from '../support/stub.js';

const bytes = (text: string) => new TextEncoder().encode(text);
/** An answer whose body comes in these pieces, and does not end where its cancellation is watched. */
const inPieces =
  (pieces: readonly unknown[], init: ResponseInit = {}, cancel?: () => void): Reply =>
  () =>
    new Response(
      new ReadableStream({
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
const stating = (length: number) => ({ headers: { 'Content-Length': String(length) } });

const get = (client: PetStoreClient) => client.getPet(1);
const raw = (client: PetStoreClient) => client.request({ method: 'GET', path: '/x' });
const read = (reply: Reply, method = 'GET') =>
  stubClient(stubFetch(reply)).request({ method, path: '/x' });

test('a character whose bytes come in two pieces is read whole, and one that breaks off shows that something is missing', async () => {
  const text = bytes(JSON.stringify({ name: 'Zoë 🐕' }));
  for (let at = 1; at < text.length; at++)
    expect(await read(inPieces([text.slice(0, at), text.slice(at)]))).toEqual({ name: 'Zoë 🐕' });
  const cut = bytes('{"name":"Zo\u00eb').slice(0, -1);
  for (const pieces of [[cut], [cut.slice(0, 8), cut.slice(8)]]) {
    const error = await failureOf<ResponseValidationError>(inPieces(pieces), get);
    expect(error.text).toBe('{"name":"Zo\ufffd');
  }
});

test('a body of 16 MiB is read, and one byte more is refused and let go, stated or not', async () => {
  const half = new Uint8Array(most / 2).fill(32);
  half[0] = 91;
  const rest = new Uint8Array(most / 2).fill(32);
  rest[rest.length - 1] = 93;
  for (const allowed of [inPieces([half, rest]), inPieces([bytes('[]')], stating(most))])
    expect(await read(allowed)).toEqual([]);
  const cancelled = vi.fn();
  for (const [refused, kept] of [
    [inPieces([half, rest, bytes(' ')], {}, cancelled), 1_000],
    [inPieces([bytes('[]')], stating(most + 1), cancelled), 0],
  ] as const)
    for (const call of [list, raw]) {
      const error = await failureOf<ResponseValidationError>(refused, call);
      expect(error.message).toContain('the body is too large');
      expect(error.text).toHaveLength(kept);
    }
  expect(cancelled).toHaveBeenCalledTimes(4);
});

test('the answer to a HEAD may state the length of any body, since none comes', async () => {
  expect(await read(new Response(null, stating(2 ** 40)), 'HEAD')).toBeUndefined();
});

/** What has no web stream: the Response of React Native, or, with a body of another kind, that of node-fetch. */
const withoutStream =
  (text: () => Promise<string>, headers: HeadersInit = {}, body?: object) =>
  () =>
    ({
      status: 200,
      ok: true,
      headers: new Headers(headers),
      body,
      text,
    }) as unknown as Response;
const readAlready = async () => {
  const answer = json([]);
  await answer.text();
  return answer;
};
const locked = () => {
  const answer = json([]);
  answer.body!.getReader();
  return answer;
};
const empty = () => Promise.resolve('{}');
const tooMuch = () => Promise.resolve(' '.repeat(most + 1));
const aborted = () => Promise.reject(new Error('aborted'));

test.each<[string, Reply, string]>([
  ['has read the body already', readAlready, 'read already, or not in bytes'],
  ['keeps the body to itself', locked, 'read already, or not in bytes'],
  ['gives a body of strings', inPieces(['[]']), 'read already, or not in bytes'],
  ['states too much', withoutStream(empty, { 'Content-Length': '99999999' }), 'too large'],
  ['has no web stream, and gives too much', withoutStream(tooMuch), 'too large'],
  ['has no web stream, and breaks off', withoutStream(aborted), 'cut short'],
])(
  'a fetch of one’s own that %s: the request took effect, and the error says so',
  async (_name, reply, problem) => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const { message, text } = await failureOf<ResponseValidationError>(reply);
    expect(message).toBe(
      `createPet on pets.test: 200, but the body is ${problem}; the request took effect: do not send it again`,
    );
    expect(text.trim()).toBe('');
  },
);

test('a Response without a web stream, such as that of node-fetch, is read as text, which the console says once', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const text = () => Promise.resolve('[]');
  const client = stubClient(stubFetch(withoutStream(text), withoutStream(text, {}, {})));
  for (let n = 0; n < 2; n += 1) expect(await client.listPets()).toEqual([]);
  expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('has no web stream')]);
});

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

test('an integer of millions of digits is refused in no time, also beside a long text, and the message stays short', async () => {
  const digits = '9'.repeat(2_000_000);
  // To make a bigint of so many digits takes seconds.
  const made: unknown[] = [];
  const apply = (target: typeof BigInt, self: unknown, given: [string]): unknown => {
    made.push(given[0]);
    return Reflect.apply(target, self, given);
  };
  vi.stubGlobal('BigInt', new Proxy(BigInt, { apply }));
  const error = await failureOf(json(`{"id":${digits},"name":"x","categoryId":1}`), get);
  const text = `{"n":${digits},"text":"${'\\"'.repeat(500_000)}:1234567890123456,b","id":9007199254740993}`;
  const raw = await read(json(text));
  vi.unstubAllGlobals();
  expect(made.filter((text) => String(text).length > 400)).toEqual([]);
  expect(error.message.length).toBeLessThan(400);
  expect(raw).toEqual({
    ...{ n: Infinity, id: '9007199254740993' },
    text: `${'"'.repeat(500_000)}:1234567890123456,b`,
  });
});

test.each(['number', 'bigint'] as const)(
  'an id with an exponent that a number cannot hold is refused in words that help (%s)',
  async (int64) => {
    const reply = json('{"id":9007199254740993e0,"name":"x","categoryId":1}');
    expect((await failureOf(reply, get, { int64 })).message).toContain(
      'id must be an integer (int64) in plain digits, got one with an exponent or a fraction',
    );
  },
);

test('however long an unknown field is called, the message of a strict client stays short', async () => {
  const reply = json({ ...pet(), ['x'.repeat(1_000_000)]: 1 });
  const options = { validation: 'strict' } as const;
  const error = await failureOf<ResponseValidationError>(reply, get, options);
  expect(error.message.length).toBeLessThan(1_000);
  expect(error.issues[0]!.message).toHaveLength(500);
});

test.each(['', ',"\\u007f"'])(
  'a body with a long integer that is nested too deeply for the engine is called so: %s',
  async (more) => {
    const depth = 100_000;
    const text = `${'['.repeat(depth)}9007199254740993${more}${']'.repeat(depth)}`;
    const error = await failureOf(json(text), raw);
    expect(error.name).toBe('ResponseValidationError');
    expect(error.message).toContain('the body is nested too deeply');
  },
);
