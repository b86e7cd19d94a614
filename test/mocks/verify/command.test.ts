// `petstore-mock verify` in process: its command line, its files, and what it prints.
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { createMockService, readAssumptions, type GivenAssumptions } from '../../../mocks/index.js';
import { UsageError } from '../../../mocks/standalone/cli/flags.js';
import { runVerify } from '../../../mocks/standalone/verify/command.js';
import { verifyHelp } from '../../../mocks/standalone/verify/help.js';
import { readVerifyOptions } from '../../../mocks/standalone/verify/options.js';
import { knownNames } from '../../../mocks/verify/selection.js';
import type { VerifyReport } from '../../../mocks/verify/index.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startServed } from '../../support/served.js';
import { rejection } from '../../support/world.js';

const folder = temporaryFolder();
let [out, err] = ['', ''];

beforeEach(() => {
  [out, err] = ['', ''];
  vi.stubEnv('PETSTORE_API_KEY', 'mock-free');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((err += String(text))));
});

const verify = (...args: string[]) => runVerify(readVerifyOptions(args));
/** What takes no waiting: everything but the counting. */
const quick = ['--only', 'reach,list,get,auth,answer,error,answers', '--quiet'];

const startWith = async (assumptions: GivenAssumptions) =>
  (await startServed({ seed: 30, assumptions })).url;

test('it prints a report, writes what was measured, and compares with it later', async () => {
  const file = join(folder, 'measured.json');
  const url = await startWith({ answers: { limitBelow: { status: 422 } } });
  expect(await verify(url, ...quick, '--write', file)).toBe(0);
  expect(out).toMatch(
    /Every statement that was judged holds\. Exit 0\.\nBy default the mock differs here in: answers\.limitBelow\n$/,
  );
  expect(err).toMatch(/measured\.json was written/);
  const { answers } = createMockService({
    assumptions: readAssumptions(readFileSync(file, 'utf8')),
  }).assumptions;
  expect(answers.limitBelow).toMatchObject({ status: 422 });

  expect(await verify(url, ...quick, '--check', file)).toBe(0);
  const changed = await startWith({});
  const before = readFileSync(file, 'utf8');
  expect(await verify(changed, ...quick, '--check', file, '--write', file)).toBe(1);
  expect(err).toContain('not written: a value differs from --check');
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a statement that fails is exit code 1, --json prints the report, and the key is in none', async () => {
  const url = await startWith({ resetUnit: 'absent' });
  expect(await verify(url, ...quick, '--json')).toBe(1);
  const report = JSON.parse(out) as VerifyReport;
  expect(report.statements['answer.rate-limit-headers']!.verdict).toBe('fails');
  expect(out + err).not.toContain('mock-free');
});

test('--dry-run prints the requests, sends nothing, and needs no key', async () => {
  vi.stubEnv('PETSTORE_API_KEY', '');
  const url = await startWith({});
  expect(await verify(url, '--dry-run', '--allow-posts')).toBe(0);
  expect(out).toContain('GET /pets?limit=101');
  expect(out).toContain('POST /pets with {"categoryId":1}');
  expect(out).not.toContain('petstore-verify","categoryId":9007199254740993');
});

test('--list prints every name that --only takes, and needs no address', async () => {
  expect(await verify('--list')).toBe(0);
  for (const name of knownNames) expect(out).toMatch(new RegExp(`^${name}( |$)`, 'm'));
});

test('a service that is not there is exit code 2', async () => {
  expect(await verify('http://127.0.0.1:65533')).toBe(2);
  expect(out).toMatch(/could not be asked: GET \/pets got no response: .*ECONNREFUSED/);
});

test('an existing file that holds something else is left alone', async () => {
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'not JSON');
  await expect(verify('https://a.example', '--write', file)).rejects.toThrow(/--write .*not JSON/);
  expect(readFileSync(file, 'utf8')).toBe('not JSON');
});

test.for<[readonly string[], RegExp]>([
  [[], /verify needs the address of the service/],
  [['http://a.example', 'http://b.example'], /takes one address, not 2/],
  [['https://a.example', '--alow-posts'], /Did you mean --allow-posts\?/],
  [['https://a.example', '--max-requests', '0'], /whole number from 1 to 1000/],
  [['http://a.example', '--dry-run'], /^ADDRESS must be https/],
  [['https://a.example', '--check', '/none.json'], /--check \/none\.json: there is no such file/],
  [['https://a.example', '--write', '/nowhere/out.json'], /--write .* cannot be written: ENOENT/],
  [['https://a.example', '--write', tmpdir()], /--write .*: EISDIR/],
  [['https://a.example', '--only', 'listOrder,lst'], /--only: .* Did you mean list\? The groups: /],
  [['https://a.example', '--only', 'list', '--only', 'lst', '--dry-run'], /"lst"/],
  [['https://a.example', '--base-path', 'v1'], /--base-path must be a path/],
  [['https://a.example', '--only', 'limit'], /nothing .* --allow-rate-limit/],
  [['https://a.example', '--only', 'dayWindow'], /nothing .* no answer shows it/],
  [['https://a.example', '--second-key'], /set PETSTORE_SECOND_API_KEY/],
  [['https://a.example'], /there is no API key: set PETSTORE_API_KEY/],
])('the command line %j is a mistake, with what to do', async ([args, message]) => {
  if (!args.includes('--second-key')) vi.stubEnv('PETSTORE_API_KEY', '');
  const failure = await rejection(
    Promise.resolve().then(() => verify(...args)),
    UsageError,
  );
  expect(failure.message).toMatch(message);
});

test('--help says what is sent, what it costs and what the exit codes mean, in 90 columns', () => {
  const help = verifyHelp({});
  for (const part of ['PETSTORE_API_KEY', '--allow-create', 'Exit code:', '--dry-run'])
    expect(help).toContain(part);
  expect(help.split('\n').filter((line) => line.length > 90)).toEqual([]);
});
