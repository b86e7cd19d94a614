import { systemClock, type Clock } from '../utils/clock.js';
import { FleetMember } from './member/member.js';
import { StoreLink } from './member/store-link.js';
import { stateKey } from './stores/state-key.js';
import type {
  FleetEvent,
  FleetGate,
  FleetGateOptions,
  FleetKeyStatus,
  FleetStore,
  MemberEvent,
} from './types.js';

/** The name of the `node:diagnostics_channel` on which every {@link FleetEvent} is published. */
export const fleetDiagnosticsChannel = 'petstore-client:fleet';

/**
 * Makes one rate-limit gate for many processes that use the same API key. They share what the headers say of the quota in
 * a store, and get leases from it: together they provoke no 429 that the service announces.
 *
 * @throws TypeError for an option that is none, or has a wrong type; RangeError for a number out of its range.
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
  const { store, name = 'petstore', perDay, storeTimeout = 250, fallback = 'share' } = options;
  checkOptions(options);
  const clock = options.clock ?? systemClock;
  const members = new Map<string, { link: StoreLink; member: FleetMember }>();

  const memberOf = (state: string) => {
    const known = members.get(state);
    if (known !== undefined) return known.member;
    const link = new StoreLink(store, state, clock, storeTimeout, perDay);
    const tell = (event: MemberEvent) => emit({ ...event, state }, options.onEvent);
    const member = new FleetMember(link, clock, fallback === 'hold', tell);
    members.set(state, { link, member });
    return member;
  };

  return Object.assign(
    ({ origin, apiKey }: { readonly origin: string; readonly apiKey: string }) =>
      memberOf(stateKey(name, origin, apiKey)),
    {
      async status() {
        const keys = [...members.values()].map(({ link, member }) => statusOf(link, member, clock));
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
  if (seen === undefined)
    return {
      ...local,
      state: link.state,
      store: local.store === 'unused' ? 'unused' : 'lost',
      leases: local.unsent + local.inFlight > 0 ? 1 : 0,
      limit: local.limit || undefined,
      remaining: undefined,
      resetAt: undefined,
    };
  return {
    state: link.state,
    store: local.store,
    processes: seen.members,
    leases: seen.leases,
    unsent: seen.unsent,
    inFlight: seen.inFlight,
    waiting: local.waiting,
    limit: seen.limit || undefined,
    remaining: seen.remaining < 0 ? undefined : seen.remaining,
    resetAt: seen.resetAt > 0 ? new Date(clock.now() + seen.resetAt - seen.now) : undefined,
    hold: Math.max(0, seen.hold - seen.now, local.hold),
  };
}

/** Neither a listener nor a subscriber can harm a call. */
function emit(event: FleetEvent, listener: FleetGateOptions['onEvent']): void {
  try {
    listener?.(event);
  } catch {
    // What a listener throws is its own affair.
  }
  const channel = (globalThis as { process?: Partial<NodeJS.Process> }).process
    ?.getBuiltinModule?.('node:diagnostics_channel')
    .channel(fleetDiagnosticsChannel);
  if (channel?.hasSubscribers === true) channel.publish(event);
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
  for (const name of Object.keys(options))
    if (!optionNames.has(name))
      throw new TypeError(
        `createFleetGate has no option ${name}: the options are ${[...optionNames].join(', ')}`,
      );
  const { store, name, perDay, storeTimeout, fallback } = options;
  if (typeof (store as Partial<FleetStore> | undefined)?.run !== 'function')
    throw new TypeError(
      'store must be a FleetStore: redisStore(…), sqliteStore(…), or an object with a function run',
    );
  if (name !== undefined && !/^[\w.-]{1,40}$/.test(name))
    throw new TypeError('name must be 1 to 40 letters, digits, "-", "_" or "."');
  inRange('perDay', perDay, 1, 1e12, 'requests');
  inRange('storeTimeout', storeTimeout, 1, 60_000, 'ms');
  if (fallback !== undefined && !['share', 'hold'].includes(fallback))
    throw new TypeError(`fallback must be 'share' or 'hold', got ${fallback}`);
}

function inRange(
  name: string,
  value: number | undefined,
  least: number,
  most: number,
  unit: string,
): void {
  if (value !== undefined && !(value >= least && value <= most))
    throw new RangeError(`${name} must be ${least} to ${most} ${unit}, got ${value}`);
}
