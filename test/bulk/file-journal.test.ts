import * as fs from 'node:fs';
import * as paths from 'node:path';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPets, fileJournal } from '../../src/bulk/index.js';
import { journalIn } from '../../src/bulk/journal/file-journal.js';
import type { NewPet } from '../../src/index.js';
import { world } from '../support/world.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bulk-journal-'));
  path = join(folder, 'pets.journal');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const runs = Number(process.env['FUZZ_RUNS'] ?? 60);

/** A run that dies at a write of the journal, as by SIGKILL: nothing that it would still do reaches the disk. */
function dyingJournal(writes: number) {
  const inner = fileJournal(path);
  let left = writes;
  return {
    read: () => inner.read(),
    write: (entry: Parameters<typeof inner.write>[0]) => {
      if (left-- <= 0) throw new Error('killed');
      return inner.write(entry);
    },
    close: () => inner.close?.(),
  };
}

test('whenever a run dies, the next ones add each row at most once, and lose none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          name: fc.constantFrom('Rex', 'Bella', 'Milo'),
          categoryId: fc.integer({ min: 1, max: 3 }),
        }),
        {
          minLength: 1,
          maxLength: 12,
        },
      ),
      fc.array(fc.record({ writes: fc.nat(30), cut: fc.nat(40) }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      async (rows: NewPet[], crashes, concurrency) => {
        rmSync(path, { force: true });
        const { service, client } = world();
        const add = (journal: ReturnType<typeof fileJournal>) =>
          createPets(client(), rows, { journal, clock: service.clock, concurrency });
        for (const { writes, cut } of crashes) {
          await add(dyingJournal(writes)).catch(() => undefined);
          // The last line may have reached the disk in part. An entry `sending` is always whole: it was synced.
          const text = readFileSync(path, 'utf8');
          const last = text.trimEnd().split('\n').at(-1)!;
          if (!last.includes('"sending"') && text.split('\n').length > 2)
            truncateSync(path, text.length - Math.min(cut, last.length));
        }
        const report = await add(fileJournal(path));
        expect(report.stopped).toBeUndefined();
        expect(report.unsent).toBe(0);
        expect(report.created.length + report.skipped + report.unknown.length).toBe(rows.length);
        // Every pet is one of a row, and no row has two.
        expect(service.pets.size).toBeLessThanOrEqual(rows.length);
        expect(service.pets.size).toBeGreaterThanOrEqual(report.created.length + report.skipped);
      },
    ),
    { numRuns: runs, seed: 7 },
  );
});

test('two runs cannot have one journal at the same time', async () => {
  const { service, client } = world();
  let other: Promise<unknown> | undefined;
  await createPets(client(), [{ name: 'Rex', categoryId: 1 }], {
    journal: fileJournal(path),
    clock: service.clock,
    onProgress: () => {
      other ??= createPets(client(), [], { journal: fileJournal(path) }).catch(String);
    },
  });
  expect(await other).toMatch(/^JournalInUseError: the journal is in use by the process \d+/);
  await createPets(client(), [], { journal: fileJournal(path) });
});

test.each([undefined, {}])(
  'without files, with process %o, a journal says what to do',
  (process) => {
    vi.stubGlobal('process', process);
    expect(() => fileJournal(path).read()).toThrow(/^fileJournal needs the files of Node, Bun or/);
    vi.unstubAllGlobals();
  },
);

test('the lock of a process that is gone is taken over', async () => {
  const { client } = world();
  writeFileSync(`${path}.lock`, '999999999');
  await createPets(client(), [], { journal: fileJournal(path) });
  // A container gives every first process the same id: a lock with the own id that this process does not hold is old.
  writeFileSync(`${path}.lock`, String(process.pid));
  await createPets(client(), [], { journal: fileJournal(path) });
  // Cut short by a power failure.
  writeFileSync(`${path}.lock`, '');
  await createPets(client(), [], { journal: fileJournal(path) });
});

