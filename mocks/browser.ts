/**
 * The mock service under msw in a browser: for development without a backend, component tests and Storybook.
 *
 * @module petstore-client/mocks/browser
 */
import { setupWorker, type SetupWorker } from 'msw/browser';
import { createHandlers, type HandlersOptions } from './msw.js';
import { createMockService, readServiceOptions } from './service/service.js';
import type { MockService, MockServiceOptions } from './service/types.js';
import { handlersOptions } from './utils/msw-compat.js';

/** Options of {@link setupMockWorker}: those of the service, those of the handlers, or a service of your own. */
export interface MockWorkerOptions extends MockServiceOptions, HandlersOptions {
  /** An existing service; the other options of the service are ignored then. */
  service?: MockService;
}

/** An msw worker that responds with the mock service. */
export type MockWorker = SetupWorker & {
  /** The mock service behind the worker. */
  readonly service: MockService;
};

/** In the page, because a development server may load this module more than once. */
const startedSymbol = Symbol.for('petstore-client.mock-worker');
const page = globalThis as { [startedSymbol]?: MockWorker | undefined };

/**
 * Creates an msw worker that responds with the mock service. It is not started yet. The public folder of the page must
 * contain the script of the installed msw version: `npx msw init public --save`. Await `start()` before the first request.
 *
 * `start()` rejects while another worker of this function is started: its handlers would silently replace those of the
 * first. To use a second service, pass its handlers (`createHandlers`) to `worker.use()` of the first.
 *
 * @throws TypeError that names the unknown option, or the option with an invalid value and what it takes.
 * @example
 * ```ts no-run: needs a page with a service worker
 * import { setupMockWorker } from 'petstore-client/mocks/browser';
 *
 * const worker = setupMockWorker({ seed: 12 });
 * await worker.start();
 * ```
 */
export function setupMockWorker(options: MockWorkerOptions = {}): MockWorker {
  readServiceOptions('setupMockWorker', options, handlersOptions);
  const { service: given, baseUrl, ...own } = options;
  const service = given ?? createMockService(own);
  const worker = setupWorker(...createHandlers(service, baseUrl === undefined ? {} : { baseUrl }));
  const start = worker.start.bind(worker);
  const stop = worker.stop.bind(worker);
  let started: ReturnType<typeof start> | undefined;
  const startOnce = async (...how: Parameters<typeof start>) => {
    try {
      return await start(...how);
    } catch (error) {
      // msw counts a worker as started that failed to start. Not awaited: it waits for a response of the worker that is not there.
      void mock.stop();
      throw new Error(
        `The mock service worker did not start. Is its script served? Run: npx msw init public --save. The cause: ${(error as Error).message}`,
        { cause: error },
      );
    }
  };
  const mock: MockWorker = Object.assign(worker, {
    service,
    start: async (...how: Parameters<typeof start>) => {
      if (page[startedSymbol] !== undefined && page[startedSymbol] !== mock)
        throw new Error(
          'Another mock service worker is started in this page, and this one would switch it off: stop() it first, or use its service.',
        );
      page[startedSymbol] = mock;
      return (started ??= startOnce(...how));
    },
    stop: () => {
      if (page[startedSymbol] === mock) page[startedSymbol] = undefined;
      started = undefined;
      return stop();
    },
  });
  return mock;
}
