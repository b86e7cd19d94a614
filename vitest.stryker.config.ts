import { defineConfig } from 'vitest/config';

/**
 * Stryker drives one project only: the suites that look at `src`. Those that start processes would run the code unmutated,
 * those of the service, of documents, examples and benchmarks run it by the way.
 */
export default defineConfig({
  test: {
    include: ['test/*.test.ts'],
    exclude: [
      'test/{bench,cli,dashboard,docs,examples,mock}*.test.ts',
      'test/{boundaries,browser,compatibility,control,edge-process,fault-matrix,instanceof,interface-table}.test.ts',
      'test/{msw,otel,readme,server-fuzz}.test.ts',
    ],
  },
});
