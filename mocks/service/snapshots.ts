import type { Core } from './context.js';
import type { Pastures } from '../pets/stores-by-key.js';
import type { Snapshot } from './types.js';

/** Everything that changes while a service runs, taken together and put back together. */
export function createSnapshots(core: Core, pastures: Pastures): { snapshot: () => Snapshot; restore: (snapshot: Snapshot) => void } {
  const { clock, random, ring, limiter, faults, overrides, journal, conduct, anonymous } = core;
  const save = () => ({
    pastures: pastures.save(),
    clock: clock.save(),
    random: random.state,
    ring: ring.save(),
    limiter: limiter.save(),
    coolDowns: new Map(anonymous.coolDowns),
    faults: faults.save(),
    overrides: overrides.save(),
    journal: journal.save(),
    conduct: conduct.save(),
  });
  const states = new WeakMap<Snapshot, ReturnType<typeof save>>();
  return {
    snapshot() {
      const snapshot: Snapshot = Object.freeze({ at: clock.now() });
      states.set(snapshot, save());
      return snapshot;
    },
    restore(snapshot) {
      const state = states.get(snapshot);
      if (!state) throw new TypeError('restore() takes a snapshot of this very service');
      pastures.load(state.pastures);
      clock.load(state.clock);
      random.state = state.random;
      ring.load(state.ring);
      limiter.load(state.limiter);
      anonymous.coolDowns = new Map(state.coolDowns);
      faults.load(state.faults);
      overrides.load(state.overrides);
      journal.load(state.journal);
      conduct.load(state.conduct);
    },
  };
}
