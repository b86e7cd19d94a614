import { getEventListeners } from 'node:events';
import { vi } from 'vitest';
import { PetStoreClient } from '../../src/index.js';
import {
  createFleetGate,
  memoryStore,
  type FleetEvent,
  type FleetGate,
  type FleetStore,
} from '../../src/fleet/index.js';
import { stateKey } from '../../src/fleet/stores/state-key.js';
import { createMockService } from '../../mocks/index.js';
import type { Burst, RunPlan } from './fleet-plan.js';
import { Ledger } from './fleet-ledger.js';
import { settled } from './world.js';
import { fleetProcess, reach, type FleetProcess } from './fleet-process.js';
import { tap } from './fleet-tap.js';

/** How a call ended. */
export interface CallEnd {
  readonly burst: Burst;
  readonly process: number;
  outcome: 'served' | 'none' | { readonly error: unknown };
  /** ms of the run. */
  at: number;
}

/** What happened in a run. */
export type RunLog = Awaited<ReturnType<typeof carryOut>>;

const keys = ['first-key', 'second-key'] as const;
/** A run in which calls wait for longer hangs. */
const longest = 26 * 3_600_000;

/** Carries a plan out. */
export async function carryOut(plan: RunPlan) {
  const { perMinute, perDay = 1_000_000 } = plan;
  const service = createMockService({
    clock: 'virtual',
    now: Date.UTC(2026, 0, 1, 6, 0, 36),
    latency: [plan.latency / 2, 2 * plan.latency],
    journalLimit: 1_000_000,
    keys: Object.fromEntries(keys.map((key) => [key, { plan: { perMinute, perDay } }])),
    assumptions: {
      minuteWindow: plan.window,
      announcedWindow: plan.announcesDay ? 'binding' : 'minute',
    },
  });
  const { clock } = service;
  let skew = plan.storeSkew;
  let turns = 0;
  const storeNow = () => clock.now() + skew;
  const emptyStore = () => memoryStore(storeNow);
  /** What each process may send and has to tell, by its keys. */
  const ledgers: Record<string, Ledger>[] = [];
  let inner = emptyStore();
  const store: FleetStore = { update: (key, change) => inner.update(key, change) };
  const began = clock.monotonic();
  const passed = () => clock.monotonic() - began;
  const at = async (moment: number, happens: () => void) => {
    if (moment > 0) await clock.sleep(moment);
    happens();
  };
  for (const { at: moment, fault } of plan.serviceFaults)
    void at(moment, () => service.faults.add(fault));
  const { ban } = plan;
  if (ban !== undefined) void at(ban.at, () => service.keys.get(keys[0]).ban(ban.ms));
  for (const { kind, span, ms } of plan.storeFaults) {
    if (kind === 'set') void at(span[0], () => (skew += ms));
    if (kind === 'flushed') void at(span[0], () => (inner = emptyStore()));
  }

  let trips = 0;
  const events: FleetEvent[] = [];
  /** Requests that were sent after their call was aborted or over, or by a process that was dead. */
  const sentLate: string[] = [];
  const signals: (readonly [process: number, signal: AbortSignal])[] = [];
  const over = new Map<string, string>();
  const gates: FleetGate[] = [];
  const worlds: FleetProcess[] = [];

  /** One for each call of the run. */
  const allEnds = plan.processes.flatMap(({ bursts }, process) =>
    bursts.flatMap((burst) =>
      Array.from({ length: burst.calls }, (): CallEnd => {
        return { burst, process, outcome: 'none', at: longest };
      }),
    ),
  );
  const endsOf = (index: number) => allEnds.filter(({ process }) => process === index);

  const live = async (own: RunPlan['processes'][number], index: number) => {
    const fate = { ...own, isDeaf: plan.isDeaf };
    // The clock of the wall is wrong, differently in each process.
    const process = (worlds[index] = fleetProcess(clock, index, fate, 40_000 * (index - 1)));
    await process.until(own.joinsAt);
    const way = { latency: plan.storeLatency, faults: plan.storeFaults };
    const { clock: ownClock } = process;
    const turn = async () => {
      await process.resume();
      await clock.sleep(1e-5 * ++turns);
    };
    const byState: Record<string, Ledger> = (ledgers[index] = {});
    const ledgerOf = (state: string) =>
      (byState[state] ??= new Ledger({
        ...{ clock: ownClock, turn, storeNow, ahead: -plan.storeSkew },
        ...{ fallback: own.fallback },
      }));
    const gate = (gates[index] = createFleetGate({
      store: tap(reach(store, process, index, way), async (operation, ask, state) => {
        trips += 1;
        await settled(Promise.resolve());
        ledgerOf(state).ask(operation);
        const reply = await ask();
        ledgerOf(state).answer(reply, operation);
        return reply;
      }),
      clock: ownClock,
      fallback: own.fallback,
      onEvent(event) {
        events.push(event);
        ledgerOf(event.state).hear(event);
        throw new Error('a listener of somebody');
      },
      ...(plan.perDay !== undefined && { perDay: plan.perDay }),
    }));
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const call = request.headers.get('x-call')!;
      if (over.has(call)) sentLate.push(`call ${call} after it was ${over.get(call)}`);
      if (process.isDead()) sentLate.push(`call ${call} of a dead process`);
      const response = await service.fetch(request);
      await process.resume();
      return response;
    };
    const client = new PetStoreClient({
      apiKey: plan.rotates ? () => keys[Math.floor(passed() / 60_000) % 2]! : keys[0],
      fetch,
      clock: ownClock,
      gate: (options) => {
        const state = stateKey('petstore', options.origin, options.apiKey) as string;
        return ledgerOf(state).watch(gate(options));
      },
    });

    const call = async (end: CallEnd, number: number) => {
      const { priority, maxWait, maxHold, abortAfter, through, at } = end.burst;
      await process.until(Math.max(own.joinsAt, at));
      const name = `${index}-${number}`;
      const abort = new AbortController();
      signals.push([index, abort.signal]);
      if (abortAfter !== undefined)
        void process.clock.sleep(abortAfter).then(() => {
          if (!over.has(name)) over.set(name, 'aborted');
          abort.abort(aborted);
        });
      const derived = through === 'withOptions' ? client.withOptions({ maxRetries: 1 }) : client;
      const headers = () => {
        if (through === 'broken headers') throw new Error('no header today');
        return { 'X-Call': name };
      };
      const options = {
        ...{ priority, maxWait, maxHold, signal: abort.signal },
        headers: through.endsWith('headers') ? headers : { 'X-Call': name },
      };
      end.outcome = await derived.listPets({}, options).then(
        () => 'served' as const,
        (error: unknown) => ({ error }),
      );
      over.set(name, 'over');
      end.at = passed();
    };
    const work = endsOf(index).map(call);
    const closing = own.closesAt.map(async (moment) => {
      await process.until(Math.max(own.joinsAt, moment));
      await gate.status();
      await gate.close();
      await gate.status();
    });
    await Promise.all([...work, ...closing]);
  };

  const lives = plan.processes.map((own, index) => ({ own, end: live(own, index) }));
  const living = lives.filter(({ own }) => own.diesAt === undefined);
  await Promise.race([Promise.all(living.map(({ end }) => end)), clock.sleep(longest)]);
  // A process that dies need not end its calls.
  const ends = allEnds.filter(
    ({ process, outcome }) => outcome !== 'none' || plan.processes[process]!.diesAt === undefined,
  );
  const lastDeath = Math.max(0, ...plan.processes.map(({ diesAt = 0 }) => diesAt));
  await clock.sleep(60_000 + Math.max(0, lastDeath - passed()));
  const alive = (_: unknown, index: number) => worlds[index]?.isDead() === false;
  const aliveGates = gates.filter(alive);
  await Promise.all(aliveGates.map((gate) => gate.close()));
  const after = { trips, requests: service.report().requests };
  await clock.sleep(600_000);
  /** What processes that closed left behind: waits, listeners of signals, trips and requests of the next ten minutes. */
  const left = {
    waits: plan.isDeaf ? 0 : worlds.filter(alive).reduce((sum, one) => sum + one.waiting(), 0),
    listeners: signals
      .filter(([index]) => alive(undefined, index))
      .reduce((sum, [, signal]) => sum + getEventListeners(signal, 'abort').length, 0),
    timers: worlds.some(({ isDead }) => isDead()) ? 0 : vi.getTimerCount(),
    trips: trips - after.trips,
    requests: service.report().requests - after.requests,
  };
  vi.clearAllTimers();
  // With a clock that is set, or a process that stood still, nothing can be said of moments.
  const isSet = plan.storeFaults.some(({ kind }) => kind === 'set');
  const sure = ledgers.filter((_, index) => !isSet && plan.processes[index]!.stops.length === 0);
  const problems = sure.flatMap((own) => Object.values(own)).flatMap((own) => own.problems);
  return { service, events, ends, sentLate, left, problems };
}

/** The reason of every abort. */
export const aborted = new Error('the caller has given up');
