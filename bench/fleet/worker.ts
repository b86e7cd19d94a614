/** Does the runs of the bench of the fleet gate in a process of its own. */
import type { FleetStore } from '../../src/fleet/index.js';
import { fleetProcess, type FleetProcess } from '../../test/support/fleet-process.js';
import { tap } from '../../test/support/fleet-tap.js';
import { figures, waitsOf } from '../conduct/figures.js';
import { run, virtualWorld, type Process, type Start } from '../conduct/run.js';
import type { Scenario } from '../conduct/scenario.js';
import { load } from '../product.js';
import { tables, type Conditions, type TableName } from './situations.js';

const { PetStoreClient, createRateLimitGate } = await load('index');
const { createFleetGate, memoryStore } = await load('fleet/index');
const { createMockService } = await load('mocks/index');

/** `fleet`: processes with a fleet gate and one store. `alone`: processes with the gate of one process, which know nothing of each other. */
export type GateKind = 'fleet' | 'alone';

/** So many runs of a row of a table, of its scenarios in turn. */
export interface Job {
  readonly table: TableName;
  readonly row: string;
  readonly kind: GateKind;
  readonly runs: number;
}

export async function work({ table, row, kind, runs }: Job): Promise<FleetFigures[]> {
  const { scenarios, conditions = {} } = tables[table].find(({ name }) => name === row)!;
  const all: FleetFigures[] = [];
  for (let at = 0; at < runs; at++) {
    const seed = Math.floor(at / scenarios.length) + 1;
    all.push(await figuresOf(scenarios[at % scenarios.length]!, conditions, kind, seed));
  }
  return all;
}

export type FleetFigures = Awaited<ReturnType<typeof figuresOf>>;

async function figuresOf(scenario: Scenario, conditions: Conditions, kind: GateKind, seed: number) {
  const isHigh = (process: number) => conditions.high === true && process === 0;
  let trips = 0;
  const storeOf = sharedStore(conditions, () => (trips += 1));
  const start: Start = (setting) => {
    const { index, fetch, baseUrl, apiKey, time, random } = setting;
    const stops = conditions.stopped ? [conditions.stopped(index)] : [];
    const process = fleetProcess(time, index, { stops, diesAt: conditions.killed?.(index) }, 0);
    const { clock } = process;
    const { origin } = new URL(baseUrl);
    const gate =
      kind === 'alone'
        ? createRateLimitGate({ clock, random })
        : createFleetGate({ clock, store: apart(storeOf(setting, process)) })({ origin, apiKey });
    const client = new PetStoreClient({
      ...{ apiKey, baseUrl, clock, gate },
      maxHold: Infinity,
      // An answer that comes while the process stands still is read later.
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        await process.resume();
        return response;
      },
    });
    return () => client.listPets({}, isHigh(index) ? { priority: 'high' } : {});
  };
  const done = await run(scenario, start, virtualWorld(createMockService), seed);
  const later = done.outcomes.filter(({ ok, wantedAt }) => ok && wantedAt > 60_000);
  const high = waitsOf(later.filter(({ process }) => isHigh(process)));
  const others = waitsOf(later.filter(({ process }) => !isHigh(process)));
  return {
    ...figures(done),
    /** Operations of the store. */
    trips,
    /** ms from the call to its end, of calls that began after the first minute. */
    ...{ highMedian: high.p50, highP99: high.p99, othersMedian: others.p50, othersP99: others.p99 },
  };
}

/** A store that keeps its own clock. A gate on another clock than the system's would tell it the time. */
const apart = (store: FleetStore) => tap(store, (_, run) => run());

/** One store in memory for all processes of a run, 1 to 3 ms away. Its clock is an hour behind. It can lose its memory, or a part of it. */
function sharedStore({ start, down = [], slow }: Conditions, onTrip: () => void) {
  let memory: FleetStore | undefined;
  let skew = -3_600_000;
  let written: { readonly at: number; readonly key: string; readonly text: string }[] = [];
  return ({ time: clock, random }: Process, process: FleetProcess): FleetStore => {
    const empty = () => memoryStore(() => clock.now() + skew);
    const rollBack = (ms: number) => {
      const known = (memory = empty());
      const kept = written.filter(({ at }) => at <= clock.now() - ms);
      for (const { key, text } of kept) void known.update(key, () => text);
    };
    if (memory === undefined) start?.({ clock, rollBack, setClock: (ms) => (skew += ms) });
    memory ??= empty();
    return {
      async update(key, change) {
        onTrip();
        await process.clock.sleep(0.5 + random());
        const passed = process.passed();
        // Never ends while the store is down.
        if (down.some(([from, to]) => passed >= from && passed < to))
          await new Promise(() => undefined);
        if (slow !== undefined) await process.clock.sleep(slow * random() * 2);
        await memory!.update(key, (known, now) => {
          const text = change(known, now);
          // What was written more than a minute ago is needed once: the newest of it.
          if (written.length > 5_000) written = written.slice(-2_500);
          written.push({ at: clock.now(), key, text });
          return text;
        });
        await process.clock.sleep(0.5 + random());
      },
    };
  };
}
