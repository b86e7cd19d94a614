// Runs the program of docs/bulk.md, as somebody who has copied it, against a mock on a port.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MockServiceOptions } from '../../mocks/index.js';
import type { MockHttpServer } from '../../mocks/server.js';
import { serveForImport } from '../support/import-service.js';
import { writeBlocks } from '../support/block-files.js';
import { allBlocks } from '../support/documents.js';

const block = allBlocks().find(
  ({ at, language }) => at.startsWith('docs/bulk.md') && language === 'js',
)!;

let folder: string;
let csv: string;
let server: MockHttpServer | undefined;
const before = {
  argv: process.argv,
  exitCode: process.exitCode,
  sigint: process.listeners('SIGINT'),
  uncaught: process.listeners('uncaughtException'),
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bulk-script-'));
  csv = join(folder, 'pets.csv');
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.argv = before.argv;
  process.exitCode = before.exitCode;
  for (const listener of process.listeners('SIGINT'))
    if (!before.sigint.includes(listener)) process.off('SIGINT', listener);
  for (const listener of process.listeners('uncaughtException'))
    if (!before.uncaught.includes(listener)) process.off('uncaughtException', listener);
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A service on a port, and the program against it. */
async function onPort(options: MockServiceOptions = {}) {
  const served = await serveForImport(options);
  server = served.server;
  const { service } = served;
  const { url } = server;
  const start = async (...args: string[]) => {
    const said: string[] = [];
    const hear = (text: unknown) => said.push(String(text).trim());
    vi.spyOn(console, 'log').mockImplementation(hear);
    vi.spyOn(console, 'error').mockImplementation(hear);
    const progress: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      progress.push(String(text));
      return true;
    });
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });
    vi.stubEnv('PETSTORE_BASE_URL', url);
    vi.stubEnv('PETSTORE_API_KEY', 'quick');
    process.argv = ['node', 'import.mjs', csv, ...args];
    process.exitCode = undefined;
    const { folder: blocks, files } = writeBlocks([block]);
    const failure: string | undefined = await import(/* @vite-ignore */ files[0]!.path).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
    rmSync(blocks, { recursive: true });
    return { said, progress, failure, code: process.exitCode };
  };
  return { service, start };
}

test('the program in the guide is short enough to copy', () => {
  expect(block.code.split('\n').length).toBeLessThanOrEqual(120);
});

