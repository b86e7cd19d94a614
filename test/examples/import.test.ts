// examples/bulk-import as it is run from a shell, killed in the middle, and started again.
import type { ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { loadExample } from '../support/example.js';
import { serveForImport } from '../support/served.js';
import { runProgram, type Ended } from '../support/programs.js';
import { fc } from '../support/fuzz.js';

const program = resolve('examples/bulk-import/import.mjs');
const { readRows, writeFailedRows } = (await loadExample('bulk-import/rows.mjs')) as {
  readRows: (path: string) => { rows: { name: string }[]; lines: number[] };
  writeFailedRows: (path: string, failed: readonly object[]) => string;
};
const { progressBar } = (await loadExample('bulk-import/progress.mjs')) as {
  progressBar: (stream: object) => { show(progress: object): void; end(): void };
};

const { rows: allRows, lines: allLines } = readRows('examples/bulk-import/pets.csv');
const names = allRows.map(({ name }) => name);

/** An end of the program: its exit code, and what it printed, which are errors where the code is 2. */
function expectEnd({ code, out, err }: Ended, wanted: number, said = /^/): void {
  expect(code, err).toBe(wanted);
  expect(wanted === 2 ? err : out).toMatch(said);
}

let folder: string;
let csv: string;

beforeEach(() => {
  folder = temporaryFolder();
  csv = join(folder, 'pets.csv');
  copyFileSync('examples/bulk-import/pets.csv', csv);
});

/** A service on a port whose plan lets an import through in seconds, and the import against it. */
async function onPort() {
  const { service, url } = await serveForImport();
  const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: 'quick' };
  const start = (path = csv, ...args: string[]) =>
    runProgram(process.execPath, [program, path, ...args], { env });
  const stored = () => service.pets.list().map(({ name }) => name);
  /** Sends the import a signal once the service has done the work of its n-th row, and before it has answered. 1: already of the check. */
  const startAndSignal = (signal: NodeJS.Signals, nth: number) => {
    let [child, count]: [ChildProcess | undefined, number] = [undefined, 0];
    service.override(nth === 1 ? 'listPets' : 'createPet', async (_input, next) => {
      const done = await next();
      if (++count === nth) child?.kill(signal);
      return done;
    });
    return runProgram(process.execPath, [program, csv], {
      env,
      onStart: (started) => (child = started),
    });
  };
  return { service, url, start, startAndSignal, stored };
}

const onMock = (...args: string[]) =>
  runProgram(process.execPath, [program, csv, '--mock', ...args]);
const failedFile = (number = '') => join(folder, `pets.failed${number}.csv`);

test('500 pets are added on the Free plan in eight minutes of virtual time', async () => {
  expectEnd(
    await onMock(),
    0,
    /^Minutes on the clock of the mock: 8\.\n500 of 500 pets added, 500 of them now\.\n$/,
  );
});

test('empty names are warned of, and more rows than the quota of a day end with the time of the next start, or wait for it with --across-days', async () => {
  const rows = Array.from({ length: 1_008 }, (_, index) => `Pet ${index},1\n`);
  writeFileSync(csv, `name,categoryId\n" ",2\n,3\n${rows.join('')}`);
  expectEnd(
    await onMock(),
    1,
    /\n1000 of 1010 pets added, .*\nStopped: .*\nRows that are not sent: 10\. Start the program again after \d{4}-\d\d-\d\d \d\d:\d\d UTC, or with --across-days\.\n$/,
  );
  const across = await onMock('--across-days');
  expectEnd(across, 0, /1010 of 1010 pets added/);
  expect(across.err).toMatch(
    /^line 2: warning: the name is empty\nline 3: warning: the name is empty\n[^]*^\d+\/1010, waits until 2026-01-02 00:00 UTC, ends about 2026-01-02 00:00 UTC$/m,
  );
});

