// @ts-nocheck
// The example in another language: needs python3, and nothing that is installed by a package manager of Python.
import { expect, test } from 'vitest';
import { example } from '../../support/example.js';
import { runProgram } from '../../support/programs.js';
import { useProgram } from '../../support/standalone.js';

const { start } = useProgram();

test('the Python example tests a client in three worlds at once: rate limit, faults, snapshot', async () => {
  const { url } = await start('--clock', 'virtual');
  const { code, out, err } = await runProgram('python3', [example('python/pets.py'), url]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(
    /^check_rate_limit: waits until the minute is over\ncheck_outage: sees 2 failures, then an answer\ncheck_exhausted_key: goes on the next day\n401 invalid_api_key: .*\n$/,
  );
  expect(await (await fetch(`${url}/_mock/worlds`)).json()).toEqual([
    { name: '', pets: 20, requests: 1 },
  ]);
});
