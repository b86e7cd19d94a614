/**
 * The mock service under msw in a browser: for development without a backend, component tests and Storybook.
 *
 * @module petstore-client/mocks/browser
 */
import { setupWorker, type SetupWorker } from 'msw/browser';
import { createMockService } from './index.js';
import { createHandlers, type HandlersOptions } from './msw.js';
import type { MockService, MockServiceOptions } from './service/types.js';

/** Options of {@link setupMockWorker}: those of the service, those of the handlers, or a service of your own. */
export interface MockWorkerOptions extends MockServiceOptions, HandlersOptions {
  /** An existing service; the other options of the service are ignored then. */
  service?: MockService;
}

/** msw's own worker, with the mock service behind it. */
export type MockWorker = SetupWorker & {
  /** The service behind it. */
  readonly service: MockService;
};

/**
 * An msw worker, not yet started, with the mock service behind it. The page needs msw's script in its public folder, of
 * the msw that you have: `npx msw init public`. Await `start()` before the first request.
 *
 * @example
 * ```ts no-run: needs a page with a service worker
 * import { setupMockWorker } from 'petstore-client/mocks/browser';
 *
 * const worker = setupMockWorker({ seed: 20 });
 * await worker.start();
 * ```
 */
export function setupMockWorker(options: MockWorkerOptions = {}): MockWorker {
  const { service: given, baseUrl, ...own } = options;
  const service = given ?? createMockService(own);
  const worker = setupWorker(...createHandlers(service, baseUrl === undefined ? {} : { baseUrl }));
  const start = worker.start.bind(worker);
  return Object.assign(worker, {
    service,
    start: async (...how: Parameters<typeof start>) => {
      try {
        return await start(...how);
      } catch (error) {
        throw new Error(
          'The mock service worker did not start. Is its script served? Run: npx msw init public',
          { cause: error },
        );
      }
    },
  });
}
