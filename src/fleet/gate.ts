import { systemClock, type Clock } from '../utils/clock.js';
import { showOnce } from '../utils/singleton.js';
import { FleetMember } from './member/member.js';
import { StoreLink } from './member/store-link.js';
import { stateKey } from './stores/state-key.js';
import type {
  FleetEvent,
  FleetGate,
  FleetGateOptions,
  FleetKeyStatus,
  MemberEvent,
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
 * @throws TypeError when an option is unknown or has the wrong type.
 * @throws RangeError when a number is out of its range.
 *
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createFleetGate, memoryStore } from 'petstore-client/fleet';
 *
 * const gate = createFleetGate({ store: memoryStore() });
 * const client = new PetStoreClient({ apiKey: 'my-key', rateLimit: { gate } });
 * // Before the process ends, so that the others get its permits at once:
 * await gate.close();
 * ```
 */
export function createFleetGate(options: FleetGateOptions): FleetGate {
  checkOptions(options);
  const { store, name = 'petstore', perDay, storeTimeout = 250, fallback = 'share' } = options;
  const members = new Map<string, { link: StoreLink; member: FleetMember; clock: Clock }>();

  const memberOf = (state: string, clock: Clock) => {
    const known = members.get(state);
    if (known?.clock === clock) return known.member;
    if (known !== undefined) throw new TypeError(differentClocks);
    const link = new StoreLink(store, state, clock, storeTimeout, perDay);
    const publish = (event: MemberEvent) => emit({ ...event, state }, options.onEvent);
    const member = new FleetMember(link, clock, fallback === 'hold', publish);
    members.set(state, { link, member, clock });
    return member;
  };

  return Object.assign(
    ({ origin, apiKey, clock = systemClock }: Parameters<FleetGate>[0]) =>
      memberOf(stateKey(name, origin, apiKey), options.clock ?? clock),
    {
      async status() {
        const keys = [...members.values()].map((one) => statusOf(one.link, one.member, one.clock));
        return { keys: await Promise.all(keys) };
      },
      async close() {
        await Promise.all([...members.values()].map(({ member }) => member.leave()));
        await store.close?.().catch(() => undefined);
      },
    },
  );
}

async function statusOf(
  link: StoreLink,
  member: FleetMember,
  clock: Clock,
): Promise<FleetKeyStatus> {
  const seen = await link.peek();
  const local = member.status;
  const ownLeases = local.unsent + local.inFlight > 0 ? 1 : 0;
  if (seen === undefined)
    return {
      ...local,
      state: link.state,
      store: local.store === 'unused' ? 'unused' : 'lost',
      leases: ownLeases,
      limit: local.limit || undefined,
      remaining: undefined,
      resetAt: undefined,
    };
  return {
    state: link.state,
    store: local.store,
    processes: seen.members,
    // The store knows what this process held at its newest operation; the process knows what it holds now.
    leases: seen.leases + ownLeases,
    unsent: seen.unsent + local.unsent,
    inFlight: seen.inFlight + local.inFlight,
    waiting: local.waiting,
    limit: seen.limit || undefined,
    remaining: seen.remaining < 0 ? undefined : seen.remaining,
    resetAt: seen.resetAt > 0 ? new Date(clock.now() + seen.resetAt - seen.now) : undefined,
    hold: Math.max(0, seen.resumeAt - seen.now, local.hold),
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

const optionNames = new Set([
  'store',
  'name',
  'perDay',
  'storeTimeout',
  'fallback',
  'onEvent',
  'clock',
]);

function checkOptions(options: FleetGateOptions): void {
  if (typeof options !== 'object' || (options as unknown) === null)
    throw new TypeError('createFleetGate needs options: createFleetGate({ store })');
  for (const name of Object.keys(options))
    if (!optionNames.has(name))
      throw new TypeError(
        `createFleetGate has no option ${name}: the options are ${[...optionNames].join(', ')}`,
      );
  const { store, name, perDay, storeTimeout, fallback, onEvent, clock } = options;
  if (!hasFunctions(store, 'run'))
    throw new TypeError(
      'store must be a FleetStore: redisStore(…), sqliteStore(…), or an object with a function run',
    );
  if (name !== undefined && !(typeof name === 'string' && /^[\w.-]{1,40}$/.test(name)))
    throw new TypeError('name must be 1 to 40 letters, digits, "-", "_" or "."');
  inRange('perDay', perDay, 1, 1e12, 'requests');
  inRange('storeTimeout', storeTimeout, 1, 60_000, 'ms');
  if (fallback !== undefined && !['share', 'hold'].includes(fallback))
    throw new TypeError(`fallback must be 'share' or 'hold', got ${fallback}`);
  if (onEvent !== undefined && typeof onEvent !== 'function')
    throw new TypeError(`onEvent must be a function, got ${typeof onEvent}`);
  if (clock !== undefined && !hasFunctions(clock, 'now', 'monotonic', 'sleep'))
    throw new TypeError(
      'clock must be a Clock: an object with the functions now, monotonic and sleep',
    );
}

function hasFunctions(value: unknown, ...names: readonly string[]): boolean {
  const given = value as Readonly<Record<string, unknown>> | null | undefined;
  return names.every((name) => typeof given?.[name] === 'function');
}

function inRange(
  name: string,
  value: number | undefined,
  least: number,
  most: number,
  unit: string,
): void {
  if (value === undefined) return;
  if (typeof value !== 'number')
    throw new TypeError(`${name} must be ${least} to ${most} ${unit}, got ${typeof value}`);
  if (!(value >= least && value <= most))
    throw new RangeError(`${name} must be ${least} to ${most} ${unit}, got ${value}`);
}
