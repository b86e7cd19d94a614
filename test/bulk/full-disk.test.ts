// A journal on a disk that is full, fails or cannot be written.
import * as fs from 'node:fs';
import * as paths from 'node:path';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPets, fileJournal } from '../../src/bulk/index.js';
import { journalIn } from '../../src/bulk/journal/file-journal.js';
import { ConfigurationError, type NewPet } from '../../src/index.js';
import { rejection, world } from '../support/world.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = fs.mkdtempSync(paths.join(tmpdir(), 'full-disk-'));
  path = paths.join(folder, 'pets.journal');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const runs = Number(process.env['FUZZ_RUNS'] ?? 60);
const rowsOf = (count: number): NewPet[] =>
  Array.from({ length: count }, (_, index) => ({ name: `Pet ${index}`, categoryId: 1 }));

const noSpace = () => Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });

/** A disk with room for files of at most `space` bytes: a write across the end is short, without an error, and the next one fails. */
function diskOf(space: number, options: { readonly truncates: boolean } = { truncates: true }) {
  const disk = {
    ...fs,
    writeSync(file: number, bytes: Uint8Array, from: number, length: number, at: number) {
      const room = Math.min(length, space - at);
      if (room <= 0) throw noSpace();
      return fs.writeSync(file, bytes, from, room, at);
    },
    ftruncateSync(file: number, size: number) {
      if (!options.truncates) throw noSpace();
      fs.ftruncateSync(file, size);
    },
  };
  return journalOn(disk);
}

const journalOn = (disk: object) => journalIn(path, () => ({ fs: disk as typeof fs, paths }));

test('whenever the disk is full, a row that cannot be recorded is not sent, and no pet is added twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 91, max: 1_500 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      async (space, truncates, concurrency) => {
        fs.rmSync(path, { force: true });
        const { service, client } = world();
        const rows = rowsOf(6);
        const options = { clock: service.clock, concurrency };
        const first = await createPets(client(), rows, {
          ...options,
          journal: diskOf(space, { truncates }),
        });
        // The report of the run that failed knows each pet.
        expect(first.created).toHaveLength(service.pets.size);
        expect(first.created.length + first.unsent).toBe(6);
        const second = await createPets(client(), rows, { ...options, journal: fileJournal(path) });
        expect(second.stopped).toBeUndefined();
        expect(second.created.length + second.skipped + second.unknown.length).toBe(6);
        // What the journal does not know is told by the report of the run that failed.
        const unrecorded = new Map(first.unrecorded.map(({ index, pet }) => [index, pet!.id]));
        const resolve = ({ index }: { index: number }) =>
          unrecorded.has(index) ? { created: unrecorded.get(index)! } : undefined;
        const third = await createPets(client(), rows, {
          ...options,
          journal: fileJournal(path),
          resolve,
        });
        const added = new Set(first.created.map(({ index }) => index));
        expect(third.unknown.filter(({ index }) => added.has(index))).toEqual([]);
        const names = service.pets.list().map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        // Only the row that was being recorded, and those in flight, can be in doubt.
        expect(second.unknown.length).toBeLessThanOrEqual(concurrency + 1);
      },
    ),
    { numRuns: runs, seed: 7 },
  );
});

test('a full disk ends the run with a report of the pets so far, the path, and what to do', async () => {
  const { service, client } = world();
  const report = await createPets(client(), rowsOf(20), {
    journal: diskOf(700),
    clock: service.clock,
    concurrency: 1,
  });
  expect(report.created.length).toBeGreaterThan(2);
  expect(report.created).toHaveLength(service.pets.size);
  expect(report.stopped).toMatchObject({
    reason: 'failure',
    error: expect.any(ConfigurationError) as unknown,
    message: expect.stringMatching(/pets\.journal cannot be used: .*free some space/) as unknown,
  });
});

test.each(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'])(
  'after a write that fails with %s nothing is sent, and the next run sends the row',
  async (code) => {
    const { service, client } = world();
    const rows = rowsOf(3);
    let isBroken = true;
    const disk = {
      ...fs,
      fsyncSync(file: number) {
        // The first two syncs are those of the new file and of its folder.
        if (isBroken && fs.fstatSync(file).size > 91)
          throw Object.assign(new Error(`${code}: sync`), { code });
        fs.fsyncSync(file);
      },
    };
    const first = await createPets(client(), rows, {
      journal: journalOn(disk),
      clock: service.clock,
    });
    expect(first).toMatchObject({ created: [], unsent: 3, unknown: [] });
    expect(first.stopped!.message).toMatch(
      code === 'EIO' ? /EIO: sync/ : new RegExp(`and run again \\(${code}\\)`),
    );
    expect(service.requests).toHaveLength(0);
    isBroken = false;
    const second = await createPets(client(), rows, {
      journal: fileJournal(path),
      clock: service.clock,
    });
    expect(second.created).toHaveLength(3);
  },
);

