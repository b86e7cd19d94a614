// examples/bulk-import as it is run from a shell, killed in the middle, and started again.
import type { ChildProcess } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { serve, type MockHttpServer } from '../../mocks/server.js';
import { runProgram } from '../support/programs.js';

const program = resolve('examples/bulk-import/import.mjs');
/** Its parts are plain JavaScript, without declarations: their shapes are told where they are used. */
const part = async (name: string): Promise<unknown> =>
  import(pathToFileURL(resolve(`examples/bulk-import/${name}.mjs`)).href);
const { parseCsv } = (await part('csv')) as { parseCsv: (text: string) => { name: string }[] };
const { openJournal } = (await part('journal')) as {
  openJournal: (path: string, subject: string) => Journal;
};
const { progressBar } = (await part('progress')) as {
  progressBar: (stream: object, total: number) => Bar;
};

interface Journal {
  stateOf(row: number): string | undefined;
  record(row: number, state: string): void;
  close(): void;
}
interface Bar {
  show(done: number): void;
  note(text: string): void;
  end(): void;
}

const names = parseCsv(readFileSync('examples/bulk-import/pets.csv', 'utf8')).map(
  ({ name }) => name,
);
let folder: string;
let csv: string;
let server: MockHttpServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bulk-import-'));
  csv = join(folder, 'pets.csv');
  copyFileSync('examples/bulk-import/pets.csv', csv);
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A service on a port whose plan lets an import through in seconds, and the import against it. */
async function onPort() {
  const service = createMockService({
    keys: { quick: { plan: { perMinute: 100_000, perDay: 1_000_000 } } },
  });
  server = await serve(service, { grace: 20 });
  const { url } = server;
  const start = (args: readonly string[] = [], onStart?: (child: ChildProcess) => void) =>
    runProgram(process.execPath, [program, csv, ...args], {
      env: { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: 'quick' },
      ...(onStart && { onStart }),
    });
  const stored = () => service.pets.list().map(({ name }) => name);
  /** Sends the import a signal once the service has done the work of its n-th request, and before it has answered. */
  const startAndSignal = (signal: NodeJS.Signals, nth: number) => {
    let [child, count]: [ChildProcess | undefined, number] = [undefined, 0];
    service.override('createPet', async (_input, next) => {
      const pet = await next();
      if (++count === nth) child?.kill(signal);
      return pet;
    });
    return start([], (started) => (child = started));
  };
  return { service, start, startAndSignal, stored };
}

const doubtful = (out: string) =>
  [...out.matchAll(/^Line (\d+), .*answer was lost/gm)].map(([, line]) => Number(line));

test('500 pets go in under the Free plan in eight minutes of virtual time, and not one request is refused', async () => {
  const { code, out, err } = await runProgram(process.execPath, [program, csv, '--mock']);
  expect(out).toBe(
    "500 of 500 pets created.\nOn the mock's clock it took 8 minutes; 500 requests, 0 refused.\n",
  );
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const [, ...events] = readFileSync(`${csv}.mock.journal`, 'utf8').trim().split('\n');
  expect(events).toHaveLength(1_000);
});

test('killed in the middle and started again, it creates nothing twice, and names the rows whose answer was lost', async () => {
  const { startAndSignal, start, stored } = await onPort();
  expect(await startAndSignal('SIGKILL', 137)).toMatchObject({ code: null });

  const second = await start();
  expect(second).toMatchObject({ code: 1, err: '' });
  const lines = doubtful(second.out);
  // Four lanes: no more than four rows can have been on their way.
  expect(lines.length).toBeGreaterThanOrEqual(1);
  expect(lines.length).toBeLessThanOrEqual(4);
  expect(new Set(stored()).size).toBe(stored().length);
  const missing = names.filter((name) => !stored().includes(name));
  expect(lines.map((line) => names[line - 2])).toEqual(expect.arrayContaining(missing));

  // A person looks, and says so.
  const found = lines.map((line) => [
    missing.includes(names[line - 2] ?? '') ? '--missing' : '--there',
    String(line),
  ]);
  expect(await start(found.flat())).toMatchObject({ code: 0, out: '500 of 500 pets created.\n' });
  expect(stored().sort()).toEqual(names.toSorted());
  expect(await start()).toMatchObject({ code: 0 });
  expect(stored()).toHaveLength(500);
});

