import { forgetGates } from '../../src/contract/handshake.js';

/** More addresses than a mock has: a request to a port can name any. */
const mostOrigins = 100;

/** Notes the address of a request that a service has received: the clients there have gates that a reset makes them forget. */
export function noteOrigin(origins: Set<string>, url: string): void {
  if (origins.size < mostOrigins) origins.add(url.slice(0, url.indexOf('/', 8)));
}

/** Services that have been put behind addresses. */
const placed = new WeakSet();

/** A service that is put behind addresses for the first time begins with fresh gates there, whatever service was there before. */
export function placeAt(service: object, addresses: Iterable<string>): void {
  if (placed.has(service)) return;
  placed.add(service);
  forgetGates(new Set([...addresses].map((address) => new URL(address).origin)));
}
