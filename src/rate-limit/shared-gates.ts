import type { Clock } from '../utils/clock.js';
import { singleton } from '../utils/singleton.js';
import { Gate } from './gate.js';

/**
 * A `fetch` or a clock that carries this symbol belongs to a world of its own, whose gates are not those of the real
 * service: the in-memory service marks its own, so that two of them never share a hold.
 */
const scopeSymbol = Symbol.for('petstore-client.scope');
/** A gate that nobody has used for this long is dropped: no window that a minute's limit has is longer. */
const idle = 3_600_000;

type Gates = Map<string, Gate>;
type Scopes = WeakMap<object, WeakMap<object, Gates>>;

interface Registry {
  scopes: Scopes;
  readonly world: object;
  readonly salt: number;
}

let known: Registry | undefined;

function registry(): Registry {
  return (known ??= singleton('gates.1', () => ({
    scopes: new WeakMap(),
    world: {},
    salt: Math.floor(Math.random() * 2 ** 32),
  })));
}

/** The gate of a key at an address, shared by all clients of the process. The key is hashed: the gate does not hold it. */
export function sharedGate(
  origin: string,
  key: string,
  clock: Clock,
  fetch: unknown,
  isSystemClock: boolean,
): Gate {
  const { scopes, world, salt } = registry();
  const scope = scopeOf(fetch) ?? scopeOf(clock) ?? (isSystemClock ? world : clock);
  const clocks = getOrAdd(scopes, scope, () => new WeakMap<object, Gates>());
  const gates: Gates = getOrAdd(
    clocks,
    isSystemClock ? world : clock,
    () => new Map<string, Gate>(),
  );
  const name = `${origin} ${hash(key, salt)}`;
  const known = gates.get(name);
  if (known !== undefined) return known;
  const now = clock.monotonic();
  for (const [other, gate] of gates) if (gate.idleSince(now - idle)) gates.delete(other);
  const gate = new Gate(clock);
  gates.set(name, gate);
  return gate;
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
  return (value as { [scopeSymbol]?: object } | undefined)?.[scopeSymbol];
}

function getOrAdd<V>(map: WeakMap<object, V>, key: object, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** 64 bits of a key, salted by process: enough to tell keys apart, and no way back to one. */
function hash(text: string, salt: number): string {
  let [one, two] = [salt, ~salt];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 16_777_619);
    two = Math.imul(two ^ text.charCodeAt(at), 2_654_435_761);
  }
  return `${one} ${two}`;
}
