const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Why a request may not reach the control side, or undefined where it may. A page of another site can send requests to
 * this machine, and can make its own name point here: so the name asked for must be a loopback name or the one that the
 * server listens on, and a page that asks must come from this server.
 */
export function refusal(request: Request, host: string): string | undefined {
  const { hostname, host: asked } = new URL(request.url);
  const bound = host.includes(':') ? `[${host}]` : host;
  if (!loopback.test(hostname) && hostname !== bound)
    return `The control side does not answer for the host ${asked}.`;
  const origin = request.headers.get('Origin');
  if (origin !== null && origin !== `http://${asked}`)
    return `The control side does not answer pages of ${origin}.`;
  const site = request.headers.get('Sec-Fetch-Site');
  const followedLink =
    request.method === 'GET' && request.headers.get('Sec-Fetch-Mode') === 'navigate';
  if (site !== null && site !== 'same-origin' && site !== 'none' && !followedLink) {
    return 'The control side does not answer pages of other sites.';
  }
  return undefined;
}
