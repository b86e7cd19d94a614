// Runs the program of docs/bulk.md, as somebody who has copied it, against a mock on a port.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { serveForImport } from '../support/served.js';
import { writeBlocks } from '../support/block-files.js';
import { blockWith, read } from '../support/documents.js';

const block = blockWith('docs/bulk.md', "from 'csv-parse/sync'");

const { argv, exitCode } = process;

afterEach(() => {
  Object.assign(process, { argv, exitCode });
});

/** A service on a port, and the program against it, with a file of this text. */
async function onPort(text: string | Buffer) {
  const csv = join(temporaryFolder(), 'pets.csv');
  writeFileSync(csv, text);
  const { service, url } = await serveForImport();
  const start = async (...flags: string[]) => {
    const said: string[] = [];
    const hear = (text: unknown) => said.push(String(text).trim());
    vi.spyOn(console, 'log').mockImplementation(hear);
    vi.spyOn(console, 'error').mockImplementation(hear);
    vi.stubEnv('PETSTORE_BASE_URL', url);
    vi.stubEnv('PETSTORE_API_KEY', 'quick');
    process.argv = ['node', 'import.mjs', csv, ...flags];
    process.exitCode = undefined;
    const [file] = writeBlocks([block]);
    const run = import(/* @vite-ignore */ file!.path) as Promise<object>;
    const failure = await run.then(() => undefined).catch((error: unknown) => String(error));
    return { said, failure, code: process.exitCode };
  };
  return { service, start };
}

test('the program in the guide is short enough to copy', () => {
  expect(block.code.split('\n').length).toBeLessThanOrEqual(35);
});

test('the options of the complete program are those that the guides name', () => {
  const optionsIn = (text: string) => [...new Set(text.match(/(?<= |`|\[)--[a-z-]+/g))].sort();
  const usage = /usage = `([^`]*)`/.exec(read('examples/bulk-import/arguments.mjs'))![1]!;
  const options = optionsIn(usage);
  expect(options).toEqual(
    ['across-days', 'created', 'find', 'mock', 'new', 'now', 'unsent'].map((name) => `--${name}`),
  );
  const [example = ''] = /^`examples\/bulk-import` [\s\S]*?^\| the file/m.exec(
    read('docs/bulk.md'),
  )!;
  expect(optionsIn(example).length).toBeGreaterThan(0);
  const readme = read('examples/README.md').split('\n');
  const row = readme.find((line) => line.startsWith('| [bulk-import]'))!;
  const section = readme.slice(readme.findIndex((line) => line.startsWith('The bulk import ')));
  for (const text of [example, row, section.join(' ')])
    for (const option of optionsIn(text)) expect(options).toContain(option);
});

test('the program adds the pets of a file once, with their statuses and large categories', async () => {
  const text =
    '\uFEFFname,categoryId,status\n"Rex, the\r\nOld",9007199254740993,\r\n\r\nZoë,2,sold\r\n';
  const { service, start } = await onPort(text);
  for (const _ of [1, 2])
    expect(await start()).toMatchObject({ said: ['2 of 2 pets are added.'], code: undefined });
  expect(service.pets.list()).toMatchObject([
    { name: 'Rex, the\r\nOld', categoryId: 9_007_199_254_740_993n, status: 'available' },
    { name: 'Zoë', categoryId: 2, status: 'sold' },
  ]);
});

test.each([
  ['name,categoryId,age\nRex,1,3\n', /./],
  ['name,categoryId\nTom\n', /./],
  ['name,name,categoryId\nTom,Rex,1\n', /row 1 .*: name must be a string/],
  [Buffer.from('name,categoryId\nZoë,1\n', 'latin1'), /is not UTF-8/],
])('the program refuses the file %j', async (text, message) => {
  const { service, start } = await onPort(text);
  expect((await start()).failure).toMatch(message);
  expect(service.requests).toHaveLength(0);
});

test('the program prints the rows that are rejected or unknown, and sends none of them again', async () => {
  const { service, start } = await onPort('name,categoryId\nRex,1\n\n"Bella\nB",2\nTom,3\n');
  const sequence = ['pass', { status: 400 }, { 'network-error': 'after' }] as const;
  service.faults.add({ operation: 'createPet', sequence });
  const { said, code } = await start();
  expect(code).toBe(1);
  expect(said).toEqual([
    '1 of 3 pets are added.',
    expect.stringMatching(/^line [256]: rejected: .*400/),
    expect.stringMatching(/^line [256]: unknown: .*\. The pet may exist$/),
  ]);
  expect(await start()).toMatchObject({ said, code: 1 });
  expect(service.requests).toHaveLength(3);
});

test('the program ends when the quota of the day is used up, and says when to start it again', async () => {
  const { service, start } = await onPort('name,categoryId\nRex,1\nBella,2\n');
  service.keys.get('quick').setRemaining('day', 1);
  const { said, code } = await start();
  expect(code).toBe(1);
  expect(said).toEqual([
    '1 of 2 pets are added.',
    expect.stringMatching(/^Rows that are not sent: 1\. .*quota of the day.*run again/),
  ]);
  expect((await start()).said[1]).toMatch(/the service told an earlier run to wait/);
  expect((await start('--now')).said[1]).toMatch(/the key is held/);
  expect((await start('--find')).failure).toMatch(/--find/);
});
