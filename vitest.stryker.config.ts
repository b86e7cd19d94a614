import { defineConfig } from 'vitest/config';

/** Stryker drives one project only; tests that start processes would run the code unmutated. */
export default defineConfig({
  test: {
    include: ['test/*.test.ts'],
    exclude: [
      'test/browser.test.ts',
      'test/dashboard.test.ts',
      'test/cli.test.ts',
      'test/readme.test.ts',
      'test/examples.test.ts',
      'test/boundaries.test.ts',
    ],
  },
});