test('a process that has ended, or whose id now belongs to another program, holds no lock', async () => {
  const { client } = world();
  const { ppid } = process;
  /** A system on which the process has this state, or that tells nothing of processes. */
  const systemWith = (stat: string | undefined) => {
    const readFileSync = ((file: string | number, ...more: []) => {
      if (!String(file).startsWith('/proc/')) return fs.readFileSync(file, ...more);
      if (stat === undefined) throw new Error('ENOENT');
      return stat;
    }) as typeof fs.readFileSync;
    return journalIn(path, () => ({ fs: { ...fs, readFileSync }, paths }));
  };
  const start = async (text: string, stat: string | undefined) => {
    writeFileSync(`${path}.lock`, text);
    return createPets(client(), [], { journal: systemWith(stat) }).then(() => 'taken over', String);
  };
  const statOf = (state: string) =>
    `${ppid} (a) b (c) ${[state, ...Array.from({ length: 18 }, () => '0'), '77', '0'].join(' ')}`;
  expect(await start(String(ppid), statOf('Z'))).toBe('taken over');
  expect(await start(`${ppid} 76`, statOf('S'))).toBe('taken over');
  const inUse = `is in use by the process ${ppid} (${path}.lock): wait until it ends. If that process is no import, delete this file`;
  expect(await start(`${ppid} 77`, statOf('S'))).toContain(inUse);
  expect(await start(String(ppid), statOf('S'))).toContain(inUse);
  expect(await start(String(ppid), undefined)).toContain(inUse);
  // Another process sees the start of this one in its lock, where the system tells it.
  const locks: string[] = [];
  for (const stat of [statOf('R'), undefined]) {
    rmSync(`${path}.lock`, { force: true });
    const journal = systemWith(stat);
    await journal.read();
    locks.push(readFileSync(`${path}.lock`, 'utf8'));
    await journal.close?.();
  }
  expect(locks).toEqual([`${process.pid} 77`, String(process.pid)]);
});

test('a journal in a folder that does not exist is an error, and nothing is sent', async () => {
  const { service, client } = world();
  const journal = fileJournal(join(folder, 'missing', 'pets.journal'));
  await expect(createPets(client(), [{ name: 'Rex', categoryId: 1 }], { journal })).rejects.toThrow(
    /ENOENT/,
  );
  expect(service.requests).toHaveLength(0);
});

test('a file that is no journal is refused, and stays as it is', async () => {
  const { client } = world();
  writeFileSync(path, 'name,categoryId\nRex,1\n');
  await expect(createPets(client(), [], { journal: fileJournal(path) })).rejects.toThrow(
    /is not a journal of createPets/,
  );
  expect(readFileSync(path, 'utf8')).toBe('name,categoryId\nRex,1\n');
});

test('a page can bundle the entry: it imports nothing of Node', async () => {
  const { metafile } = await build({
    stdin: {
      contents: "import * as bulk from './src/bulk/index.ts'; globalThis.bulk = bulk;",
      resolveDir: join(import.meta.dirname, '../..'),
    },
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  expect(imported.map(({ path }) => path).filter((path) => path.startsWith('node:'))).toEqual([]);
});

test('an older copy of a journal is a valid journal, so the rows that were sent since are sent again, as the guide says', async () => {
  const { service, client } = world();
  const rows = ['Rex', 'Bella', 'Milo'].map((name) => ({ name, categoryId: 1 }));
  const add = (some: NewPet[]) => createPets(client(), some, { journal: fileJournal(path) });
  await add(rows.slice(0, 1));
  const backup = readFileSync(path);
  await add(rows);
  writeFileSync(path, backup);
  const { created, skipped } = await add(rows);
  expect([created.length, skipped]).toEqual([2, 1]);
  expect(service.pets.list().map(({ name }) => name)).toEqual([
    ...['Rex', 'Bella', 'Milo'],
    ...['Bella', 'Milo'],
  ]);
});
