import type { ServiceRequest } from '../http/request.js';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a value is a host name or an address, without scheme, port and path. */
export function isHostName(value: unknown): boolean {
  return typeof value === 'string' && /^[\w.-]+$|^(?:[\da-f]*:){2,}[\da-f.]*$/i.test(value);
}

/**
 * The reason why a request may not use the control API; undefined when it may. A page of another site can send requests to this
 * machine, and can point its own host name here (DNS rebinding). So the host name must be a loopback name, the one that the server
 * listens on, or one that was allowed, and a page that sends the request must come from this server.
 *
 * @param hosts the name or address that the server listens on, and those that are allowed besides.
 */
export function checkOrigin(request: ServiceRequest, hosts: readonly string[]): string | undefined {
  const { hostname, host: requestedHost } = new URL(request.url);
  const name = hostname.replace(/[[\]]/g, '');
  const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);
  // As a URL has them: in small letters, and IPv6 in its short form.
  const own = hosts.map((host) => URL.parse(`http://${inUrl(host)}`)?.hostname);
  if (!loopback.test(hostname) && !own.includes(hostname))
    return `The control API does not answer for the host ${requestedHost}: allow it with petstore-mock --allow-host ${name}, or serve(service, { allowHosts: ['${name}'] }).`;
  const origin = request.headers.get('Origin');
  if (origin !== null && origin !== `http://${requestedHost}`)
    return `The control API does not answer pages of ${origin}.`;
  const site = request.headers.get('Sec-Fetch-Site');
  const isLink = request.method === 'GET' && request.headers.get('Sec-Fetch-Mode') === 'navigate';
  if (site !== null && site !== 'same-origin' && site !== 'none' && !isLink)
    return 'The control API does not answer pages of other sites.';
  return undefined;
}
