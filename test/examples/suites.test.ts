// The example suites, run by the test runners they are written for.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { chromiumOptions } from '../support/chromium.js';
import { example, runTool } from '../support/example.js';

/** The example itself must fail when what it tests is broken; here it counts that its tests have run, all of them. */
test('the Vitest suite passes: six tests', async () => {
  const { code, out, err } = await runTool(
    resolve('node_modules/vitest/vitest.mjs'),
    ['run'],
    example('vitest'),
  );
  expect(`${out}${err}`).toMatch(/Tests\s+6 passed \(6\)/);
  expect(code).toBe(0);
});

test('the Playwright suite passes in Chromium: three tests', async () => {
  const env = { CHROMIUM: chromiumOptions.executablePath };
  const { code, out, err } = await runTool(
    resolve('node_modules/playwright/cli.js'),
    ['test'],
    example('playwright'),
    env,
  );
  expect(`${out}${err}`).toMatch(/3 passed/);
  expect(code).toBe(0);
}, 90_000);

test('the TypeScript of the examples has no type errors', async () => {
  const compiler = resolve('node_modules/typescript7/bin/tsc');
  const checked = ['vitest', 'web-app'].map((name) =>
    runTool(compiler, ['--project', example(name)], example(name)),
  );
  for (const { code, out } of await Promise.all(checked))
    expect({ code, out }).toEqual({ code: 0, out: '' });
});
