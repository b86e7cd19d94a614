// The journal in a file and other processes: who has it, what a kill and a full disk leave of it, and a user who may not write. No
// row may be sent twice.
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { seeded } from '../../bench/conduct/scenario.js';
import { createPets } from '../../src/bulk/index.js';
import type { NewPet } from '../../src/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { slowRounds } from '../support/fuzz.js';
import { buildImport, startProcess, startThread, type ImportJob } from '../support/import-runs.js';
import { serveForImport } from '../support/served.js';
import { rejection, rowsOf, world } from '../support/world.js';

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

const draw = seeded(7);
const random = (below: number) => Math.floor(draw() * below);

const [starts = 0, threads = 0] = [80, 20].map(slowRounds);

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

test('one run has the journal: not another of this thread, of another thread with the other build, or of another process', async () => {
  const { service, client } = world({ seed: 0 });
  const path = join(folder, 'pets.journal');
  const add = (rows: readonly NewPet[], journal = path) => createPets(client(), rows, { journal });
  const [link, hardLink] = [join(folder, 'link'), join(folder, 'hard-link')];
  await add([]);
  fs.symlinkSync(path, link);
  fs.linkSync(path, hardLink);
  const job = { url: 'http://127.0.0.1:9', journal: path, count: 3 };
  const others = async () => {
    for (const journal of [path, link, hardLink, relative('.', path)])
      expect(String(await rejection(add(rowsOf(3), journal)))).toMatch(
        /^JournalInUseError: the journal .* is in use by another run: wait until it ends$/,
      );
    // To close a file gives up all locks of the process on it, as POSIX has it. Those on the file beside it stay.
    fs.readFileSync(path);
    const refused = { error: 'JournalInUseError' };
    expect(await startThread(programs.cjs, job)).toMatchObject(refused);
    expect(await startProcess(programs.esm, job)).toMatchObject(refused);
  };
  // The first run goes on when the others were refused.
  let tried: Promise<void> | undefined;
  const fetch: typeof service.fetch = async (...args) => {
    await (tried ??= others());
    return service.fetch(...args);
  };
  const first = await createPets(client({ fetch }), rowsOf(3), { journal: path });
  expect(first.created).toHaveLength(3);
  expect(await add(rowsOf(3))).toMatchObject({ created: [], earlier: { length: 3 } });
  expect(service.pets.size).toBe(3);
});

test('on a disk that is full, a row that cannot be recorded is not sent, and the next run continues', async () => {
  const served = await serveForImport();
  const job = { url: served.url, journal: join(folder, 'pets.journal'), count: 120 };
  // The largest file, in kB: SQLite is told as of a full disk.
  const command = ['sh', '-c', 'ulimit -f 40; exec "$@"', 'sh'];
  const first = (await startProcess(programs.esm, job, { command }))!;
  expect(first.stopped!.message).toMatch(
    /pets\.journal cannot be used: .*free some space, and run again \(/,
  );
  const added = first.created!.length;
  expect(added).toBeGreaterThan(10);
  const stored = () => served.service.pets.list().map(({ name }) => name);
  expect(stored()).toHaveLength(added);
  const second = (await startProcess(programs.esm, job))!;
  expect([second.unsent, second.stopped]).toEqual([0, undefined]);
  expect(second.earlier!.length + second.unknown!.length).toBe(added);
  expect(second.unknown!.length).toBeLessThanOrEqual(4);
  expect(new Set(stored()).size).toBe(120);
  expect(stored()).toHaveLength(120);
});

const readOnly = /cannot be written: change the permissions of the file and its folder \(/;

test.each<[what: string, modes: readonly number[], message: RegExp]>([
  ['folder without a journal', [0o555], /cannot be opened: .* that this program may write/],
  ['folder with a journal', [0o555, 0o666, 0o666], readOnly],
  ['file', [0o777, 0o444, 0o666], readOnly],
  ['disk', [0o555, 0o444, 0o444], readOnly],
])('a read-only %s is an error: nothing is sent or forgotten', async (_what, modes, message) => {
  const { service, client } = world({ seed: 0 });
  const path = join(folder, 'pets.journal');
  const add = (rows: readonly NewPet[]) => createPets(client(), rows, { journal: path });
  const names = () => service.pets.list().map(({ name }) => name);
  if (modes.length > 1) await add(rowsOf(2));
  const before = names();
  for (const [at, file] of [folder, path, `${path}-lock`].entries())
    if (modes[at] !== undefined) fs.chmodSync(file, modes[at]);
  const failed = await asNobody(() =>
    add(rowsOf(3)).catch((error: unknown) => ({ stopped: error as Error })),
  );
  expect(failed.stopped!.message).toMatch(message);
  expect(names()).toEqual(before);
  fs.chmodSync(folder, 0o777);
  if (modes.length > 1) fs.chmodSync(path, 0o666);
  expect(await add(rowsOf(3))).toMatchObject({ unsent: 0, earlier: { length: before.length } });
  expect(names()).toEqual(['Pet 0', 'Pet 1', 'Pet 2']);
});

/** Root may write whatever the mode bits say: it becomes a user who owns nothing. To SQLite that is as a disk that is read-only. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid!() === 0;
  if (isRoot) process.seteuid!(65_534);
  return work().finally(() => isRoot && process.seteuid!(0));
}