test('Ctrl+C lets the requests under way end, so that nothing is in doubt, and the next run goes on', async () => {
  const few = readFileSync(csv, 'utf8').split('\n').slice(0, 101);
  writeFileSync(csv, few.join('\n'));
  const { startAndSignal, start, stored } = await onPort();
  const first = await startAndSignal('SIGINT', 40);
  expect(first).toMatchObject({ code: 1 });
  expect(first.out).toContain('It ended early: Interrupted');
  expect(doubtful(first.out)).toEqual([]);
  expect(stored().length).toBeLessThan(60);
  expect(await start()).toMatchObject({ code: 0, out: '100 of 100 pets created.\n' });
  expect(stored().sort()).toEqual(names.slice(0, 100).sort());
});

test('a connection lost after the work was done leaves the row in doubt; one refused before it is sent again', async () => {
  writeFileSync(csv, 'name,categoryId,status\nRex,1,\nBello,2,sold\n');
  const { service, start, stored } = await onPort();
  service.faults.add({ operation: 'createPet', 'network-error': 'after', times: 2 });
  const lost = await start();
  expect(doubtful(lost.out)).toEqual([2, 3]);
  expect(lost.out).toContain('It ended early');
  await server?.close();
  expect((await start(['--missing', '2', '--there', '3'])).out).toContain('It ended early');
  expect(stored().sort()).toEqual(['Bello', 'Rex']);
  const [, ...events] = readFileSync(`${csv}.journal`, 'utf8').trim().split('\n');
  expect(events.slice(-2).map((line) => (JSON.parse(line) as { state: string }).state)).toEqual([
    'sending',
    'unsent',
  ]);
});

test('a row that the service does not accept is told with its reason, and the others go in', async () => {
  writeFileSync(
    csv,
    'name,categoryId,status\nRex,1,\n"Bello, the Old",many,\nLuna,2,eaten\n,,\nTom,3,sold\n',
  );
  const { start, stored } = await onPort();
  const { code, out } = await start();
  expect(code).toBe(1);
  expect(out).toMatch(
    /^2 of 5 pets created\.\nLine 3, Bello, the Old: not accepted\. .*\nLine 4, Luna: .*\nLine 5, : .*\n$/,
  );
  expect(stored().sort()).toEqual(['Rex', 'Tom']);
});

test('two imports of one file at a time, and a journal of another file, are refused', async () => {
  const { start, stored } = await onPort();
  writeFileSync(`${csv}.lock`, String(process.pid));
  expect(await start()).toMatchObject({
    code: 2,
    err: expect.stringMatching(`^Process ${process.pid} is importing this file.*\n$`) as string,
  });
  rmSync(`${csv}.lock`);
  writeFileSync(`${csv}.journal`, '{"subject":"something else"}\n');
  expect(await start()).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^.* belongs to another file or address.*\n$/) as string,
  });
  expect(stored()).toEqual([]);
});

test('a journal cut in the middle of a line is read up to there, and goes on below', () => {
  const path = join(folder, 'cut.journal');
  writeFileSync(path, '{"subject":"here"}\n{"row":0,"state":"sending"}\n{"row":0,"state":"crea');
  const journal = openJournal(path, 'here');
  expect(journal.stateOf(0)).toBe('sending');
  journal.record(1, 'sending');
  journal.close();
  expect(openJournal(path, 'here').stateOf(1)).toBe('sending');
});

test('the bar is drawn on a terminal, and not in a pipe', () => {
  for (const isTTY of [true, false]) {
    const written: string[] = [];
    const bar = progressBar({ isTTY, write: (text: string) => written.push(text) }, 4);
    bar.show(1);
    bar.note('waiting 3 s');
    bar.end();
    expect(written.join('').includes('1/4  waiting 3 s')).toBe(isTTY);
    expect(written.length).toBe(isTTY ? 3 : 0);
  }
});
