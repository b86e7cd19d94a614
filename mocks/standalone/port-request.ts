import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHeaders, ServiceRequest } from '../http/request.js';
import type { CompleteResponse } from '../http/response.js';

/**
 * A request to a port, as the service and the control API read it. It is no `Request`: to make one would take longer than many a
 * response.
 */
export interface PortRequest extends ServiceRequest {
  arrayBuffer(): Promise<ArrayBuffer>;
  /** The same as a `Request`, for a service that was not made by this copy of the package. */
  toRequest(): Request;
}

/**
 * The request behind a message whose body was received, up to `limit` bytes and one more. Its signal aborts when the client
 * closes the connection.
 *
 * @throws TypeError when the first line and the header `Host` make no address.
 */
export function toPortRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: Buffer,
  limit: number,
): PortRequest {
  const { pathname: path, search, href: url } = addressOf(incoming);
  const method = incoming.method!;
  const left = new AbortController();
  const { signal } = left;
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) left.abort();
  });
  return {
    method,
    path,
    search,
    url,
    headers: readHeaders(incoming),
    signal,
    readText: (most) =>
      // Behind `limit` there may be more, also when the service has allowed more in the meantime.
      body.length > Math.min(most, limit) ? undefined : new TextDecoder().decode(body),
    arrayBuffer: () => Promise.resolve(new Uint8Array(body).buffer),
    toRequest: () => {
      const init = { method, headers: toHeaders(incoming), signal };
      return new Request(url, body.length > 0 ? { ...init, body: new Uint8Array(body) } : init);
    },
  };
}

/** An app on a port. */
export type App = (request: PortRequest) => Promise<CompleteResponse | Response>;

function addressOf({ url = '/', headers: { host = 'localhost' } }: IncomingMessage): URL {
  if (/^https?:\/\//.test(url)) return new URL(url);
  if (!url.startsWith('/')) throw new TypeError(`not a path: ${url}`);
  // Characters with which an address would continue behind the host, or which it would leave out.
  if (/[\s/?#\\@]/.test(host)) throw new TypeError(`not a host: ${host}`);
  return new URL(`http://${host}${url}`);
}

/** The headers as the message has them: a `Headers` would validate and copy each of them. */
function readHeaders({ headersDistinct }: IncomingMessage): RequestHeaders {
  const get = (name: string) => headersDistinct[name.toLowerCase()]?.join(', ') ?? null;
  return { get, has: (name) => get(name) !== null };
}

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  return headers;
}
