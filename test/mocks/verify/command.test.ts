// `petstore-mock verify` as it is shipped, against `petstore-mock` on a port.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMockService, readAssumptions } from '../../../mocks/index.js';
import { cases } from '../../../mocks/verify/cases/index.js';
import type { VerifyReport } from '../../../mocks/verify/index.js';
import {
  measurableOf,
  toAssumptions,
  type Measurable,
} from '../../../mocks/verify/earlier-names.js';
import { checkSelection } from '../../../mocks/verify/selection.js';
import { useProgram } from '../../support/standalone.js';

const { folder, program, env, start } = useProgram();

/** Runs `petstore-mock verify` with the key in the environment, and `stdin` where one is given. */
function verify(args: readonly string[], { key = 'mock-free', stdin = '' } = {}) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(process.execPath, [program, 'verify', ...args], {
      env: { ...env, PETSTORE_API_KEY: key },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
    child.stdin.end(stdin);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}
/** What takes no waiting: everything but the windows. */
const quick = [
  '--only',
  'reach,list,get,auth,answer,error,invalidLimit,unknownQuery,storeOrders,codes',
];

async function startWith(assumptions: Measurable) {
  const file = join(folder, 'planted.json');
  writeFileSync(file, JSON.stringify(toAssumptions(assumptions)));
  return start('--assumptions', file, '--seed', '30');
}

test('it prints a report, writes what was measured, and the mock gives the same responses with the file', async () => {
  const { url } = await startWith({ invalidLimit: 422, unknownQuery: 'reject' });
  const file = join(folder, 'measured.json');
  const { code, out, err } = await verify([url, ...quick, '--write', file]);
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('Every statement that could be judged holds. Exit 0.'),
  ]);
  expect(out).toMatch(/= invalidLimit +422 {2}certain; the mock by default: 400/);
  expect(out).toMatch(/The mock with the measured values gives the same \d+ responses\./);
  expect(err).toMatch(/measured\.json was written/);
  const { assumptions } = createMockService({
    assumptions: readAssumptions(readFileSync(file, 'utf8')),
  });
  expect(assumptions.answers).toMatchObject({
    limitBelow: { status: 422 },
    unknownQuery: { status: 400 },
  });

  const again = await verify([url, ...quick, '--write', file, '--check', file]);
  expect([again.code, again.err]).toEqual([0, expect.stringContaining('no value changed')]);
});

test('--check makes a value that has changed exit code 1, in text and JUnit', async () => {
  const { url } = await startWith({ invalidLimit: 'clamp' });
  const [file, junit] = [join(folder, 'before.json'), join(folder, 'out.xml')];
  writeFileSync(
    file,
    '{ "answers": { "limitAbove": { "status": 400 } }, "minuteWindow": "sliding" }',
  );
  const { code, out } = await verify([url, ...quick, '--check', file, '--junit', junit]);
  expect(code).toBe(1);
  expect(out).toContain('✗ invalidLimit  was 400, is clamp');
  expect(readFileSync(junit, 'utf8')).toMatch(
    /failures="1".*[\s\S]*drift: was 400, is &quot;clamp&quot;/,
  );
});

test('--write keeps the values that a smaller run does not ask for, and replaces the others', async () => {
  const { url } = await startWith({ invalidLimit: 422, unknownQuery: 'reject' });
  const file = join(folder, 'kept.json');
  const valuesOf = (text: string) => measurableOf(readAssumptions(text));
  await verify([url, '--only', 'invalidLimit,unknownQuery', '--write', file]);
  const before = readFileSync(file, 'utf8');
  expect(valuesOf(before)).toMatchObject({ invalidLimit: 422, unknownQuery: 'reject' });

  writeFileSync(file, before.replaceAll('"status":422', '"status":400'));
  const { err } = await verify([url, '--only', 'invalidLimit', '--write', file]);
  expect(err).toMatch(/kept\.json was written: \d+ assumptions, \d+ of them kept from before/);
  expect(readFileSync(file, 'utf8').replace(/"measuredAt".*/, '')).toBe(
    before.replace(/"measuredAt".*/, ''),
  );

  writeFileSync(file, before.replaceAll('http://127.0.0.1', 'http://127.0.0.2'));
  await verify([url, '--only', 'invalidLimit', '--write', file]);
  expect(Object.keys(valuesOf(readFileSync(file, 'utf8')))).not.toContain('unknownQuery');
});