test('after SIGKILL the import continues: no row is sent twice, and the rows in doubt are looked for, decided and closed', async () => {
  const { start, startAndSignal, stored } = await onPort();
  expect(await startAndSignal('SIGKILL', 200)).toMatchObject({ code: null });
  const second = await start();
  expectEnd(second, 1, / unknown outcome: [1-4]\. See .*pets\.failed\.csv\n.*--find.*\n$/);
  expect(new Set(stored()).size).toBe(stored().length);
  const missing = names.filter((name) => !stored().includes(name));
  const doubtful = readFileSync(failedFile(), 'utf8').trim().split('\n').slice(1);
  // Four requests at a time: no more than four rows can be in doubt.
  expect(doubtful.length).toBeGreaterThanOrEqual(1);
  expect(doubtful.length).toBeLessThanOrEqual(4);
  for (const row of doubtful)
    expect(second.err).toContain(`line ${row.split(',').at(-1)}: unknown: interrupted`);

  // Nothing of the file is sent before a person has looked at each row.
  const requests = stored().length;
  expectEnd(await start(failedFile()), 2, /failed\.csv: line 2: the pet .* may exist\. .*\n$/);

  // The pets that exist are found by their ids. The others are sent on request.
  const third = await start(csv, '--find');
  expect(third.out.match(/found, with the id \d+/g) ?? []).toHaveLength(
    doubtful.length - missing.length,
  );
  const lineOf = new Map(names.map((name, index) => [name, allLines[index]!]));
  const unsent = missing.flatMap((name) => ['--unsent', String(lineOf.get(name))]);
  expect(await start(csv, ...unsent)).toMatchObject({ code: 0, err: '' });
  expectEnd(
    await start(csv),
    0,
    /\nOf earlier runs, and out of date: pets\.failed.*\.csv\. Delete/,
  );
  expect(existsSync(failedFile())).toBe(true);
  expect(stored()).toHaveLength(requests + missing.length);
  expect(stored().sort()).toEqual(names.toSorted());
});

test('a row in doubt is closed with --created, and a decision on another row is reported', async () => {
  writeFileSync(csv, 'name,categoryId\nRex,1\n"Bel\r\nla",2\nTom,3\n');
  const { service, start, stored } = await onPort();
  service.faults.add({ operation: 'createPet', status: 503, times: 3 });
  const first = await start();
  expectEnd(first, 1);
  expect(first.err).toMatch(/^line 2: unknown: .*503.*\nline 3: .*\nline 5: unknown: .*\n$/);
  const args = ['--created', '2', '--created', '3=77', '--unsent', '5', '--unsent', '9'];
  const { code, out, err } = await start(csv, ...args);
  expect([code, err]).toEqual([0, 'line 9: its outcome is not unknown: nothing was changed\n']);
  expect(out).toMatch(/^3 of 3 pets added, 1 of them now\.\nOf earlier runs, .*\n$/);
  expect(stored()).toEqual(['Tom']);
});

test('Ctrl+C waits for the requests in flight, so that no row is in doubt, and the next run continues', async () => {
  const few = readFileSync(csv, 'utf8').split('\n').slice(0, 101);
  writeFileSync(csv, few.join('\n'));
  const { service, startAndSignal, start, stored } = await onPort();
  service.faults.add({ operation: 'listPets', 'network-error': 'after', times: 1 });
  for (const nth of [1, 40])
    expectEnd(await startAndSignal('SIGINT', nth), 1, /Stopped: interrupted\n/);
  expect(existsSync(failedFile())).toBe(false);
  expect(stored().length).toBeLessThan(60);
  expectEnd(await start(), 0, /^100 of 100 pets added, /);
  expect(stored().sort()).toEqual(names.slice(0, 100).sort());
});

test('a row that the service rejects is in a file, with its reason, that can be corrected and run again', async () => {
  writeFileSync(csv, 'name,categoryId,status\n"Rex, ""the Old""",1,\nTom,3,sold\n');
  const { service, start, stored } = await onPort();
  service.faults.add({ operation: 'createPet', status: 400, times: 2 });
  expectEnd(await start(), 1, /^0 of 2 pets added, .*\nRows that were rejected: 2, with/);
  expect(readFileSync(failedFile(), 'utf8')).toMatch(
    /^name,categoryId,status,outcome,reason,line\n"Rex, ""the Old""",1,,rejected,.*400.*fix the row.*,2\nTom,3,sold,rejected,.*,3\n/,
  );
  expectEnd(await start(failedFile(), '--new'), 0);
  expect(stored().sort()).toEqual(['Rex, "the Old"', 'Tom']);
});