test('after a failed write the journal takes outcomes, and no further row', async () => {
  let isFull = false;
  const disk = {
    ...fs,
    writeSync(...args: Parameters<typeof fs.writeSync>) {
      if (isFull) throw noSpace();
      return fs.writeSync(...args);
    },
  };
  const journal = journalOn(disk);
  await journal.read();
  await journal.write({ row: 'a', state: 'sending' });
  isFull = true;
  expect(() => journal.write({ row: 'b', state: 'sending' })).toThrow(/the disk is full/);
  isFull = false;
  expect(() => journal.write({ row: 'b', state: 'sending' })).toThrow(/the disk is full/);
  await journal.write({ row: 'a', state: 'created', id: '1' });
  await journal.close?.();
  const again = fileJournal(path);
  expect(await again.read()).toMatchObject([
    { row: 'a', state: 'sending' },
    { row: 'a', state: 'created', id: '1' },
  ]);
  await again.close?.();
});

test('a journal that another program changes during the run ends it before the next row', async () => {
  const { service, client } = world();
  const report = await createPets(client(), rowsOf(20), {
    journal: fileJournal(path),
    clock: service.clock,
    concurrency: 1,
    onProgress: ({ created }) => {
      if (created === 3) fs.appendFileSync(path, 'x');
    },
  });
  expect(report.created).toHaveLength(3);
  expect(report.stopped!.message).toMatch(/another program has changed it/);
});

test('a journal that fails when it is closed is part of the report', async () => {
  const { service, client } = world();
  const journal = {
    read: () => [],
    write: () => undefined,
    close: () => Promise.reject(new Error('close failed')),
  };
  const report = await createPets(client(), rowsOf(2), { journal, clock: service.clock });
  expect(report.created).toHaveLength(2);
  expect(report.stopped).toMatchObject({ reason: 'failure', message: 'close failed' });
});

test.each([
  ['a folder', () => folder, /it is a folder: pass the path of a file \(EISDIR\)/],
  [
    'a path in a missing folder',
    () => paths.join(folder, 'missing', 'pets.journal'),
    /its folder does not exist: create it \(ENOENT\)/,
  ],
  [
    'a path below a file',
    () => {
      fs.writeFileSync(path, '');
      return paths.join(path, 'pets.journal');
    },
    /a part of the path is a file, not a folder: pass another path \(ENOTDIR\)/,
  ],
])('%s is no journal: the error has the path and what to do', async (_what, given, message) => {
  const { service, client } = world();
  const wrong = given();
  const error = await rejection<ConfigurationError>(
    createPets(client(), rowsOf(1), { journal: fileJournal(wrong) }),
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain(`the journal ${wrong} cannot be used: `);
  expect(error.message).toMatch(message);
  expect(service.requests).toHaveLength(0);
});

test.each(['EACCES', 'EPERM', 'EROFS', 'ENOSPC'])(
  'a lock that fails with %s is an error that has the path and what to do',
  async (code) => {
    const { client } = world();
    const disk = {
      ...fs,
      writeFileSync: () => {
        throw Object.assign(new Error(`${code}: open`), { code });
      },
    };
    const error = await rejection<ConfigurationError>(
      createPets(client(), rowsOf(1), { journal: journalOn(disk) }),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(new RegExp(`pets\\.journal cannot be used: .*: .*\\(${code}\\)`));
  },
);

test.each([undefined, '', ' ', 7, null, 'a\0b'])('%j is no path of a journal', (wrong) => {
  expect(() => fileJournal(wrong as string)).toThrow(ConfigurationError);
  expect(() => fileJournal(wrong as string)).toThrow(/needs the path of a file/);
});

test('a file journal that no run has opened cannot be written', () => {
  expect(() => fileJournal(path).write({ row: 'a', state: 'sending' })).toThrow(/is not open/);
});

test('two runs cannot have one journal through a symbolic link, even before the file exists', async () => {
  const { service, client } = world();
  const link = paths.join(folder, 'link');
  fs.symlinkSync('pets.journal', link);
  const linkToLink = paths.join(folder, 'link-2');
  fs.symlinkSync(link, linkToLink);
  const others = [link, linkToLink, paths.relative(process.cwd(), path)];
  for (const [index, other] of others.entries()) {
    let second: Promise<unknown> | undefined;
    // The first run is under way until the second one has ended.
    const fetch: typeof service.fetch = async (...args) => {
      await second;
      return service.fetch(...args);
    };
    await createPets(client({ fetch }), rowsOf(index + 1), {
      journal: fileJournal(link),
      clock: service.clock,
      onProgress: () => {
        second ??= createPets(client(), rowsOf(9), { journal: fileJournal(other) }).catch(String);
      },
    });
    expect(await second).toMatch(/the journal is in use by the process \d+/);
  }
  expect(service.pets.size).toBe(3);
});

test('a file that can be read and not written is refused, and its lock is given back', async () => {
  const { client } = world();
  const disk = {
    ...fs,
    openSync: () => {
      throw Object.assign(new Error('EACCES: open'), { code: 'EACCES' });
    },
  };
  await expect(createPets(client(), [], { journal: journalOn(disk) })).rejects.toThrow(/EACCES/);
  await createPets(client(), [], { journal: fileJournal(path) });
});

test('where folders cannot be synced, as on Windows, the journal works all the same', async () => {
  const { client } = world();
  const disk = {
    ...fs,
    openSync: (name: string, flags: string) => {
      if (name === folder) throw Object.assign(new Error('EPERM: open'), { code: 'EPERM' });
      return fs.openSync(name, flags);
    },
  };
  await createPets(client(), [], { journal: journalOn(disk) });
  expect(fs.readFileSync(path, 'utf8')).toMatch(/^\{"journal":/);
});
