import { expect, test, vi } from 'vitest';
import { ConnectionError, type ResponseValidationError } from '../src/index.js';
import { json, pet, stubClient, stubFetch } from './support/stub.js';
import { rejection } from './support/world.js';

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
    const found = await stubClient(stubFetch(inPieces([text.slice(0, at), text.slice(at)]))).getPet(1);
    expect(found.name).toBe('Zoë 🐕');
  }
});

test.each([
  ['in one piece', [bytes('{"name":"Zo\u00eb').slice(0, -1)]],
  ['in two pieces', [bytes('{"name":'), bytes('"Zo\u00eb').slice(0, -1)]],
])('a body that ends within a character, %s, shows that something is missing', async (_name, pieces) => {
  const error = await rejection<ResponseValidationError>(stubClient(stubFetch(inPieces(pieces))).getPet(1));
  expect(error.text).toBe('{"name":"Zo\ufffd');
});

test('a body that states more than 16 MiB is refused unread, and let go', async () => {
  const cancelled = vi.fn();
  const reply = inPieces([bytes('[]')], { headers: { 'Content-Length': String(most + 1) } }, cancelled);
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
  expect(await stubClient(stubFetch(reply)).request({ method: 'HEAD', path: '/export' })).toBeUndefined();
});

test('a request without a body is sent without one, and without its type', async () => {
  const fetch = stubFetch(json([]));
  await stubClient(fetch).listPets();
  expect(fetch.sent[0]).toMatchObject({ body: '' });
  expect(fetch.sent[0]!.headers.get('content-type')).toBeNull();
});

test('an answer of the kind that a broken fetch gives is named as what it is', async () => {
  const error = await rejection<ConnectionError>(stubClient(stubFetch(() => Response.error())).createPet({ name: 'Rex', categoryId: 1 }));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toContain('the connection failed (network error)');
});
