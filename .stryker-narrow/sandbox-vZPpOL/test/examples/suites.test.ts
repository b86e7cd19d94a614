// @ts-nocheck
// The example suites, run by the test runners they are written for.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { chromiumOptions } from '../support/chromium.js';
import { example, runTool } from '../support/example.js';

/** The example itself must fail when what it tests is broken; here it counts that its tests have run, all of them. */
test.each([
  ['vitest', 'vitest/vitest.mjs', 'run', /Tests\s+6 passed \(6\)/],
  ['playwright', 'playwright/cli.js', 'test', /3 passed/],
])('the suite of the example %s passes, with all its tests', async (name, tool, command, says) => {
  const env = { CHROMIUM: chromiumOptions.executablePath };
  const ended = await runTool(resolve('node_modules', tool), [command], example(name), env);
  expect(`${ended.out}${ended.err}`).toMatch(says);
  expect(ended.code).toBe(0);
});

test('the TypeScript of the examples has no type errors', async () => {
  const compiler = resolve('node_modules/typescript7/bin/tsc');
  const checked = ['vitest', 'web-app'].map((name) =>
    runTool(compiler, ['--project', example(name)], example(name)),
  );
  for (const { code, out } of await Promise.all(checked))
    expect({ code, out }).toEqual({ code: 0, out: '' });
});
