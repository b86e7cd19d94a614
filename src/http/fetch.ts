// Import before ky: platform.ts checks for the web standards and gives a clearer error than ky.
import { decoder } from '../utils/platform.js';
import ky, { NetworkError } from 'ky';
import type { Issue } from '../errors/issues.js';
import type { Config, HeaderSource } from '../options/config.js';
import { checkHeaders, type HeaderRecord } from '../options/headers.js';
import type { HeadersContext, HeadersFunction } from '../options/options.js';
import { ignoreFailure, throwIfAborted } from '../utils/abort.js';
import { showOnce } from '../utils/singleton.js';
import { isSafeMethod, type HttpRequest } from './build-request.js';
import { CallbackError } from './failures.js';

/** The input of one attempt. */
export interface AttemptOptions {
  readonly request: HttpRequest;
  readonly key: string;
  /** Headers to send in addition to those of every request. */
  readonly headers: HeaderRecord;
  /** Aborted when the attempt is cancelled. */
  readonly signal: AbortSignal;
  /** Called in the same tick as `fetch`, before it. If it throws, nothing is sent. */
  readonly onSend: () => void;
  /** Called when the headers of the response have arrived, before its body is read. */
  readonly onHeaders: (response: Response) => void;
}

/** A response with its body as text. `problem` is set if the body is incomplete. */
export interface RawResponse {
  readonly response: Response;
  readonly text: string;
  readonly problem?: 'cut short' | 'too large' | 'read already, or not in bytes' | undefined;
}

/** A response that is no result: its status is no success, or its body does not match the contract. */
export class ResponseFailure extends Error {
  readonly raw: RawResponse;
  readonly issues: readonly Issue[];

  constructor(raw: RawResponse, message = '', issues: readonly Issue[] = [], cause?: unknown) {
    super(message, { cause });
    this.raw = raw;
    this.issues = issues;
  }
}

const noStream =
  'petstore-client: the Response of this fetch has no web stream, so its body is read as a whole, and a body that is too large or cut short may not be noticed. It is shown once.';
/** Longest body that is read, in bytes after decompression. */
const longestBody = 16 * 2 ** 20;

/** One attempt: sends the request, and reads the response to the last byte of its body. */
export async function fetchResponse(
  { fetch }: Pick<Config, 'fetch'>,
  { request, key, headers, signal, onSend, onHeaders }: AttemptOptions,
): Promise<RawResponse> {
  const init: RequestInit = {
    method: request.method,
    headers: {
      accept: 'application/json',
      ...(request.body !== undefined && { 'content-type': request.contentType }),
      ...(headers as Record<string, string>),
      authorization: `Bearer ${key}`,
    },
    body: bodyOf(request),
    redirect: 'manual',
    signal,
    // Cookies are never sent. In workerd, requests have no `credentials`, and setting it would throw.
    ...('credentials' in Request.prototype && { credentials: 'omit' }),
  };
  const send = async () => {
    throwIfAborted(signal);
    onSend();
    // A listener of events may have aborted the call.
    throwIfAborted(signal);
    return checkResponse(await (fetch ?? globalThis.fetch)(request.url, init));
  };
  let response: Response;
  try {
    response = await ky(request.url, {
      // The request is made here: ky would copy it, its headers and its body, and combine the signal with one of its own.
      fetch: send,
      // The transport has the loop of attempts and the deadline, and reads the body.
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
    });
  } catch (failure) {
    // The error of fetch says more than the error of ky, which also contains a request.
    throw failure instanceof NetworkError ? failure.cause : failure;
  }
  if (response.type === 'error') throw new TypeError('network error');
  // A fetch that ignores its signal may still return a response. The attempt has ended by then, and its permit is used.
  throwIfAborted(signal);
  onHeaders(response);
  return readBody(response, signal);
}

/** When a connection is lost, Deno sends a request again by itself, a POST too, unless its body is a Blob. */
function bodyOf(request: HttpRequest): BodyInit | null {
  const { body } = request;
  if ('Deno' in globalThis && !isSafeMethod(request))
    return new Blob(body === undefined ? [] : [body]);
  return body ?? null;
}

/** A custom fetch may return something else, such as a stub `{ ok, json }`. */
function checkResponse(given: unknown): Response {
  const response = given as Partial<Response> | null | undefined;
  const isResponse = typeof response?.status === 'number' && typeof response.ok === 'boolean';
  // A Map has a function get too.
  if (isResponse && typeof response.headers?.append === 'function') return response as Response;
  throw new CallbackError(
    'the function fetch gave no Response: in a test, make one with new Response()',
  );
}

/** The headers of one attempt, in order: a later source takes the place of an earlier one. Throws a CallbackError. */
export function requestHeaders(
  sources: readonly HeaderSource[],
  context: HeadersContext,
): HeaderRecord {
  const records = sources.map((source) =>
    typeof source === 'function' ? callHeaders(source, context) : source,
  );
  const headers = Object.assign({}, ...records) as HeaderRecord;
  if (!Object.values(headers).includes(undefined)) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

function callHeaders(give: HeadersFunction, context: HeadersContext): HeaderRecord {
  try {
    const given: unknown = give(context);
    // A promise is refused, and its failure would be reported as one that nobody handles.
    ignoreFailure(() => given);
    return checkHeaders(given);
  } catch (failure) {
    throw new CallbackError('the function headers failed', failure);
  }
}

async function readBody(response: Response, signal: AbortSignal): Promise<RawResponse> {
  const pieces: Uint8Array[] = [];
  const result = (problem?: RawResponse['problem']): RawResponse => ({
    response,
    text: textOf(pieces),
    problem,
  });
  // Some implementations of fetch have no web streams, such as node-fetch and React Native.
  const body = response.body as Partial<ReadableStream<Uint8Array>> | null | undefined;
  // Checked first: the response to a HEAD states the length of a body that it does not have.
  if (body === null) return result();
  if (response.bodyUsed || body?.locked) return result('read already, or not in bytes');
  const reader = body?.getReader?.();
  const cancel = () => void reader?.cancel().catch(() => undefined);
  const stop = (problem: RawResponse['problem']) => {
    cancel();
    return result(problem);
  };
  let size = Number(response.headers.get('content-length'));
  if (size > longestBody) return stop('too large');
  signal.addEventListener('abort', cancel);
  try {
    if (reader === undefined) {
      showOnce('no-stream', () => console.warn(noStream));
      const text = await response.text();
      return text.length > longestBody ? stop('too large') : { response, text };
    }
    for (size = 0; size <= longestBody;) {
      const { done, value } = await reader.read();
      if (done) return result();
      if (!ArrayBuffer.isView(value)) return stop('read already, or not in bytes');
      pieces.push(value);
      size += value.byteLength;
    }
    return stop('too large');
  } catch {
    return stop('cut short');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Most bodies are one chunk, which is much faster to decode at once than as a stream. */
function textOf(pieces: readonly Uint8Array[]): string {
  if (pieces.length <= 1) return decoder.decode(pieces[0]);
  const streaming = new TextDecoder();
  return pieces
    .map((piece, at) => streaming.decode(piece, { stream: at < pieces.length - 1 }))
    .join('');
}
