import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHeaders, ServiceRequest } from '../http/request.js';
import type { CompleteResponse } from '../http/response.js';

/**
 * A request to a port, as the service and the control API read it. It is no `Request`: to make one would take longer than many a
 * response.
 */
export interface PortRequest extends ServiceRequest {
  /** The same as a `Request`, for a service that was not made by this copy of the package. */
  toRequest(): Request;
}

/** An app on a port. */
export type App = (request: PortRequest) => Promise<CompleteResponse | Response>;

/**
 * The request behind a message whose body was received, up to `limit` bytes and one more; undefined where the first line and the
 * header `Host` make no address. Its signal aborts when the client closes the connection.
 */
export function toPortRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: Buffer,
  limit: number,
): PortRequest | undefined {
  const address = addressOf(incoming);
  if (address === undefined) return undefined;
  const { pathname: path, search, href: url } = address;
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
    toRequest: () =>
      new Request(url, {
        method,
        headers: toHeaders(incoming),
        signal,
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      }),
  };
}

function addressOf({ url = '/', headers: { host = 'localhost' } }: IncomingMessage) {
  if (/^https?:\/\//.test(url)) return URL.parse(url) ?? undefined;
  // Characters with which an address would continue behind the host, or which it would leave out.
  if (!url.startsWith('/') || /[\s/?#\\@]/.test(host)) return undefined;
  return URL.parse(`http://${host}${url}`) ?? undefined;
}

/** The headers as the message has them: a `Headers` would validate and copy each of them. */
function readHeaders({ headersDistinct }: IncomingMessage): RequestHeaders {
  const get = (name: string) => headersDistinct[name.toLowerCase()]?.join(', ') ?? null;
  return { get, has: (name) => get(name) !== null };
}

const toHeaders = ({ headersDistinct }: IncomingMessage) =>
  new Headers(
    Object.entries(headersDistinct).map(([name, values]): [string, string] => [
      name,
      values!.join(', '),
    ]),
  );