test('--write leaves a file alone that holds something else', async () => {
  const file = join(folder, 'notes.txt');
  writeFileSync(file, 'not JSON');
  const { code, err } = await verify(['https://a.example', '--write', file]);
  expect([code, err]).toEqual([2, expect.stringContaining('is no file of assumptions')]);
  expect(readFileSync(file, 'utf8')).toBe('not JSON');
});

test('a statement that fails is exit code 1, and nothing is written unless forced', async () => {
  const { url } = await startWith({ resetUnit: 'absent' });
  const file = join(folder, 'not-written.json');
  const { code, out, err } = await verify([url, ...quick, '--write', file]);
  expect([code, existsSync(file)]).toEqual([1, false]);
  expect(out).toMatch(/✗ answer\.rate-limit-headers .*no number in X-RateLimit-Reset/);
  expect(err).toContain('not-written.json was not written: a statement fails');
  await verify([url, ...quick, '--write', file, '--force']);
  expect(existsSync(file)).toBe(true);
});

test('--json prints the report, and --record keeps the requests, without the key', async () => {
  const { url } = await start('--seed', '3');
  const file = join(folder, 'recording.json');
  const { code, out } = await verify([url, ...quick, '--json', '--record', file, '-q']);
  expect(code).toBe(0);
  const report = JSON.parse(out) as VerifyReport;
  expect(report.statements['reach']!.verdict).toBe('holds');
  expect(out + readFileSync(file, 'utf8')).not.toContain('mock-free');
});

test('--dry-run prints the requests, sends nothing, and needs no key', async () => {
  const { url } = await start();
  const { code, out } = await verify([url, '--dry-run', '--allow-posts'], { key: '' });
  expect([code, out]).toEqual([0, expect.stringContaining('GET /pets?limit=101')]);
  expect(out).toContain('POST /pets with {"categoryId":1}');
  const requests = [...out.matchAll(/^ {6}(\S.*)$/gm)].map(([, request]) => request);
  expect(new Set(requests).size).toBe(requests.length);
  expect(out).toContain(`Would send ${requests.length} requests to ${url}.`);
  const journal = (await (await fetch(`${url}/_mock/requests`)).json()) as unknown;
  expect(JSON.stringify(journal)).not.toContain('/v1/pets');
});

test('the key may come from stdin, with the second key in the second line', async () => {
  const { url } = await start();
  const { code, out } = await verify(
    [url, '--key-stdin', '--second-key', '--only', 'reach,countingScope', '--json'],
    { key: '', stdin: 'mock-pro\nmock-business\n' },
  );
  expect(code).toBe(0);
  expect(out).not.toMatch(/mock-pro|mock-business/);
});

