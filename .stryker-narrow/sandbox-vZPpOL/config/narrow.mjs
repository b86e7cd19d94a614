/**
 * Breaks `src` in thousands of places, and sees whether a test fails. Many hours on two cores; random lines of it with
 * `npm run mutation:sample`, a part of it with
 * `npm run mutation -- --mutate 'src/rate-limit/*.ts'`, the service with `--mutate 'mocks/*.ts'`.
 */
// @ts-nocheck

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'config/vitest.narrow.ts' },
  mutate: ['src/**/*.ts'],
  coverageAnalysis: 'perTest',
  // What runs once, while a module is loaded, needs all tests for each mutant: see docs/decisions/0014-mutation-and-coverage.md.
  ignoreStatic: true,
  ignorePatterns: ['temp', 'reports', 'coverage', 'site'],
  reporters: ['clear-text','json'],
  concurrency: 1,
  // A test that is only slow has not found the mutant.
  timeoutMS: 60_000,
  thresholds: { high: 95, low: 90, break: 90 },
  tempDirName: '.stryker-narrow',
};
