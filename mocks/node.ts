/**
 * The mock service under msw in Node: for tests of code that calls the service through `fetch` or `node:http`.
 *
 * @module petstore-client/mocks/node
 */
import * as msw from 'msw';
import { setupServer, type SetupServer } from 'msw/node';
import { createMockService } from './index.js';
import { createHandlers, type HandlersOptions } from './msw.js';
import { failOnUnhandled } from './utils/msw-compat.js';
import { watchUnhandledRequests, type UnhandledRequests } from './utils/msw-compat.js';
import type { MockService, MockServiceOptions } from './service/types.js';
import { assertNodeSupportsMsw } from './utils/msw-compat.js';

export type { UnhandledRequests };

/** Options of {@link setupMockServer}: those of the service, those of the handlers, or a service of your own. */
export interface MockServerOptions extends MockServiceOptions, HandlersOptions {
  /** A service that exists already; the other options of the service are not looked at then. */
  service?: MockService;
}

/** msw's own server, with the mock service behind it. */
export type MockServer = SetupServer &
  UnhandledRequests & {
    /** The service behind it. */
    readonly service: MockService;
  };

/**
 * An msw server, not yet listening, with the mock service behind it. `listen()` makes a request that nobody handles an
 * error, on msw 2 and 3 alike; options given to `listen()` win. Where code under test swallows that error,
 * `assertAllHandled()` in an `afterEach` still fails the test.
 *
 * Have one msw server a process: closing any of several switches off all of them. Where you have one, spread
 * `createHandlers` of `petstore-client/mocks/msw` into it.
 *
 * @throws Error on msw 3 with a Node below 22.12, where every request would fail with a bare "fetch failed".
 * @example
 * ```ts
 * import { afterAll, afterEach, beforeAll } from 'vitest';
 * import { setupMockServer } from 'petstore-client/mocks/node';
 *
 * const server = setupMockServer({ seed: 20 });
 * beforeAll(() => server.listen());
 * afterEach(() => {
 *   server.assertAllHandled();
 *   server.service.reset();
 * });
 * afterAll(() => server.close());
 * ```
 */
export function setupMockServer(options: MockServerOptions = {}): MockServer {
  assertNodeSupportsMsw('handleRequest' in msw ? 2 : 3, process.versions.node);
  const { service: given, baseUrl, ...own } = options;
  const service = given ?? createMockService(own);
  const server = setupServer(...createHandlers(service, baseUrl === undefined ? {} : { baseUrl }));
  const listen = server.listen.bind(server);
  return Object.assign(server, watchUnhandledRequests(server.events), {
    service,
    listen: (how?: Parameters<typeof listen>[0]) => listen(failOnUnhandled(how)),
  });
}