test('with a new journal, the import stops if the service lists pets of the file, or cannot list any, or the file is a copy of one that was imported, unless --new is given', async () => {
  writeFileSync(csv, 'name,categoryId,status\nRex,1,sold\nBella,2,\n');
  const { service, start } = await onPort();
  service.pets.add({ id: 7n, name: 'Bella', categoryId: 2, status: 'sold' });
  service.keys.get('quick').exhaust('day');
  const ends = (what: string) =>
    new RegExp(`^0 of 2 .*\nStopped: .*${what}.*\n.*: 2\\. .*start`, 'i');
  expectEnd(await start(), 1, ends('quota of the day'));
  expectEnd(await start(), 1, ends('told an earlier run to wait \\(--now sends anyway\\)'));
  expect(service.requests).toHaveLength(1);
  service.keys.get('quick').setRemaining('day', 100);
  service.faults.add({ status: 401, times: 1 });
  expectEnd(await start(csv, '--now'), 1, ends('401.*check the API key'));
  // As a row, the request of a check is rejected, or is one whose outcome is known: the next start checks again.
  service.faults.add({ sequence: [{ status: 400 }, { status: 201 }] });
  for (const status of [400, 201]) expectEnd(await start(), 2, RegExp(`: ${status},? `));
  expectEnd(await start(), 2, /^the service has pets of this file, such as Bella \(7\)/);
  expect(service.requests).toHaveLength(5);
  expectEnd(await start(csv, '--new'), 0);
  // Now the journal has the rows: no further look.
  const requests = service.requests.length;
  expectEnd(await start(), 0);
  expect(service.requests).toHaveLength(requests);
  const copy = join(folder, 'pets-final.csv');
  copyFileSync(csv, copy);
  expectEnd(await start(copy), 2, /^pets\.csv\.127.*rename it to pets-final\.csv\.127/);
  expect(service.requests).toHaveLength(requests);
  expectEnd(await start(copy, '--new'), 0);
  expect(service.pets.size).toBe(5);
});

test('a file of failed rows that was edited is never overwritten', () => {
  const failed = [{ row: { name: 'Rex', categoryId: 1n }, outcome: 'unknown', reason: 'lost' }];
  expect(writeFailedRows(csv, failed)).toBe(failedFile());
  expect(writeFailedRows(csv, failed)).toBe(failedFile());
  writeFileSync(failedFile(), 'edited');
  expect(writeFailedRows(csv, failed)).toBe(failedFile('-2'));
  expect(readFileSync(failedFile(), 'utf8')).toBe('edited');
});

test.each([
  ['Rex,1,\n"Bella,2,\nLuna,3,\n', 'begins on line 3: a quote is not closed'],
  ['Rex,1,\n"Bella"s,2,\n', 'begins on line 3: a quote is not closed'],
  [
    'Rex,1,\n\nBella "x",2,\n',
    'begins on line 4: a quote is not closed, or is part of a name: write "Rex ""the Great"""',
  ],
  ['Rex,1\n', 'begins on line 2: it has 2 cells, and the first line has 3'],
  [
    'Rex, the Great,1,\n',
    'it has 4 cells, and the first line has 3: write a name with a comma in quotes',
  ],
])('the broken CSV %j is an error that names the line, and never a pet', (text, message) => {
  for (const lineBreak of ['\n', '\r\n', '\r']) {
    writeFileSync(csv, `name,categoryId,status\n${text}`.replaceAll('\n', lineBreak));
    expect(() => readRows(csv)).toThrow(message);
  }
});

test('different line breaks in one file all end a row, and none is part of a name', () => {
  writeFileSync(csv, 'categoryId,name\n1,Rex\r\n2,"Bel\rla"\r\r\n3,Tom\r4,Luna');
  const { rows, lines } = readRows(csv);
  expect(rows.map(({ name }) => name)).toEqual(['Rex', 'Bel\rla', 'Tom', 'Luna']);
  expect(lines).toEqual([2, 3, 6, 7]);
});

