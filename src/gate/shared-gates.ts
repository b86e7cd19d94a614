import { gatesName, scopeSymbol, type Marked, type SharedGates } from '../contract/handshake.js';
import { systemClock, type Clock } from '../utils/clock.js';
import { singleton } from '../utils/singleton.js';
import { Gate } from './gate.js';

/** A gate that has not been used for this long (ms) is dropped. It is far longer than a minute window. */
const idleTime = 3_600_000;

type Gates = Map<string, Gate>;

const registry = () =>
  singleton(gatesName, () => ({
    /** By the scope of the client, and by its clock. The registry stands for those of the process. */
    scopes: new WeakMap<object, WeakMap<object, Gates>>(),
    salt: Math.floor(Math.random() * 2 ** 32),
    forget(origins: Parameters<SharedGates['forget']>[0]) {
      const gates = this.scopes.get(this)?.get(this);
      for (const name of gates?.keys() ?? [])
        if (origins.has(name.slice(0, name.indexOf(' ')))) gates?.delete(name);
    },
  }));

/** The gate of an API key at an address. All clients of the process share it. Only a hash of the key is kept. */
export function sharedGate(origin: string, key: string, clock: Clock, fetch: unknown): Gate {
  const process = registry();
  const time = clock === systemClock ? process : clock;
  const scope = scopeOf(fetch ?? globalThis.fetch) ?? scopeOf(clock) ?? time;
  const clocks = getOrAdd(process.scopes, scope, () => new WeakMap<object, Gates>());
  const gates = getOrAdd(clocks, time, () => new Map<string, Gate>());
  return getOrAdd(gates, `${origin} ${hash(key, process.salt)}`, () => {
    dropIdle(gates, clock.monotonic() - idleTime);
    return new Gate(clock);
  });
}

/**
 * Checks the two gates that were checked longest ago: the map cannot grow faster than it is cleaned, and the cost of a new key does
 * not depend on the number of keys in the process.
 */
function dropIdle(gates: Gates, since: number): void {
  const [first, second] = gates;
  for (const [name, gate] of first && second ? [first, second] : []) {
    gates.delete(name);
    // A map keeps the order of insertion, so a gate that stays goes to the end.
    if (!gate.isIdle(since)) gates.set(name, gate);
  }
}

/**
 * Forgets every shared gate of the process, with its holds and budgets: for tests that use one key against several
 * services on the system's clock. Clients that exist get new gates at their next call.
 *
 * @example
 * ```ts
 * import { afterEach } from 'vitest';
 * import { resetRateLimitGates } from 'petstore-client';
 *
 * afterEach(() => resetRateLimitGates());
 * ```
 */
export function resetRateLimitGates(): void {
  registry().scopes = new WeakMap();
}

function scopeOf(value: unknown): object | undefined {
  return (value as Marked | undefined)?.[scopeSymbol];
}

/** What a map and a weak map have in common. */
type MapLike<K, V> = Pick<Map<K, V>, 'get'> & { set(key: K, value: V): unknown };

function getOrAdd<K, V>(map: MapLike<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** A hash of a key with a salt of the process, 64 bits: enough to distinguish keys. The key cannot be computed from it. */
function hash(text: string, salt: number): string {
  let [one, two] = [salt, ~salt];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 16_777_619);
    two = Math.imul(two ^ text.charCodeAt(at), 2_654_435_761);
  }
  return `${one} ${two}`;
}
