// The journal in a file: what a run does when it is damaged, moved or cannot be written. With other processes: journal.slow.test.ts.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test, vi } from 'vitest';
import { createPets, memoryJournal, type JournalEntry } from '../../src/bulk/index.js';
import { ConfigurationError, RateLimitError, type NewPet } from '../../src/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { rejection, rowsOf, turns, world } from '../support/world.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'pets.journal');
});

/** A service, and runs with the journal, each as a program that is started again. */
function journaled() {
  const { service, client } = world({ seed: 0 });
  const add = (rows: readonly NewPet[], options: object = {}) =>
    createPets(client(), rows, { journal: path, ...options });
  const names = () => service.pets.list().map(({ name }) => name);
  return { service, client, add, names };
}

const rename = () => fs.renameSync(path, join(folder, 'moved'));
test.each<[string, () => void, continues: boolean]>([
  ['deleted', () => fs.rmSync(path), true],
  ['moved', rename, true],
  ['replaced', () => (rename(), write('other')), false],
])('a journal that is %s ends the run before the next row', async (_what, change, continues) => {
  const { service, client, add, names } = journaled();
  const fetch: typeof service.fetch = async (...args) => {
    if (service.pets.size === 2) {
      change();
      expect(String(await rejection(add(rowsOf(20))))).toBe(
        `JournalInUseError: the journal ${path} is in use by another run: wait until it ends`,
      );
    }
    return service.fetch(...args);
  };
  const options = { journal: path, concurrency: 1 };
  const report = await createPets(client({ fetch }), rowsOf(20), options);
  expect(report).toMatchObject({ created: { length: 3 }, unsent: 17 });
  const kept = fs.readdirSync(folder).find((name) => name.includes('-kept-'));
  // With a time, so that no copy takes the place of an earlier one.
  expect(kept ?? '').toMatch(continues ? /^$/ : /-kept-\d{13}$/);
  const place = join(folder, kept ?? 'pets.journal');
  const next = continues ? '' : `put that file in place of ${path}, and `;
  expect(report.stopped!.message).toBe(
    `the journal ${path} was deleted, moved or replaced during the run. At its end, the run writes all that it knows to ${place}: ${next}run again`,
  );
  if (!continues) fs.renameSync(place, path);
  expect(await add(rowsOf(20))).toMatchObject({ created: { length: 17 }, earlier: { length: 3 } });
  expect(new Set(names()).size).toBe(20);
  expect(names()).toHaveLength(20);
});

test('a journal that cannot be written again says so, and the report lists the pets that are in none', async () => {
  const { add } = journaled();
  const inner = join(folder, 'inner');
  fs.mkdirSync(inner);
  const onProgress = ({ created }: { created: number }) =>
    created === 5 && fs.rmSync(inner, { recursive: true, force: true });
  const report = await add(rowsOf(20), { journal: join(inner, 'pets.journal'), onProgress });
  expect(report.stopped!.message).toMatch(
    /was deleted, .*: run again; the journal .* cannot be used/,
  );
  expect(report.unrecorded).toEqual(report.created);
  expect(report.created.length).toBeGreaterThan(4);
});

test('a journal that is deleted after the last row is told of, and written again', async () => {
  const { add } = journaled();
  const onProgress = ({ done }: { done: number }) => done === 2 && fs.rmSync(path);
  expect((await add(rowsOf(2), { onProgress })).stopped).toMatchObject({ reason: 'failure' });
  expect(await add(rowsOf(2))).toMatchObject({ earlier: { length: 2 }, stopped: undefined });
});

const noJournal = /is not a journal of createPets: pass another path/;
const noFile = /pass the path of a file, in a folder that exists.*(?:ENOENT|ELOOP)/;

test.each<[string, () => string, RegExp]>([
  ['a CSV file', () => write('name,categoryId\nRex,1\n'), noJournal],
  ['an empty file', () => write(''), noJournal],
  ['a folder', () => fs.mkdtempSync(path), /pass the path of a file, in a folder that exists/],
  ['in a missing folder', () => join(folder, 'missing', 'a'), /in a folder that exists/],
  ['below a file', () => join(write(''), 'a'), /in a folder that exists/],
  ['a link to nothing', () => link('missing'), noFile],
  ['a link to itself', () => link('link'), noFile],
])('%s is no journal: the error has the path and what to do', async (_what, make, message) => {
  const { service, add } = journaled();
  const journal = make();
  const error = await rejection(add(rowsOf(1), { journal }), ConfigurationError);
  expect(error.message).toContain(`the journal ${journal} `);
  expect(error.message).toMatch(message);
  expect(error.message).toContain(`(${(error.cause as Error).message})`);
  expect(service.requests).toHaveLength(0);
});

