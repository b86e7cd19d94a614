// Two runs that begin at the same moment with one journal: no row may be sent twice.
import { slowRounds } from '../support/fuzz.js';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../support/at-end.js';
import { buildImport, startProcess, startThread, type ImportJob } from '../support/import-runs.js';
import { serveForImport } from '../support/served.js';

/** Of each test, ms: hundreds of processes are started. */
const timeout = 1_800_000;
let programs: Awaited<ReturnType<typeof buildImport>>;
let folder: string;
beforeAll(async () => {
  programs = await buildImport();
});
beforeEach(() => {
  folder = temporaryFolder();
});

/** A service on a port, and the names of the pets that it has, each of which may be there once. */
async function onPort() {
  const served = await serveForImport();
  const { url } = served;
  const names = () => served.service.pets.list().map(({ name }) => name);
  const expectOnce = () => expect(new Set(names()).size).toBe(names().length);
  const job = (name: string, count: number): ImportJob => ({
    ...{ url, count, journal: join(folder, name) },
  });
  /** Kills the process that it is given to, soon after the service has added that many pets. */
  const killAt = (pets: number) => ({
    onStart(kill: () => void) {
      let left = pets;
      served.service.override('createPet', async (_input, next) => {
        const pet = await next();
        if (--left === 0) setTimeout(kill, random(12));
        return pet;
      });
    },
  });
  return { expectOnce, job, killAt, reset: () => served.service.reset() };
}

const random = (() => {
  let state = 7;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
})();

const [starts = 0, threads = 0] = [300, 20].map(slowRounds);

test.each([
  ['processes', starts, startProcess],
  ['threads', threads, startThread],
])(
  'of two %s that start at the same moment, one with each build, again and again, also after a crash, one has the journal',
  { timeout },
  async (kind, trials, start) => {
    const { expectOnce, job, killAt, reset } = await onPort();
    const refusals: string[] = [];
    for (let trial = 0; trial < trials; trial += 1) {
      reset();
      // So many rows that the first run lasts longer than the second waits for its locks.
      const task = job(`${kind}-${trial}`, 120);
      if (trial % 2 === 1) await startProcess(programs.esm, task, killAt(1 + random(12)));
      const startAt = Date.now() + 400;
      const results = await Promise.all(
        [programs.esm, programs.cjs].map((program) => start(program, { ...task, startAt })),
      );
      expectOnce();
      const refused = results.flatMap((result) => result?.error ?? []);
      expect(refused.length).toBeLessThanOrEqual(1);
      refusals.push(...refused);
    }
    console.log(`${trials} starts of two ${kind}: ${refusals.length} refused`);
    expect(new Set(refusals)).toEqual(new Set(['JournalInUseError']));
    expect(refusals.length).toBeGreaterThan(trials / 2);
  },
);
