import { describeValue } from '../contract/json.js';
import { ConfigurationError } from '../errors/errors.js';
import { systemClock, type Clock } from '../utils/clock.js';
import { showOnce } from '../utils/singleton.js';
import { FleetMember } from './member/member.js';
import { StoreLink, type LocalStatus } from './member/store-link.js';
import { stateKey } from './stores/state-key.js';
import type {
  FleetEvent,
  FleetGate,
  FleetGateOptions,
  FleetKeyStatus,
  FleetStore,
} from './types.js';

/** The name of the `node:diagnostics_channel` on which every {@link FleetEvent} is published. */
export const fleetDiagnosticsChannel = 'petstore-client:fleet';

/** A wait on one clock does not end when another clock moves, as that of a second mock service does. */
const differentClocks =
  'two clients with one key have different clocks, and createFleetGate waits on one clock for each key: ' +
  'pass one clock to both clients, or create a gate for each';

/**
 * Creates one rate-limit gate for several processes that use the same API key. The processes share the rate-limit headers
 * in a store. Each gets permits to send requests from it, so that together they trigger no 429 that the headers announce.
 *
 * @throws ConfigurationError when an option is unknown, has the wrong type or is out of its range.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createFleetGate, memoryStore } from 'petstore-client/fleet';
 *
 * const gate = createFleetGate({ store: memoryStore() });
 * const client = new PetStoreClient({ apiKey: 'my-key', gate });
 * // Before the process ends, so that the others get its permits at once:
 * await gate.close();
 * ```
 */
export function createFleetGate(options: FleetGateOptions): FleetGate {
  checkOptions(options);
  const { store, name = 'petstore', perDay, storeTimeout = 250, fallback = 'share' } = options;
  const members = new Map<
    string,
    { member: FleetMember; state: string | Promise<string>; clock: Clock }
  >();

  const memberOf = (origin: string, apiKey: string, clock: Clock) => {
    const key = `${origin} ${apiKey}`;
    const known = members.get(key);
    if (known?.clock === clock) return known.member;
    if (known !== undefined) throw new ConfigurationError(differentClocks);
    const state = stateKey(name, origin, apiKey);
    const link = new StoreLink({ store, state, clock, timeout: storeTimeout, perDay });
    const publish = (event: FleetEvent) => emit(event, options.onEvent);
    const member = new FleetMember(link, clock, fallback === 'hold', publish);
    members.set(key, { member, state, clock });
    return member;
  };

  return Object.assign(
    ({ origin, apiKey, clock = systemClock }: Parameters<FleetGate>[0]) =>
      memberOf(origin, apiKey, options.clock ?? clock),
    {
      async status() {
        const keys = [...members.values()].map(async ({ member, state, clock }) =>
          statusOf(await state, await member.status(), clock),
        );
        return { keys: await Promise.all(keys) };
      },
      async close() {
        await Promise.all([...members.values()].map(({ member }) => member.leave()));
        await (store as FleetStore).close?.().catch(() => undefined);
      },
    },
  );
}

/** The store knows what the other processes hold, this one what it holds itself. */
function statusOf(state: string, local: LocalStatus, clock: Clock): FleetKeyStatus {
  const { reply, isLost, unsent, inFlight, waiting, hold } = local;
  const others = isLost ? undefined : reply;
  const { remaining = -1, resetAt = 0, now = 0 } = others ?? {};
  return {
    state,
    store: isLost ? 'lost' : reply ? 'joined' : 'unused',
    processes: reply?.members ?? 1,
    leases: (others?.leases ?? 0) + (unsent + inFlight > 0 ? 1 : 0),
    unsent: (others?.unsent ?? 0) + unsent,
    inFlight: (others?.inFlight ?? 0) + inFlight,
    waiting,
    limit: reply?.limit || undefined,
    remaining: remaining < 0 ? undefined : remaining,
    resetAt: resetAt > 0 ? new Date(clock.now() + resetAt - now) : undefined,
    hold,
  };
}

/** Calls the listener and publishes on the channel. An error that the listener throws must not reject a call. */
function emit(event: FleetEvent, listener: FleetGateOptions['onEvent']): void {
  if (event.type === 'fleet-lost' && listener === undefined) warnOfLoss(event.reason);
  try {
    listener?.(event);
  } catch {
    // Ignored, as documented for onEvent.
  }
  const channel = (globalThis as { process?: Partial<NodeJS.Process> }).process
    ?.getBuiltinModule?.('node:diagnostics_channel')
    .channel(fleetDiagnosticsChannel);
  if (channel?.hasSubscribers === true) channel.publish(event);
}

/** Without a listener, prints one line on the console, once in a process: otherwise a wrong path or address would not be noticed. */
function warnOfLoss(reason: string): void {
  showOnce('fleet-lost', () =>
    console.warn(
      `petstore-client: the store of the fleet failed: ${reason}. While it fails, this process does not know what the others send. ` +
        'The option onEvent of createFleetGate shows all failures, and hides this message. It is shown once.',
    ),
  );
}

/** What each option must be, and whether a value is that. */
const rules: Readonly<
  Record<keyof FleetGateOptions, readonly [mustBe: string, test: (value: unknown) => boolean]>
> = {
  store: [
    'a FleetStore: redisStore(…), sqliteStore(…), or an object with a function update',
    (value) => hasFunctions(value, 'update') || hasFunctions(value, 'run'),
  ],
  name: [
    '1 to 40 letters, digits, "-", "_" or "."',
    (value) => typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
  ],
  perDay: ['1 to 1e12 requests', inRange(1, 1e12)],
  storeTimeout: ['1 to 60,000 ms', inRange(1, 60_000)],
  fallback: ["'share' or 'hold'", (value) => value === 'share' || value === 'hold'],
  onEvent: ['a function', (value) => typeof value === 'function'],
  clock: [
    'a Clock: an object with the functions now, monotonic and sleep',
    (value) => hasFunctions(value, 'now', 'monotonic', 'sleep'),
  ],
};

function checkOptions(options: FleetGateOptions): void {
  if (typeof options !== 'object' || (options as unknown) === null)
    throw new ConfigurationError('createFleetGate needs options: createFleetGate({ store })');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(rules, name));
  if (unknown !== undefined)
    throw new ConfigurationError(
      `createFleetGate has no option ${unknown}: the options are ${Object.keys(rules).join(', ')}`,
    );
  for (const [name, [mustBe, test]] of Object.entries(rules)) {
    const value = options[name as keyof FleetGateOptions];
    const isMissing = value === undefined && name !== 'store';
    if (!isMissing && !test(value))
      throw new ConfigurationError(`${name} must be ${mustBe}; got ${describeValue(value)}`);
  }
}

function hasFunctions(value: unknown, ...names: readonly string[]): boolean {
  const given = value as Readonly<Record<string, unknown>> | null | undefined;
  return names.every((name) => typeof given?.[name] === 'function');
}

function inRange(least: number, most: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= least && value <= most;
}
