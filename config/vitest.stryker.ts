import { defineConfig } from 'vitest/config';

/**
 * Stryker drives one project only: the suites that look at `src`. Those that start processes would run the code unmutated,
 * those of the service, of documents, examples and benchmarks run it by the way.
 */
export default defineConfig({
  test: {
    include: [
      'test/*.test.ts',
      'test/{contract,rate-limit,errors,events,options,http,transport,utils,bulk,fleet}/*.test.ts',
      // The gates of the process that a mock service forgets.
      'test/mocks/msw/ways-in.test.ts',
    ],
    exclude: [
      // It compares the mutated rules of the fleet with the script in Redis, which is not mutated.
      'test/**/!(script).slow.test.ts',
      'test/{boundaries,package}.test.ts',
      'test/{events/otel,utils/platform}.test.ts',
    ],
    // Mutated code is slower, and some of it waits.
    testTimeout: 60_000,
    setupFiles: 'test/support/setup.ts',
  },
});