test('the options of the larger program are those that its head and the guides name', () => {
  const optionsIn = (text: string) => [...new Set(text.match(/(?<= |`|\[)--[a-z-]+/g))].sort();
  const read = (path: string) => readFileSync(path, 'utf8');
  const usage = /usage =\s*'([^']*)'/.exec(read('examples/bulk-import/arguments.mjs'))![1]!;
  const options = optionsIn(usage);
  expect(options).toEqual(
    ['across-days', 'created', 'find', 'mock', 'now', 'unsent'].map((name) => `--${name}`),
  );
  const [head = ''] = read('examples/bulk-import/import.mjs').split('import {');
  expect(optionsIn(head)).toEqual(options);
  const [example = ''] = /^`examples\/bulk-import` .*$/m.exec(read('docs/bulk.md'))!;
  expect(optionsIn(example).length).toBeGreaterThan(0);
  const readme = read('examples/README.md').split('\n');
  const row = readme.find((line) => line.startsWith('| [bulk-import]'))!;
  const section = readme.slice(readme.findIndex((line) => line.startsWith('The bulk import ')));
  for (const text of [example, row, section.join(' ')])
    for (const option of optionsIn(text)) expect(options).toContain(option);
});

test('the program adds the pets of a file once, with their statuses and large categories', async () => {
  writeFileSync(
    csv,
    '\uFEFFname,categoryId,status\r\n"Rex, the\r\nOld",9007199254740993,\r\n\r\nZoë,2,sold\r\n',
  );
  const { service, start } = await onPort({ seed: 0 });
  for (const _ of [1, 2])
    expect(await start()).toMatchObject({ said: ['2 of 2 pets are added.'], code: undefined });
  expect(service.pets.list()).toMatchObject([
    { name: 'Rex, the\r\nOld', categoryId: 9_007_199_254_740_993n, status: 'available' },
    { name: 'Zoë', categoryId: 2, status: 'sold' },
  ]);
});

test('the program names the lines of wrong rows, and sends nothing', async () => {
  writeFileSync(csv, 'name,categoryId\r\n"a\r\n\r\nb",1\r\n\r\nTom,x\r\nLuna,\r\n');
  const { service, start } = await onPort();
  const { said, failure } = await start();
  expect(failure).toBe('exit 2');
  expect(said).toEqual([
    expect.stringMatching(/^line 6: categoryId must be an integer.*; the cell is x$/),
    'line 7: categoryId is required: an integer (int64); the cell is empty',
  ]);
  expect(service.requests).toHaveLength(0);
});

test.each([
  [
    'name;categoryId\nRex;1\n',
    /columns must be name,categoryId,status, with commas\. They are: name;/,
  ],
  ['name,categoryId,age\nRex,1,3\n', /They are: name,categoryId,age/],
  ['name;categoryId\n"Rex";1\n', /columns must be .* They are: name;categoryId/],
  ['name,name,categoryId\nRex,Max,1\n', /columns must be/],
  ['', /columns must be/],
  [
    'name,categoryId\r\n"a\r\nb",1\nTom\nMax,1,sold\n',
    /^line 4: 1 cells, but 2 columns\nline 5: 3 cells, but 2 columns$/,
  ],
  [
    'name,categoryId\r\n"a\r\nb",1\r\n"Rex,1\r\n',
    /^the row that begins on line 4: Quote Not Closed$/,
  ],
])('the program refuses the file %j', async (text, message) => {
  writeFileSync(csv, text);
  expect((await (await onPort()).start()).failure).toMatch(message);
});

test('the program refuses a Latin-1 file', async () => {
  writeFileSync(csv, Buffer.from('name,categoryId\nZoë,1\n', 'latin1'));
  expect((await (await onPort()).start()).failure).toMatch(/is not UTF-8/);
});

test('a copy of the file is not imported once more', async () => {
  writeFileSync(csv, 'name,categoryId\nRex,1\n');
  const { service, start } = await onPort({ seed: 0 });
  await start();
  csv = join(folder, 'pets-final.csv');
  writeFileSync(csv, 'name,categoryId\nRex,1\n');
  expect((await start()).failure).toMatch(/^pets\.csv\.127.*Rename it to pets-final\.csv\.127/);
  expect(service.pets.size).toBe(1);
  expect((await start('new')).said).toEqual(['1 of 1 pets are added.']);
});

test.each(['foo', '9=created', '2=maybe', '2=0'])('the decision %s is refused', async (word) => {
  writeFileSync(csv, 'name,categoryId\nRex,1\n');
  const { service, start } = await onPort();
  expect((await start(word)).failure).toMatch(/give the line of a row and what became of it/);
  expect(service.requests).toHaveLength(0);
});

test('the program ends in order when the quota is used up before the search for a pet', async () => {
  writeFileSync(csv, 'name,categoryId\nRex,1\nBella,2\n');
  const { service, start } = await onPort({ seed: 0 });
  // One request is the look for equal pets.
  service.keys.get('quick').setRemaining('day', 3);
  const sequence = [{ 'network-error': 'after' }, 'pass'] as const;
  service.faults.add({ operation: 'createPet', sequence });
  const { said, failure, code } = await start();
  expect([failure, code]).toEqual([undefined, 1]);
  expect(said.at(-1)).toMatch(/^The search for pets of unknown rows ended.*quota of the day/);
});

test('where ids are random, the program says that pets cannot be found by their ids', async () => {
  writeFileSync(csv, 'name,categoryId\nRex,1\nBella,2\nTom,3\n');
  const { service, start } = await onPort({ seed: 0, assumptions: { idAssignment: 'random' } });
  const sequence = ['pass', 'pass', { 'network-error': 'after' }] as const;
  service.faults.add({ operation: 'createPet', sequence });
  const { said } = await start();
  expect(said.at(-1)).toMatch(
    /^The search for pets of unknown rows ended: .* cannot be found this way: look at the service/,
  );
});

test('the progress says that it waits for the limit until the limit is known, and ends its line', async () => {
  writeFileSync(csv, 'name,categoryId\nRex,1\nBella,2\n');
  const { start } = await onPort({ seed: 0 });
  const { progress, said } = await start();
  expect(progress[0]).toMatch(/^\r0 of 2, waits for the limit +$/);
  expect(progress.join('')).not.toContain('?');
  expect(progress.at(-1)).toBe('\n');
  expect(said).toEqual(['2 of 2 pets are added.']);
});

test('a decision on a row that is not unknown is refused', async () => {
  writeFileSync(csv, 'name,categoryId\nRex,1\n');
  const { service, start } = await onPort();
  expect((await start('2=created')).failure).toMatch(/^line 2: what became of this row is known/);
  expect(service.requests).toHaveLength(0);
});

test('with a new journal, the program stops if the service lists pets of the file', async () => {
  writeFileSync(csv, 'name,categoryId,status\nRex,1,sold\nBella,2,\n');
  const { service, start } = await onPort({ seed: 0 });
  service.pets.add({ id: 7n, name: 'Bella', categoryId: 2, status: 'sold' });
  expect((await start()).failure).toMatch(
    /^the service has pets of this file, such as Bella \(7\)/,
  );
  expect(service.requests).toHaveLength(1);
  expect((await start('new')).said).toEqual(['2 of 2 pets are added.']);
  // Now the journal has the rows: no further look.
  const requests = service.requests.length;
  expect((await start()).said).toEqual(['2 of 2 pets are added.']);
  expect(service.requests).toHaveLength(requests);
});

test('rejected rows are in a file with their reasons, which the program can import', async () => {
  writeFileSync(csv, 'name,categoryId\n"Rex ""the, Old""",1\nBella,2\n');
  const { service, start } = await onPort({ seed: 0 });
  service.faults.add({ operation: 'createPet', status: 400, times: 2 });
  expect((await start()).code).toBe(1);
  csv = `${csv}.rejected.csv`;
  expect(readFileSync(csv, 'utf8')).toMatch(
    /^"name","categoryId","status","reason"\n"Rex ""the, Old""","1","",".*400.*"\n"Bella",/,
  );
  expect((await start('new')).said).toEqual(['2 of 2 pets are added.']);
  expect(service.pets.list().map(({ name }) => name)).toEqual(['Rex "the, Old"', 'Bella']);
});

test('a start that is too early sends nothing, unless the word now is given', async () => {
  writeFileSync(csv, 'name,categoryId\nRex,1\nBella,2\n');
  const { service, start } = await onPort({ seed: 0, clock: 'virtual' });
  service.keys.get('quick').setRemaining('day', 2);
  expect((await start()).said[0]).toBe('1 of 2 pets are added.');
  service.clock.advance('1d');
  const requests = service.requests.length;
  expect((await start()).said.at(-1)).toMatch(
    /^rows that are not sent: 1\. an earlier run was told/,
  );
  expect(service.requests).toHaveLength(requests);
  expect((await start('now')).said.at(-1)).not.toMatch(/an earlier run/);
});

test('the program finds a pet behind a lost response, and closes rows that are decided', async () => {
  writeFileSync(csv, 'name,categoryId\nRex,1\nBella,2\nTom,3\nLuna,4\n');
  const { service, start } = await onPort({ seed: 0 });
  service.faults.add({
    operation: 'createPet',
    sequence: ['pass', { 'network-error': 'after' }, { status: 503 }, { status: 400 }],
  });
  const first = await start();
  expect(first.code).toBe(1);
  const [, rejected] = /^line (\d): rejected: .*fix the row$/.exec(first.said[1]!)!;
  const unknown = first.said.flatMap((text) => /^line (\d): unknown: /.exec(text)?.[1] ?? []);
  const found = first.said.flatMap((text) => /: found: (.*)$/.exec(text)?.[1] ?? []);
  expect(unknown).toHaveLength(2);
  expect(found).toHaveLength(1);
  const lost = unknown.find((line) => !found[0]!.startsWith(`${line}=`))!;
  expect(first.said).toContain(`line ${lost}: not found, but the pet may exist`);
  expect(first.said.join('\n')).toContain(`${lost}=ID, ${lost}=created or ${lost}=unsent`);
  // The rejected row is corrected in the file.
  const lines = readFileSync(csv, 'utf8').split('\n');
  lines[Number(rejected) - 1] = `${lines[Number(rejected) - 1]!}1`;
  writeFileSync(csv, lines.join('\n'));
  const second = await start(found[0]!, `${lost}=unsent`);
  expect(second).toMatchObject({ said: ['4 of 4 pets are added.'], code: undefined });
  expect(
    service.pets
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['Bella', 'Luna', 'Rex', 'Tom']);
});
