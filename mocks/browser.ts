/**
 * The mock service under msw in a browser: for development without a backend, component tests and Storybook.
 *
 * @module petstore-client/mocks/browser
 */
import { setupWorker, type SetupWorker } from 'msw/browser';
import { createHandlers, type HandlersOptions } from './msw.js';
import { readSetup } from './service/service.js';
import type { MockService, MockServiceOptions } from './service/types.js';

/** Options of {@link setupMockWorker}: those of the service, those of the handlers, or a service of your own. */
export interface MockWorkerOptions extends MockServiceOptions, HandlersOptions {
  /** An existing service, instead of the options of a new one. */
  service?: MockService | undefined;
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
 * @throws TypeError that names the unknown option, or the option with an invalid value and what it takes; RangeError for a wrong `now`.
 * @example
 * ```ts no-run: needs a page with a service worker
 * import { setupMockWorker } from 'petstore-client/mocks/browser';
 *
 * const worker = setupMockWorker({ seed: 12 });
 * await worker.start();
 * ```
 */
export function setupMockWorker(options: MockWorkerOptions = {}): MockWorker {
  const [service, forHandlers] = readSetup('setupMockWorker', options);
  const worker = setupWorker(...createHandlers(service, forHandlers));
  const start = worker.start.bind(worker);
  const stop = worker.stop.bind(worker);
  let started: ReturnType<typeof start> | undefined;
  const onFailure = (cause: Error) => {
    // msw counts a worker that failed as started. Not awaited: msw would wait for an answer of the worker.
    void mock.stop();
    throw new Error(
      `The mock service worker did not start: ${cause.message}. Is its script served? Run npx msw init public --save`,
      { cause },
    );
  };
  const mock: MockWorker = Object.assign(worker, {
    service,
    start: async (...how: Parameters<typeof start>) => {
      if ((page[startedSymbol] ??= mock) !== mock)
        throw new Error(
          'Another mock service worker is started in this page, and this one would switch it off: stop() it first, or use its service.',
        );
      return (started ??= start(...how).catch(onFailure));
    },
    stop: () => {
      if (page[startedSymbol] === mock) page[startedSymbol] = undefined;
      started = undefined;
      return stop();
    },
  });
  return mock;
}
