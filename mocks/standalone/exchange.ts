import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ByteBuffer, type ServiceRequest } from '../http/request.js';
import type { ServiceResponse } from '../http/response.js';

/**
 * A request to a port, as the service and the control API read it. It is no `Request`: to make one would take longer than many a
 * response.
 */
export interface PortRequest extends ServiceRequest {
  /** The same as a `Request`, for a service that was not made by this copy of the package. */
  toRequest(): Request;
}

/** An app on a port. */
export type App = (request: PortRequest) => Promise<ServiceResponse>;

/** Bytes of a body that is too long that are still received, so that the client reads the response; after them the connection is closed. */
const drainLimit = 256_000_000;

/**
 * The body as text; undefined when it is longer than `most` bytes, of which no more are held.
 *
 * @throws Error, as a rejection, when the client closes the connection before the end.
 */
async function readBounded(incoming: AsyncIterable<Uint8Array>, most: number) {
  const bytes = new ByteBuffer(most);
  let received = 0;
  for await (const chunk of incoming) {
    received += chunk.length;
    if (received > drainLimit) throw new Error('The body is too long to be received.');
    bytes.add(chunk);
  }
  return bytes.text();
}

/** HTTP/1.1: a request without these headers has no body. */
const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/**
 * The request behind a message; undefined where the first line and the header `Host` make no address. Its signal aborts when the
 * client closes the connection.
 */
export function toPortRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): PortRequest | undefined {
  const address = addressOf(incoming);
  if (address === undefined) return undefined;
  const { pathname: path, search, href: url } = address;
  const { method = '', rawHeaders } = incoming;
  const left = new AbortController();
  const { signal } = left;
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) left.abort();
  });
  const headers = {
    get: (name: string) => headerOf(rawHeaders, name),
    has: (name: string) => headerOf(rawHeaders, name) !== null,
  };
  return {
    method,
    path,
    search,
    url,
    headers,
    signal,
    readText: (most) =>
      hasBody(incoming) ? readBounded(incoming as AsyncIterable<Buffer>, most) : '',
    toRequest() {
      const body = hasBody(incoming) && { body: Readable.toWeb(incoming), duplex: 'half' };
      const init = { method, headers: pairsOf(rawHeaders), signal, ...(body as RequestInit) };
      return new Request(url, init);
    },
  };
}

function addressOf({ url = '/', headers: { host = 'localhost' } }: IncomingMessage) {
  if (/^https?:\/\//i.test(url)) return URL.parse(url) ?? undefined;
  // Characters that would end the host, or that URL parsing would remove. Without a host, the path would become the host.
  if (!url.startsWith('/') || !/^[^\s/?#\\@]+$/.test(host)) return undefined;
  return URL.parse(`http://${host}${url}`) ?? undefined;
}

/** Names and values as the message has them, in turns: a `Headers` would validate and copy each of them. */
type RawHeaders = readonly string[];

function headerOf(raw: RawHeaders, name: string): string | null {
  const wanted = name.toLowerCase();
  let found: string | null = null;
  for (let at = 0; at < raw.length; at += 2)
    if (raw[at]!.length === wanted.length && raw[at]!.toLowerCase() === wanted)
      found = found === null ? raw[at + 1]! : `${found}, ${raw[at + 1]!}`;
  return found;
}

const pairsOf = (raw: RawHeaders) =>
  raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1]!]] : []));

/** Writes a response to a port. A body that fails in the middle becomes a connection that is closed there. */
export async function writeResponse(
  answer: Promise<ServiceResponse>,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    await write(await answer, outgoing);
  } catch (error) {
    // After the head, the body failed. Before the head, the service failed, or a status or a header cannot be sent.
    if (outgoing.headersSent) outgoing.destroy();
    else await write(failure(error), outgoing);
  }
}

async function write(
  { status, statusText, headers, body }: ServiceResponse,
  outgoing: ServerResponse,
): Promise<void> {
  if (status === 0) return void outgoing.socket?.resetAndDestroy();
  const length = typeof body === 'string' ? { 'Content-Length': Buffer.byteLength(body) } : {};
  // An override may have several `Set-Cookie`, which only pairs keep. All other headers are an object, which is faster.
  const isOverride = Symbol.iterator in headers;
  const written = isOverride
    ? [...headers, ...Object.entries(length)].flat()
    : { ...headers, ...length };
  outgoing.writeHead(status, statusText || undefined, written);
  if (body && typeof body === 'object') await pipeline(body, outgoing);
  else outgoing.end(body);
}

function failure(error: unknown): ServiceResponse {
  const message = `The mock service itself failed: ${String(error)}`;
  const body = JSON.stringify({ code: 'mock_failure', message, status: 500 });
  return { status: 500, headers: { 'Content-Type': 'application/json' }, body };
}
