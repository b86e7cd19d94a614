// Before ky, which needs what is checked there.
import { decoder } from '../utils/platform.js';
import ky, { NetworkError } from 'ky';
import type { Config } from '../options/config.js';
import { throwIfAborted } from '../utils/abort.js';
import type { HttpRequest } from './build-request.js';
import { CallbackError } from './failures.js';

/** What one attempt needs. */
export interface AttemptOptions {
  readonly request: HttpRequest;
  readonly key: string;
  /** Sent besides those of every request. */
  readonly headers: Headers;
  /** Aborted when the attempt is given up. */
  readonly signal: AbortSignal;
  /** Called in the same tick as `fetch`, before it. What it throws stops the attempt: nothing is sent then. */
  readonly onSend: () => void;
  /** Called when the headers of the response are here, before its body is read. */
  readonly onHeaders: (response: Response) => void;
}

/** A response with its body as text; `problem` when the body did not come whole. */
export interface RawResponse {
  readonly response: Response;
  readonly text: string;
  readonly problem?: 'cut short' | 'too large' | 'read already' | 'not bytes';
}

/** One attempt: sends the request, and reads the response to the last byte of its body. */
export async function fetchResponse(
  { fetch, maxResponseBytes }: Pick<Config, 'fetch' | 'maxResponseBytes'>,
  { request, key, headers, signal, onSend, onHeaders }: AttemptOptions,
): Promise<RawResponse> {
  const response = await ky(request.url, {
    method: request.method,
    body: request.body ?? null,
    // Headers and signal are added behind ky, which copies the ones several times, and joins the other with one of its own.
    fetch: async (bare) => {
      setHeaders((bare as Request).headers, headers, key, request.body !== undefined);
      throwIfAborted(signal);
      onSend();
      // A listener of events may have aborted the call just now.
      throwIfAborted(signal);
      return checkResponse(await (fetch ?? globalThis.fetch)(bare, { signal }));
    },
    // On the request itself, so that they hold also where a fetch of the caller's own takes nothing else.
    redirect: 'manual',
    ...credentials(),
    // The loop of attempts, the deadline and the reading of the body are the transport's.
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
  }).catch((failure: unknown) => {
    // What fetch itself threw says more than what ky makes of it, which also holds the request with the key.
    throw failure instanceof NetworkError ? failure.cause : failure;
  });
  if (response.type === 'error') throw new TypeError('network error');
  // A fetch that ignores its signal may still give a response. The attempt is over then, and its permit is used up.
  throwIfAborted(signal);
  onHeaders(response);
  return readBody(response, signal, maxResponseBytes);
}

/** A fetch of the caller's own may give something else, as a stub of `{ ok, json }`. */
function checkResponse(given: unknown): Response {
  const response = given as Partial<Response> | null | undefined;
  if (typeof response?.status === 'number' && typeof response.headers?.get === 'function')
    return response as Response;
  throw new CallbackError(
    'the function fetch gave no Response: in a test, make one with new Response()',
  );
}

/** Puts the headers of a request in their place. Those of the client come last: no others stand above them. */
function setHeaders(headers: Headers, given: Headers, key: string, hasBody: boolean): void {
  given.forEach((value, name) => headers.set(name, value));
  headers.set('accept', 'application/json');
  if (hasBody) headers.set('content-type', 'application/json');
  headers.set('authorization', `Bearer ${key}`);
}

/** Cookies are never sent. Where requests know no credentials (workerd), naming them would throw, and there are none. */
function credentials(): { credentials?: RequestCredentials } {
  return 'credentials' in Request.prototype ? { credentials: 'omit' } : {};
}

async function readBody(
  response: Response,
  signal: AbortSignal,
  maxBytes: number,
): Promise<RawResponse> {
  const { headers, body } = response;
  // Looked at first: the response to a HEAD states the length of a body that does not come.
  if (body === null) return { response, text: '' };
  // By a fetch of the caller's own.
  if (response.bodyUsed || body.locked) return { response, text: '', problem: 'read already' };
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    body.cancel().catch(() => undefined);
    return { response, text: '', problem: 'too large' };
  }
  return readStream(response, body.getReader(), signal, maxBytes);
}

async function readStream(
  response: Response,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
  maxBytes: number,
): Promise<RawResponse> {
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  const pieces: Uint8Array[] = [];
  for (let size = 0; ;) {
    const piece = await reader.read().catch(() => undefined);
    if (piece === undefined) return { response, text: textOf(pieces), problem: 'cut short' };
    if (piece.done) return { response, text: textOf(pieces) };
    if (!ArrayBuffer.isView(piece.value)) {
      cancel();
      return { response, text: textOf(pieces), problem: 'not bytes' };
    }
    pieces.push(piece.value);
    size += piece.value.byteLength;
    if (size > maxBytes) {
      cancel();
      return { response, text: textOf(pieces), problem: 'too large' };
    }
  }
}

/** Most bodies are one piece, and to decode that at once is much faster than as a stream. */
function textOf(pieces: readonly Uint8Array[]): string {
  if (pieces.length <= 1) return decoder.decode(pieces[0]);
  const streaming = new TextDecoder();
  return pieces
    .map((piece, at) => streaming.decode(piece, { stream: at < pieces.length - 1 }))
    .join('');
}
