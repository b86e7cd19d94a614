import { globSync, readFileSync } from 'node:fs';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { define } from './scripts/dashboard.mjs';
import { chromiumOptions } from './test/support/chromium.js';

/** Need a Chromium, which a fresh machine may not have: `npm run test:browser`. */
const inChromium = 'test/mocks/msw/browser.test.ts';
const withChromium = 'test/mocks/control/dashboard.test.ts';
/** Run what is built, with tools of their own: `npm run test:examples`. */
const examples = 'test/examples/*.test.ts';

/** Real time, real processes, installs: `npm run test:slow`, which also runs the fuzz tests, for longer than `npm test` does. */
const slow = 'test/**/*.slow.test.ts';
const fuzz = globSync('test/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('fuzzRuns('),
);

/**
 * A worker runs one file after another in one process: a process for each file took half as long again. `test/support/setup.ts` puts back
 * what tests change.
 */
const shared = { isolate: false };

/** The suites that meet msw, on another version of it: everything that imports msw, the adapters included, gets that one. */
const onMsw = (name: string, alias: string) =>
  ({
    extends: true,
    resolve: { alias: [{ find: /^msw(\/.*)?$/, replacement: `${alias}$1` }] },
    test: {
      name,
      ...shared,
      env: { MSW_MAJOR: '2' },
      include: [
        'test/mocks/msw/{msw,ways-in}.test.ts',
        'test/docs/timers.test.ts',
        'test/mocks/faults/fault-matrix.test.ts',
      ],
    },
  }) as const;

export default defineConfig({
  define,
  test: {
    // With the cache on disk a worker once failed to open a file that had been there a moment before; a fresh clone gains nothing from it.
    fsModuleCache: false,
    // As many workers as cores: by itself Vitest leaves one core to its own process, which rests while tests run.
    maxWorkers: '100%',
    // Nothing waits this long: it is for property tests on a machine with other things to do, which CI is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: 'test/support/setup.ts',
    // Each test is told anew that getPet is deprecated: Node would print it as often.
    execArgv: ['--no-deprecation'],
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'mocks/**/*.ts'],
      // The worker runs in Chromium only, the program and its state file in a process of their own: all are tested there.
      exclude: [
        'mocks/browser.ts',
        'mocks/cli.ts',
        'mocks/standalone/cli/*.ts',
        'mocks/standalone/state-*.ts',
        // It is only ever run as the Lua that is generated from it.
        'src/fleet/script/entry.ts',
      ],
      reporter: ['text', 'lcov', 'json-summary'],
      reportsDirectory: 'coverage',
      thresholds: {
        lines: 95,
        functions: 95,
        statements: 95,
        branches: 90,
        'src/**/*.ts': { branches: 99 },
      },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...shared,
          env: { MSW_MAJOR: '3' },
          include: ['test/**/*.test.ts'],
          exclude: [
            slow,
            inChromium,
            withChromium,
            examples,
            'test/{consumers,release,runtimes}/**',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          env: { MSW_MAJOR: '3', IS_SLOW: '1' },
          include: [slow, ...fuzz],
        },
      },
      onMsw('msw2', 'msw2'),
      onMsw('msw2-lowest', 'msw2-lowest'),
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/types/*.test-d.ts'],
            // TypeScript 7: the same answers as 6 in a third of the time.
            checker: new URL('node_modules/typescript7/bin/tsc', import.meta.url).pathname,
            tsconfig: './tsconfig.json',
          },
        },
      },
      { extends: true, test: { name: 'page', include: [withChromium] } },
      {
        extends: true,
        test: { name: 'examples', include: [examples], globalSetup: 'tools/install.mjs' },
      },
      {
        extends: true,
        publicDir: 'temp/public',
        test: {
          name: 'browser',
          include: [inChromium],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromiumOptions }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
