import ky, { NetworkError } from 'ky';
import { longestTimer } from '../utils/clock.js';
import type { Bound } from '../options/request-options.js';
import type { HttpRequest } from './build-request.js';

/** More than this many bytes are no answer of this service: 100 pets are some kilobytes. */
const largestBody = 16 * 2 ** 20;

/** `timeout` or `totalTimeout` passed while an attempt was in flight. */
export class DeadlineExceeded extends Error {
  readonly bound: Bound;

  constructor(bound: Bound) {
    super(`${bound.name} passed`);
    this.bound = bound;
  }
}

/** Everything one attempt needs. */
export interface FetchOptions {
  readonly request: HttpRequest;
  readonly key: string;
  /** Sent besides those of every request. */
  readonly headers: Headers;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly signal: AbortSignal | undefined;
  readonly bound: Bound | undefined;
  /** Called when the headers of the answer are here, before its body is read. */
  readonly onHeaders: (response: Response) => void;
}

/** An answer with its body as text; `problem` when the body did not come whole. */
export interface RawResponse {
  readonly response: Response;
  readonly text: string;
  readonly problem?: 'cut short' | 'too large' | 'read already' | 'not bytes';
}

/**
 * One attempt, to the last byte of the answer. Settles as soon as the caller's signal is aborted or the bound has
 * passed, even where `fetch` ignores its signal; its timer and listener are gone then.
 */
export function fetchResponse({
  request,
  key,
  headers,
  fetch,
  signal,
  bound,
  onHeaders,
}: FetchOptions): Promise<RawResponse> {
  return within(bound, signal, async (attemptSignal) => {
    const response = await ky(request.url, {
      method: request.method,
      body: request.body ?? null,
      // Headers and signal are added behind ky, which copies the ones several times, and joins the other with one of its own.
      fetch: (bare) => {
        setHeaders((bare as Request).headers, headers, key, request.body !== undefined);
        return (fetch ?? globalThis.fetch)(bare, { signal: attemptSignal });
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
    onHeaders(response);
    return readBody(response, attemptSignal);
  });
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

function within<T>(
  bound: Bound | undefined,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const attempt = new AbortController();
    const stop = (reason: unknown) => {
      release();
      reject(reason);
      attempt.abort(reason);
    };
    const aborted = () => stop((signal as AbortSignal).reason);
    // Real time, whatever the clock: it guards what happens outside of this process.
    const timer =
      bound === undefined
        ? undefined
        : setTimeout(
            () => stop(new DeadlineExceeded(bound)),
            Math.min(Math.max(0, bound.ms), longestTimer),
          );
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    if (signal?.aborted) return aborted();
    signal?.addEventListener('abort', aborted);
    work(attempt.signal).finally(release).then(resolve, reject);
  });
}

async function readBody(response: Response, signal: AbortSignal): Promise<RawResponse> {
  const { headers, body } = response;
  // Looked at first: the answer to a HEAD states the length of a body that does not come.
  if (body === null) return { response, text: '' };
  // By a fetch of the caller's own.
  if (response.bodyUsed || body.locked) return { response, text: '', problem: 'read already' };
  if (Number(headers.get('content-length') ?? 0) > largestBody) {
    body.cancel().catch(() => undefined);
    return { response, text: '', problem: 'too large' };
  }
  return readStream(response, body.getReader(), signal);
}

async function readStream(
  response: Response,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
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
    if (size > largestBody) {
      cancel();
      return { response, text: textOf(pieces), problem: 'too large' };
    }
  }
}

const decoder = /* @__PURE__ */ new TextDecoder();

/** Most bodies are one piece, and to decode that at once is much faster than as a stream. */
function textOf(pieces: readonly Uint8Array[]): string {
  if (pieces.length <= 1) return decoder.decode(pieces[0]);
  const streaming = new TextDecoder();
  return pieces
    .map((piece, at) => streaming.decode(piece, { stream: at < pieces.length - 1 }))
    .join('');
}
