// What the program says: the mistakes on its command line, and its colours.
import { expect, test, vi } from 'vitest';
import { readOptions } from '../../../mocks/standalone/cli/options.js';
import { banner, help, paint } from '../../../mocks/standalone/cli/text.js';
import { readVerifyOptions } from '../../../mocks/standalone/verify/options.js';
import { createMockService, type Duration } from '../../../mocks/index.js';
import { startServed } from '../../support/served.js';

const escape = '\u001b[';

const plans =
  'PLAN is free, pro, business, enterprise, or requests a minute and a day: --key my-key=10/500.';
test.each([
  ['--prot 4010', 'There is no --prot. Did you mean --port?'],
  ['--SEED 4', 'There is no --SEED. Did you mean --seed?'],
  ['-p 80', 'There is no -p. Did you mean --port?'],
  ['-x', 'There is no -x.'],
  ['--port', '--port needs a value: --port N.'],
  ['--port --json', '--port needs a value: --port N.'],
  ['--json=yes', '--json takes no value.'],
  ['4010', '"4010" belongs to no option. Did you mean --port 4010?'],
  ['-- start', '"start" belongs to no option.'],
  ['verfy', '"verfy" belongs to no option. Did you mean the command verify?'],
  ['--port 0 verify', 'It stands first: petstore-mock verify ADDRESS'],
  ['https://a.example', 'Did you mean petstore-mock verify https://a.example?'],
  ['--port 70000', '--port takes a whole number from 0 to 65535'],
  ['--seed -1', 'takes a whole number from 0 to 10000000, or a JSON file of pets, not "-1".'],
  ['--limits none', '--limits takes on or off, not "none".'],
  ['--clock fast', '--clock takes system or virtual, not "fast".'],
  ['--allow-host http://x', '--allow-host takes a host name or an address without a port'],
  ['--latency 1e300', '--latency takes ms from 0 to 100 years, or a number with its unit'],
  ['--latency soon', 'such as 250ms or 2s, not "soon".'],
  ['--key mine=prro', `not "mine=prro". Did you mean mine=pro? ${plans}`],
  ['--key mine=0/5', `not "mine=0/5". ${plans}`],
  ['--key mine=5/9999999999999999', `not "mine=5/9999999999999999". ${plans}`],
  ['--key ümlaut=pro', `not "ümlaut=pro". ${plans}`],
  ...['mine', 'mine=', '=pro'].map((none) => [`--key ${none}`, '--key takes KEY=PLAN']),
] as [string, string][])('%s is answered with: %s', (line, words) => {
  expect(() => readOptions(line.split(' '))).toThrow(words);
});

test('a line without a mistake is read as it says', () => {
  const plan = { perMinute: 10, perDay: 500 };
  const line = '--port=0 --seed 3 --key c2VjcmV0==pro --key a=b=10/500 --clock virtual --json -h';
  expect(readOptions(line.split(' '))).toMatchObject({
    port: 0,
    seed: 3,
    key: [
      ['c2VjcmV0=', { plan: 'pro' }],
      ['a=b', { plan }],
    ],
    clock: 'virtual',
    json: true,
    help: true,
    version: false,
  });
});

test('a length of time is a number of ms, or a number with its unit, for the program as for the service', async () => {
  const values: Record<string, number> = {
    '250': 250,
    '250ms': 250,
    '0.5s': 500,
    '11m': 660_000,
    '2h': 7_200_000,
    '2d': 172_800_000,
  };
  for (const [text, ms] of Object.entries(values)) {
    expect(readOptions(['--latency', text]).latency).toBe(ms);
    const given = (Number.isNaN(Number(text)) ? text : Number(text)) as Duration;
    for (const latency of [given, [given, given] as const, () => given]) {
      const { fetch, clock } = createMockService({ clock: 'virtual', latency });
      const began = clock.now();
      await fetch('http://127.0.0.1/v1/pets');
      expect(clock.now() - began).toBe(ms);
    }
  }
  const timeout = (value: string) => readVerifyOptions(['https://a.example', '--timeout', value]);
  expect([timeout('5s').timeout, timeout('10000').timeout]).toEqual([5_000, 10_000]);
  expect(() => timeout('0')).toThrow('--timeout takes ms from 1 to 600000');
});

test('help and banner have colours on a terminal only, and none when NO_COLOR is set or the terminal is dumb', () => {
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'xterm');
  const service = createMockService({ seed: 2 });
  const said = (isTTY: boolean) =>
    help({ isTTY }) + banner(service, 'http://127.0.0.1:4010', { isTTY });
  const plain = said(false);
  expect(plain).not.toContain(escape);
  expect(plain).toContain('mock-enterprise  1,000,000 a minute, 1,000,000,000 a day');
  expect(said(true)).toContain(`${escape}1mExamples:`);
  expect(said(true)).toContain(`${escape}36mhttp://127.0.0.1:4010`);
  vi.stubEnv('NO_COLOR', '1');
  expect(said(true)).toBe(plain);
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'dumb');
  expect(said(true)).toBe(plain);
  expect(paint({ isTTY: true }, 'red', 'x')).toBe('x');
});

test('the control API accepts the examples of the help', async () => {
  const { service, url } = await startServed({ clock: 'virtual' });
  const examples = [
    ...help({}).matchAll(/-d '(.+)' \\\n +http:\/\/127\.0\.0\.1:4010(\/_mock\/\w+)$/gm),
  ];
  expect(examples.map(([, , path]) => path)).toEqual(['/_mock/clock', '/_mock/faults']);
  const headers = { 'Content-Type': 'application/json', Connection: 'close' };
  for (const [, body, path = ''] of examples)
    expect((await fetch(url + path, { method: 'POST', headers, body: body! })).ok).toBe(true);
  expect(service.clock.now()).toBe(Date.UTC(2026, 0, 1, 0, 1, 1));
  expect(service.faults.list().map(({ fault }) => fault)).toEqual([{ status: 503, times: 2 }]);
});