test.for<[readonly string[], string, RegExp]>([
  [[], 'mock-free', /verify needs the address of the service/],
  [['http://a.example', 'http://b.example'], 'mock-free', /takes one address, not 2/],
  [['https://a.example', '--alow-posts'], 'mock-free', /Did you mean --allow-posts\?/],
  [['https://a.example', '--max-requests', '0'], 'mock-free', /whole number from 1 to 1000/],
  [['https://a.example'], '', /there is no API key: set PETSTORE_API_KEY/],
  [['http://a.example'], 'mock-free', /^petstore-mock: ADDRESS must be https/],
  [
    ['https://a.example', '--check', '/nowhere.json'],
    'mock-free',
    /--check \/nowhere\.json: ENOENT/,
  ],
  [
    ['https://a.example', '--only', 'nonsense'],
    '',
    /--only: no .* is named "nonsense".* The groups: /,
  ],
  [['https://a.example', '--only', 'z'.repeat(40)], '', /zzz"\. The groups: /],
  [
    ['https://a.example', '--only', 'invalidLimit,lst'],
    'mock-free',
    /Did you mean list\? The groups: /,
  ],
  [['https://a.example', '--base-path', 'v1'], 'mock-free', /--base-path must be a path/],
  [['https://a.example', '--only', 'list', '--only', 'lst', '--dry-run'], '', /"lst"/],
  [['http://a.example', '--dry-run'], '', /ADDRESS must be https/],
  [['https://a.example', '--key-stdin'], 'mock-free', /stdin holds no key/],
  [['https://a.example', '--only', 'limit'], 'mock-free', /nothing .* --allow-rate-limit/],
  [['https://a.example', '--only', 'environments', '--dry-run'], '', /nothing that it names/],
  [['https://a.example', '--write', 'a.json', '--record', './a.json'], 'mock-free', /same file/],
  [['https://a.example', '--second-key'], 'mock-free', /set PETSTORE_SECOND_API_KEY/],
])(
  'the command line %j is a mistake: exit code 2, and what to do',
  async ([args, key, message]) => {
    const { code, err } = await verify(args, { key });
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect(err).toContain('petstore-mock verify --help');
  },
);

test('a service that is not there is exit code 3', async () => {
  const { code, out } = await verify(['http://127.0.0.1:65533']);
  expect([code, out]).toEqual([3, expect.stringMatching(/reach +.*ECONNREFUSED/)]);
});

test('--list prints every name that --only takes, and needs no address and no key', async () => {
  const { code, out } = await verify(['--list'], { key: '' });
  expect(code).toBe(0);
  for (const { id } of cases) expect(out).toContain(`\n  ${id.replace('assumption.', '')} `);
  const names = [...out.matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name!);
  expect(() => checkSelection(names)).not.toThrow();
});

test('a file that cannot be written is a mistake on the command line, before anything is sent', async () => {
  for (const flag of ['--write', '--record', '--junit'])
    for (const path of [join(folder, 'nowhere', 'out.json'), folder]) {
      const { code, err } = await verify(['https://a.example', flag, path]);
      expect([code, err]).toEqual([2, expect.stringContaining(flag)]);
    }
});

test('a file that is no recording is not replaced by --record, and a recording is', async () => {
  const notes = join(folder, 'notes.txt');
  writeFileSync(notes, 'precious');
  const { code, err } = await verify(['https://a.example', '--record', notes]);
  expect([code, err]).toEqual([2, expect.stringContaining('is no recording')]);
  expect(readFileSync(notes, 'utf8')).toBe('precious');
  const { url } = await startWith({});
  const again = ['--only', 'list.default-20', '--record', join(folder, 'twice.json')];
  for (let run = 0; run < 2; run++) expect((await verify([url, ...again])).code).toBe(0);
});

test('a value that differs from --check is not written over the file, but with --force', async () => {
  const file = join(folder, 'checked.json');
  const args = ['--only', 'invalidLimit', '--check', file, '--write', file];
  await verify([
    (await startWith({ invalidLimit: 400 })).url,
    ...args.slice(0, 2),
    '--write',
    file,
  ]);
  const before = readFileSync(file, 'utf8');
  const { url } = await startWith({ invalidLimit: 422 });
  const { code, err } = await verify([url, ...args]);
  expect([code, err]).toEqual([1, expect.stringContaining('a value differs from --check')]);
  expect(readFileSync(file, 'utf8')).toBe(before);
  await verify([url, ...args, '--force']);
  expect(readFileSync(file, 'utf8')).toContain('"status":422');
});

test('an edited file with evidence of a name that is no assumption is written again', async () => {
  const { url } = await startWith({ invalidLimit: 422 });
  const file = join(folder, 'edited.json');
  const only = ['--only', 'invalidLimit', '--write', file];
  await verify([url, ...only]);
  const text = readFileSync(file, 'utf8').replaceAll('"status":422', '"status":400');
  writeFileSync(file, text.replace('"beyond": {}', '"beyond": { "nonsense": "by hand" }'));
  const { code, err } = await verify([url, ...only]);
  expect([code, err]).toEqual([0, expect.stringContaining('edited.json was written')]);
});

test('files are written also when nobody reads the report', async () => {
  const { url } = await start('--seed', '3');
  const file = join(folder, 'unread.json');
  const child = spawn(process.execPath, [program, 'verify', url, ...quick, '--record', file], {
    env: { ...env, PETSTORE_API_KEY: 'mock-free' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, err, existsSync(file)]).toEqual([0, '', true]);
});

test('--help says what is sent, what it costs and what the exit codes mean, in 90 columns', async () => {
  const { code, out } = await verify(['--help']);
  expect(code).toBe(0);
  for (const part of ['PETSTORE_API_KEY', '--allow-create', 'Exit code:', '--dry-run'])
    expect(out).toContain(part);
  expect(out.split('\n').filter((line) => line.length > 90)).toEqual([]);
});
