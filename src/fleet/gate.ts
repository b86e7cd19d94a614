import { fromNode } from '../contract/environments.js';
import { ConfigurationError } from '../errors/errors.js';
import { warnOnce } from '../events/notices.js';
import type { Rows } from '../options/check.js';
import * as must from '../options/check.js';
import { ignoreFailure, untilAborted } from '../utils/abort.js';
import { systemClock, type Clock } from '../utils/clock.js';
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
 * in a store. Each gets permits from the store, so that together they stay within the limit of the headers, and cause no 429 that these announce.
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
  const checked = must.check<FleetGateOptions>('createFleetGate', rows, options);
  const { store, name = 'petstore', perDay, storeTimeout = 250 } = checked;
  const { fallback, onEvent, clock: ownClock } = checked;
  if (store === undefined)
    throw new ConfigurationError('createFleetGate needs a store: createFleetGate({ store })');
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
    const publish = (event: FleetEvent) => emit(event, onEvent);
    const member = new FleetMember(link, clock, fallback === 'hold', publish);
    members.set(key, { member, state, clock });
    return member;
  };

  return Object.assign(
    ({ origin, apiKey, clock = systemClock }: Parameters<FleetGate>[0]) =>
      memberOf(origin, apiKey, ownClock ?? clock),
    {
      async status() {
        const keys = [...members.values()].map(async ({ member, state, clock }) =>
          statusOf(await state, await member.status(), clock),
        );
        return { keys: await Promise.all(keys) };
      },
      async close() {
        await Promise.all([...members.values()].map(({ member }) => member.leave()));
        const end = async () => (store as FleetStore).close?.();
        await untilAborted(undefined, end, storeTimeout).catch(() => undefined);
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
  if (listener !== undefined) ignoreFailure(() => listener(event));
  // Otherwise a wrong path or address would not be noticed.
  else if (event.type === 'fleet-lost')
    warnOnce(
      'fleet-lost',
      `the store of the fleet failed: ${event.reason}. While it fails, this process does not know what the others send. ` +
        'onEvent of createFleetGate shows all failures, and hides this message',
    );
  fromNode((process) => process.getBuiltinModule('node:diagnostics_channel'))
    ?.channel(fleetDiagnosticsChannel)
    .publish(event);
}

/** Each option: what it must be, and its test. */
const rows: Rows<FleetGateOptions> = {
  store: must.objectWith('a FleetStore, such as redisStore(…) or sqliteStore(…)', 'update'),
  name: [
    '1 to 40 letters, digits, "-", "_" or "."',
    (value) => typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
  ],
  perDay: ['1 to 1e12 requests', must.inRange(1, 1e12)],
  storeTimeout: ['1 to 60,000 ms', must.inRange(1, 60_000)],
  fallback: must.oneOf('share', 'hold'),
  onEvent: must.aFunction,
  clock: must.aClock,
};
