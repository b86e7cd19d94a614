const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The reason why a request may not use the control API; undefined when it may. A page of another site can send requests to this
 * machine, and can point its own host name here (DNS rebinding). So the host name must be a loopback name or the one that the server
 * listens on, and a page that sends the request must come from this server.
 *
 * @param host the name or address that the server listens on.
 */
export function checkOrigin(request: Request, host: string): string | undefined {
  const { hostname, host: requestedHost } = new URL(request.url);
  const ownHost = host.includes(':') ? `[${host}]` : host;
  if (!loopback.test(hostname) && hostname !== ownHost)
    return `The control API does not answer for the host ${requestedHost}.`;
  const origin = request.headers.get('Origin');
  if (origin !== null && origin !== `http://${requestedHost}`)
    return `The control API does not answer pages of ${origin}.`;
  const site = request.headers.get('Sec-Fetch-Site');
  const isLink = request.method === 'GET' && request.headers.get('Sec-Fetch-Mode') === 'navigate';
  if (site !== null && site !== 'same-origin' && site !== 'none' && !isLink)
    return 'The control API does not answer pages of other sites.';
  return undefined;
}
