import { defineConfig } from 'vitest/config';

/**
 * Stryker drives one project only: the suites that look at `src`. Those that start processes would run the code unmutated,
 * those of the service, of documents, examples and benchmarks run it by the way.
 */
export default defineConfig({
  test: {
    include: [
      'test/*.test.ts',
      'test/{contract,rate-limit,errors,events,options,http,transport}/*.test.ts',
    ],
    exclude: [
      'test/boundaries.test.ts',
      'test/{transport/edge-process,errors/instanceof,events/otel}.test.ts',
    ],
  },
});
