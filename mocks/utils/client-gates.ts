/** Where the clients of this process keep the rate-limit gates that they share: see `src/rate-limit/shared-gates.ts`. */
interface SharedGates {
  readonly scopes: WeakMap<object, WeakMap<object, Map<string, unknown>>>;
  readonly world: object;
}

const gatesSymbol = Symbol.for('petstore-client.gates.1');

/** More addresses than a mock has: a request to a port can name any. */
const mostOrigins = 100;

/**
 * The gates of clients that reach a service through msw or a port. Such a client uses the `fetch` of the platform, so its gate
 * belongs to the address, and would outlive a reset of the service, which begins with unused quotas.
 */
export class ClientGates {
  /** The addresses at which the service was reached. A service that takes the place of another one gets them too. */
  origins = new Set<string>();

  /** Notes the address of a request that the service has received. */
  reachedAt(url: string): void {
    const end = url.indexOf('/', url.indexOf('//') + 2);
    if (this.origins.size < mostOrigins) this.origins.add(url.slice(0, end));
  }

  /** Forgets the gates of the addresses at which the service was reached. Clients that exist get new ones at their next call. */
  forget(): void {
    const shared = (globalThis as { [gatesSymbol]?: SharedGates })[gatesSymbol];
    const gates = shared?.scopes.get(shared.world)?.get(shared.world);
    for (const name of gates?.keys() ?? [])
      if (this.origins.has(name.slice(0, name.indexOf(' ')))) gates?.delete(name);
  }
}
