export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.stryker.config.ts' },
  mutate: ['src/**/*.ts', 'mocks/**/*.ts', '!mocks/cli*.ts', '!mocks/browser.ts', '!mocks/dashboard/**'],
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  reporters: ['clear-text', 'progress', 'json', 'html'],
  concurrency: 2,
  thresholds: { high: 90, low: 80, break: 75 },
  tempDirName: '.stryker-tmp',
};
