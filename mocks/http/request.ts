import { attempt } from '../utils/options.js';

/** The headers of a request, by their names in any case. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>;

/** A request as the service reads it, from every transport. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  /** The query with its `?`, or an empty text. */
  readonly search: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal | undefined;
  /** The body as text, decoded as UTF-8 (a byte order mark is dropped); undefined when it is longer than `most` bytes: the rest is not read. */
  readText(most: number): Promise<string | undefined> | string | undefined;
}

/** Whether a request with this method may have a body. */
export const mayHaveBody = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

/** Reads a `Request`. */
export function fromRequest(request: Request): ServiceRequest {
  const { pathname: path, search } = new URL(request.url);
  const { method, headers, signal, url } = request;
  return {
    method,
    path,
    search,
    url,
    headers,
    signal,
    readText: (most) => readStream(request, most),
  };
}

/**
 * Reads the arguments of `fetch`. A string body, or none, needs no `Request`: making one costs more than the
 * rest of the request. Anything else is read through a `Request` of the platform.
 *
 * @throws TypeError as `fetch` does.
 */
export function fromFetch(
  input: string | URL | Request,
  init: RequestInit | undefined,
): ServiceRequest {
  if (typeof input !== 'string' && !(input instanceof URL)) {
    if (init && !Object.keys(init).every((name) => ignoredInit.test(name)))
      return fromRequest(new Request(input, init));
    const { signal = input.signal } = init ?? {};
    return { ...fromRequest(input), signal: signal ?? undefined };
  }
  const given = init?.method ?? 'GET';
  const method = /^(?:GET|POST)$/i.test(given) ? given.toUpperCase() : undefined;
  const body = init?.body ?? undefined;
  // `URL.canParse` before it would parse a text twice.
  const url = typeof input === 'string' ? attempt(() => new URL(input)) : input;
  const isText = body === undefined || (typeof body === 'string' && method !== 'GET');
  if (!method || !url || url.username || url.password || !isText)
    return fromRequest(new Request(input, init));
  const headers = new Headers(init?.headers);
  if (body !== undefined && !headers.has('content-type'))
    headers.set('content-type', 'text/plain;charset=UTF-8');
  const readText = (most: number) =>
    body !== undefined && isLonger(body, most) ? undefined : asDecoded(body ?? '');
  return {
    method,
    path: url.pathname,
    search: url.search,
    url: url.href,
    headers,
    signal: init?.signal ?? undefined,
    readText,
  };
}

/** Fields of `init` that do not require a second `Request`: the client of this package passes only these. */
const ignoredInit = /^(?:signal|redirect|credentials)$/;

/** Whether the text has more than `most` bytes. */
const isLonger = (text: string, most: number) =>
  text.length * 3 > most && new TextEncoder().encode(text).length > most;

/** The text after it is encoded as UTF-8 and decoded again: no byte order mark, no lone surrogate. */
function asDecoded(text: string): string {
  return (text.startsWith('\uFEFF') ? text.slice(1) : text).toWellFormed();
}

async function readStream(request: Request, most: number): Promise<string | undefined> {
  if (Number(request.headers.get('content-length')) > most) return undefined;
  const reader = request.body?.getReader();
  // Some engines give no stream of the body: there the platform reads it whole.
  if (!reader) return asDecoded(await request.text());
  const bytes = new ByteBuffer(most);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.text();
    if (bytes.add(value)) continue;
    void reader.cancel().catch(() => {});
    return undefined;
  }
}

/**
 * One growing buffer, into which chunks are copied: a list of many small chunks, or the ropes of a text, would take a hundred times
 * their size, and a chunk of one byte keeps the whole block of its socket in memory.
 */
export class ByteBuffer {
  // Most bodies are shorter.
  #buffer = new Uint8Array(1_024);
  #size = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a chunk. False where all of them have more than `most` bytes: the rest is not kept. */
  add(chunk: Uint8Array): boolean {
    const before = this.#size;
    this.#size += chunk.length;
    if (this.#size > this.#most) return false;
    if (this.#size > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(2 * this.#buffer.length, this.#size));
      grown.set(this.#buffer.subarray(0, before));
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, before);
    return true;
  }

  /** All of them as text; undefined where they have more than `most` bytes. */
  text(): string | undefined {
    if (this.#size > this.#most) return undefined;
    return new TextDecoder().decode(this.#buffer.subarray(0, this.#size));
  }
}