function write(text: string): string {
  fs.writeFileSync(path, text);
  return path;
}

function link(target: string): string {
  fs.symlinkSync(target, join(folder, 'link'));
  return join(folder, 'link');
}

test('what a crash leaves of a journal that was just being made does not matter', async () => {
  const { add } = journaled();
  for (const rest of ['-new', '-new-journal']) fs.writeFileSync(path + rest, 'half');
  // Of a transaction that was not ended: a file that is opened beside it is changed back.
  const database = new DatabaseSync(join(folder, 'other'));
  database.exec('CREATE TABLE big (text); PRAGMA cache_size = 1; BEGIN');
  const insert = database.prepare('INSERT INTO big VALUES (?)');
  for (let at = 0; at < 9; at += 1) insert.run('x'.repeat(9_000));
  fs.copyFileSync(join(folder, 'other-journal'), `${path}-journal`);
  database.close();
  expect((await add(rowsOf(1))).created).toHaveLength(1);
  expect((await add(rowsOf(1))).earlier).toHaveLength(1);
});

test.each([undefined, {}, { getBuiltinModule: () => undefined }])(
  'without node:sqlite, with process %o, it is named',
  async (process) => {
    vi.stubGlobal('process', process);
    await expect(journaled().add([])).rejects.toThrow(
      /^a journal in a file needs node:sqlite, that is Node 22\.13 or newer, or Deno: elsewhere, pass/,
    );
  },
);

test("a journal of one's own that cannot be closed is part of the report, also where its error has no text", async () => {
  const close = () => Promise.reject(Object.create(null) as Error);
  const journal = { ...memoryJournal(), close };
  const report = await journaled().add(rowsOf(2), { journal });
  const stopped = { reason: 'failure', message: 'an error without a message' };
  expect(report).toMatchObject({ created: [{}, {}], stopped });
});

test("entries of one row come one after another, also where a journal of one's own is slow", async () => {
  const { service, client } = world();
  // The second row waits for the gate, and the entry that says so is stored when the first row is done.
  const journal = memoryJournal();
  const write: typeof journal.write = async (entry) => {
    if (entry.state === 'unsent') await turns(5);
    return journal.write(entry);
  };
  const real = client();
  const refusal = new RateLimitError('wait', { reason: 'wait', requestSent: 'no' } as never);
  const createPet = vi.fn(real.createPet.bind(real)).mockRejectedValueOnce(refusal);
  const standIn = { clock: service.clock, createPet } as never;
  await createPets(standIn, rowsOf(2), { journal: { ...journal, write }, concurrency: 2 });
  const again = await createPets(client(), rowsOf(2), { journal });
  expect(again).toMatchObject({ earlier: [{}, {}], created: [] });
  expect(service.pets.size).toBe(2);
});

test('one journal object cannot be used by two runs at the same time', async () => {
  const { add } = journaled();
  const journal = memoryJournal();
  const first = add(rowsOf(3), { journal });
  await expect(add(rowsOf(3), { journal })).rejects.toThrow(/the journal is in use by another run/);
  expect((await first).created).toHaveLength(3);
  expect(await add(rowsOf(3), { journal })).toMatchObject({ earlier: { length: 3 } });
});

test.each<[string, (entry: JournalEntry) => unknown]>([
  ['with other names', ({ row: ROW, state: STATE }) => ({ ROW, STATE })],
  ['with the row parsed', (entry) => ({ ...entry, row: JSON.parse(entry.row) as unknown })],
  ['with spaces in the row', (entry) => ({ ...entry, row: entry.row.replaceAll(',', ', ') })],
  ['as texts', (entry) => JSON.stringify(entry)],
])(
  "entries that a journal of one's own gives back %s are refused, so that no row is sent twice",
  async (_form, change) => {
    const { service, add } = journaled();
    const entries: JournalEntry[] = [];
    const write = (entry: JournalEntry) => void entries.push(entry);
    const journal = { read: () => entries.map(change) as JournalEntry[], write };
    await add(rowsOf(2), { journal });
    await expect(add(rowsOf(2), { journal })).rejects.toThrow('each entry as written');
    expect(service.pets.size).toBe(2);
  },
);