test('whatever the names are, failed rows are read again as they were, each with its line', () => {
  const name = fc.string({
    unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é'),
    minLength: 1,
  });
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), (all) => {
      const rows = all.map((one) => ({ name: one, categoryId: 1n }));
      const failed = rows.map((row) => ({ row, outcome: 'rejected', reason: '400, "no"' }));
      const path = writeFailedRows(csv, failed);
      const read = readRows(path);
      const linesOf = (text: string) => text.split(/\r\n|[\r\n]/).length - 1;
      expect(read.rows).toEqual(rows);
      expect(read.lines).toEqual(all.map((_, at) => 2 + at + linesOf(all.slice(0, at).join())));
      rmSync(path);
    }),
    { numRuns: 200 },
  );
});

const latin1 = Buffer.from('name,categoryId\nZoë,1\n', 'latin1');
const usage = (problem: string) => new RegExp(`${problem}\\nUsage: `);

test.each<[string | Buffer, args: string[], message: RegExp]>([
  ['', ['--created', 'x'], usage('--created x: not the number of a line')],
  ['', ['--unsent', '3=7'], usage('--unsent 3=7: not the number of a line')],
  ['', ['--wrong'], usage('--wrong.*')],
  ['', ['--find', '--unsent', '3'], usage('--find goes without --created and --unsent')],
  ['', ['--created', '3=7', '--unsent', '3'], usage('line 3 has two decisions')],
  ['', ['other.csv'], /^Usage: /],
  ['color,size\n', [], /categoryId\. The columns are: color, size\. .* Nothing was sent\.\n$/],
  [
    '',
    [],
    /: line 1: there is no column name, categoryId\. The columns are: none\. The first line must/,
  ],
  ['name;categoryId\nRex;1\n', [], /seem to be separated by ";": save the file with commas\./],
  ['name,categoryId,age,,\nRex,1,3,,\n', [], /does not store age, a column without a name: delete/],
  ['name,name,name,categoryId\n', [], /line 1: there is more than one column name: keep one/],
  ['name,categoryId\n"Zo\uFFFD",1\n', [], /line 2: the name Zo\uFFFD has lost letters: export/],
  [latin1, [], /pets\.csv: it is not UTF-8, perhaps Latin-1: save/],
  [
    '\ufeffname,categoryId,status\r\n"two\r\nlines",1,\r\n\r\nTom,x,eaten\r\n',
    [],
    /^line 5: categoryId must be a whole number, not "x"\nline 5: status .*\nNothing was sent\.\n$/,
  ],
])('the file %j with arguments %j is refused, and says what to do', async (text, args, message) => {
  writeFileSync(csv, text);
  const { service, start } = await onPort();
  expectEnd(await start(csv, ...args), 2, message);
  expect(service.requests).toEqual([]);
});

test('--help prints the options, and sends nothing', async () => {
  const { service, start } = await onPort();
  expectEnd(await start(csv, '--help'), 0, /^Usage: [^]*--find +looks/);
  expect(service.requests).toEqual([]);
});

test('a terminal shows a bar with the estimated end, a log only waits', () => {
  const heldUntil = new Date('2100-01-02T00:00Z');
  for (const isTTY of [true, false]) {
    const written: string[] = [];
    const columns = 50;
    const bar = progressBar({ isTTY, columns, write: (text: string) => written.push(text) });
    bar.show({ done: 1, total: 4, estimatedEnd: new Date('2100-01-01T10:00Z') });
    bar.show({ done: 2, total: 4, heldUntil });
    bar.show({ done: 2, total: 4, heldUntil });
    bar.end();
    const text = written.join('');
    expect(text).toMatch(/2\/4,? waits until 2100-01-02 00:00 UTC/);
    expect(text.includes('1/4 ends about 2100-01-01 10:00 UTC')).toBe(isTTY);
    expect(written.length).toBe(isTTY ? 4 : 1);
    // The first three characters go to the beginning of the line, and clear it.
    for (const line of isTTY ? written.slice(0, 3) : [])
      expect(line.replace('\r\x1b[K', '').length).toBe(columns - 1);
  }
});
