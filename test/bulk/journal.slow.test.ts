// Many trials of what test/bulk/journal.test.ts shows once: no row may be sent twice, whatever happens to a run and its journal.
import { slowRounds } from '../support/fuzz.js';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../support/at-end.js';
import { damageJournals } from '../support/damaged-journals.js';
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
  const served = await serveForImport({ seed: 0 });
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
  return { names, expectOnce, job, killAt, reset: () => served.service.reset() };
}

const random = (() => {
  let state = 7;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
})();

const [kills = 0, starts = 0, threads = 0, damages = 0] = [200, 300, 20, 500].map(slowRounds);

test(
  'after SIGKILL at any moment of many runs, the next run sends no row twice, and forgets none',
  { timeout },
  async () => {
    const { names, expectOnce, job, killAt, reset } = await onPort();
    let [killed, doubts] = [0, 0];
    for (let trial = 0; trial < kills; trial += 1) {
      reset();
      const task = job(`killed-${trial}`, 40);
      const first = await startProcess(programs.esm, task, killAt(1 + random(36)));
      if (first === undefined) killed += 1;
      const last = (await startProcess(programs.esm, task))!;
      expectOnce();
      expect(last).not.toHaveProperty('error');
      expect(last.unknown!.length).toBeLessThanOrEqual(4);
      expect(last.created! + last.earlier! + last.unknown!.length).toBe(40);
      if (last.unknown!.length === 0) continue;
      const looked = (await startProcess(programs.esm, { ...task, unknown: 'look' }))!;
      const missing = last.unknown!.filter((name) => !names().includes(name));
      expect(looked.unknown).toEqual(missing);
      doubts += last.unknown!.length;
      expectOnce();
    }
    console.log(`${killed} of ${kills} runs were killed, ${doubts} rows were in doubt`);
    expect(killed).toBeGreaterThan(kills / 2);
  },
);

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

test(
  'a file that is cut at many lengths, or overwritten in many places, is refused or read as it was, and no row is sent again',
  { timeout },
  async () => {
    const { refused } = await damageJournals(damages);
    console.log(`of ${2 * damages} damaged journals, ${refused} were refused`);
    expect(refused).toBeGreaterThan(damages);
  },
);
