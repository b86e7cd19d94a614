// Import before ky: platform.ts checks for the web standards and gives a clearer error than ky.
import { decoder } from '../utils/platform.js';
import ky, { NetworkError } from 'ky';
import { ConfigurationError } from '../errors/errors.js';
import { warnOnce } from '../events/notices.js';
import { withoutUndefined } from '../options/check.js';
import { checkHeaders } from '../options/headers.js';
import type { HeaderRecord, HeadersContext, HeadersFunction } from '../options/options.js';
import { ignoreFailure } from '../utils/abort.js';
import type { HttpRequest } from './build-request.js';

/** A response with its body as text. `problem` is set if the body is incomplete. */
export interface RawResponse {
  readonly response: Response;
  readonly text: string;
  readonly problem?: 'cut short' | 'too large' | 'read already, or not in bytes' | undefined;
}

/** The second argument of `fetch` for one attempt. A later source of headers takes the place of an earlier one. Throws a ConfigurationError. */
export function requestInit(
  request: HttpRequest,
  key: string,
  sources: readonly (HeaderRecord | HeadersFunction)[],
  attempt: number,
  signal: AbortSignal,
): RequestInit {
  const { name: operation, method, url, body = null, contentType } = request;
  const context = { operation, attempt, method, url };
  const given: HeaderRecord = {};
  for (const source of sources)
    Object.assign(given, typeof source === 'function' ? callHeaders(source, context) : source);
  const isForDeno = 'Deno' in globalThis && !request.isSafe;
  return {
    method,
    headers: withoutUndefined({
      accept: 'application/json',
      ...given,
      ...(body !== null && { 'content-type': contentType }),
      authorization: `Bearer ${key}`,
    }) as Record<string, string>,
    // When a connection is lost, Deno sends the request again on its own, even a POST, unless its body is a Blob.
    body: isForDeno ? new Blob(body === null ? [] : [body]) : body,
    redirect: 'manual',
    signal,
    // Cookies are never sent. In workerd, requests have no `credentials`, and setting it would throw.
    ...('credentials' in Request.prototype && { credentials: 'omit' }),
  };
}

function callHeaders(give: HeadersFunction, context: HeadersContext): HeaderRecord {
  try {
    const given: unknown = give(context);
    // A promise is refused, but Node must not report its rejection as unhandled.
    ignoreFailure(() => given);
    return checkHeaders(given);
  } catch (failure) {
    throw new ConfigurationError('the function headers failed', { cause: failure });
  }
}

/** Makes one request through ky. `send` calls `fetch`, since ky would copy the request, its headers and its body, and combine the signal with one of its own. */
export async function fetchResponse(url: string, send: () => unknown): Promise<Response> {
  try {
    return await ky(url, {
      fetch: async () => checkResponse(await send()),
      // The transport has the loop of attempts and the deadline, and reads the body.
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
    });
  } catch (failure) {
    // The error of fetch says more than the error of ky, which also contains a request.
    throw failure instanceof NetworkError ? failure.cause : failure;
  } finally {
    // ky's promise keeps its functions for a long time. They must not keep the call, or V8 would allocate its objects among old objects.
    send = () => undefined;
  }
}

/** A custom fetch may return something else, such as a stub `{ ok, json }`. */
function checkResponse(given: unknown): Response {
  const response = given as Partial<Response> | null | undefined;
  const isResponse = typeof response?.status === 'number' && typeof response.ok === 'boolean';
  if (isResponse && response.type === 'error') throw new TypeError('network error');
  // A Map has a function get too.
  if (isResponse && typeof response.headers?.append === 'function') return response as Response;
  throw new ConfigurationError(
    'the function fetch gave no Response: in a test, make one with new Response()',
  );
}

/** Longest body that is read, in bytes after decompression. */
const longestBody = 16 * 2 ** 20;
const noStream =
  'this fetch has no web streams: a body that is too large or cut short may not be noticed';

/** Reads a response to the last byte of its body. Cancels the body when `signal` is aborted, or if it is too large. */
export async function readBody(response: Response, signal: AbortSignal): Promise<RawResponse> {
  // Some implementations of fetch have no web streams, such as node-fetch and React Native.
  const body = response.body as Partial<typeof response.body> | undefined;
  // Checked first: the response to a HEAD states the length of a body that it does not have.
  if (body === null) return { response, text: '' };
  if (response.bodyUsed || body?.locked)
    return { response, text: '', problem: 'read already, or not in bytes' };
  const reader = body?.getReader?.();
  const cancel = () => void reader?.cancel().catch(() => undefined);
  // Its only listener: `whenAborted` is for many, and takes longer (bench `Get one pet`).
  signal.addEventListener('abort', cancel);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let text = '';
  let problem: RawResponse['problem'];
  try {
    if (Number(response.headers.get('content-length')) > longestBody) problem = 'too large';
    else if (reader === undefined) {
      warnOnce('no-stream', noStream);
      text = await response.text();
      if (text.length > longestBody) problem = 'too large';
    } else {
      for (let size = 0; problem === undefined;) {
        const { done, value } = await reader.read();
        if (done) break;
        size += value.byteLength;
        if (ArrayBuffer.isView(value)) pieces.push(value);
        else problem = 'read already, or not in bytes';
        if (size > longestBody) problem = 'too large';
      }
    }
  } catch {
    problem = 'cut short';
  }
  signal.removeEventListener('abort', cancel);
  if (problem !== undefined) cancel();
  // Most bodies are one chunk.
  if (pieces.length === 1) text = decoder.decode(pieces[0]);
  if (pieces.length > 1) text = await new Blob(pieces).text();
  return { response, text, problem };
}
