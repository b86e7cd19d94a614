import { forgetGates } from '../../src/contract/handshake.js';

/** More addresses than a mock has: a request to a port can name any. */
const mostOrigins = 100;

/** The gates of clients that reach a service through msw or a port. */
export class ClientGates {
  /** The addresses at which the service was reached. A service that takes the place of another one gets them too. */
  origins = new Set<string>();

  /** Notes the address of a request that the service has received. */
  reachedAt(url: string): void {
    const end = url.indexOf('/', url.indexOf('//') + 2);
    if (this.origins.size < mostOrigins) this.origins.add(url.slice(0, end));
  }

  /** Forgets the gates of the addresses at which the service was reached. */
  forget(): void {
    forgetGates(this.origins);
  }
}

/** Services that have been put behind addresses. */
const placed = new WeakSet();

/** A service that is put behind addresses for the first time begins with fresh gates there, whatever service was there before. */
export function placeAt(service: object, addresses: Iterable<string>): void {
  if (placed.has(service)) return;
  placed.add(service);
  forgetGates(new Set([...addresses].map((address) => new URL(address).origin)));
}
