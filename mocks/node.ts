/**
 * The mock service under msw in Node: for tests of code that calls the service through `fetch` or `node:http`.
 *
 * @module petstore-client/mocks/node
 */
import * as msw from 'msw';
import { setupServer, type SetupServer } from 'msw/node';
import { createHandlers, type HandlersOptions } from './msw.js';
import { contextOf, createMockService, readServiceOptions } from './service/service.js';
import type { MockService, MockServiceOptions } from './service/types.js';
import {
  assertNodeSupportsMsw,
  createUnhandledRequests,
  failOnUnhandled,
  handlersOptions,
  recordEvents,
  type UnhandledRequests,
} from './utils/msw-compat.js';

export type { UnhandledRequests };

/** Options of {@link setupMockServer}: those of the service, those of the handlers, or a service of your own. */
export interface MockServerOptions extends MockServiceOptions, HandlersOptions {
  /** An existing service; the other options of the service are ignored then. */
  service?: MockService;
}

/** A server of msw that answers from the mock service. */
export type MockServer = SetupServer &
  UnhandledRequests & {
    /** The mock service that answers. */
    readonly service: MockService;
  };

/**
 * An msw server, not yet listening, that answers from the mock service. After `listen()` an unhandled request is an error,
 * with msw 2 and 3; options given to `listen()` take precedence. Where code under test swallows that error,
 * `assertAllHandled()` in an `afterEach` still fails the test. It also fails when an override or the mock itself failed.
 *
 * Use one msw server per process: closing one of several stops all of them. If you have one already, spread
 * `createHandlers` of `petstore-client/mocks/msw` into it.
 *
 * @throws TypeError that names the unknown option, or the option with an invalid value and what it takes.
 * @throws Error on msw 3 with a Node below 22.12, where every request would fail with a bare "fetch failed".
 * @example
 * ```ts
 * import { afterAll, afterEach, beforeAll } from 'vitest';
 * import { setupMockServer } from 'petstore-client/mocks/node';
 *
 * const server = setupMockServer({ seed: 12 });
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
  readServiceOptions('setupMockServer', options, handlersOptions);
  const { service: given, baseUrl, ...own } = options;
  const service = given ?? createMockService(own);
  const server = setupServer(...createHandlers(service, baseUrl === undefined ? {} : { baseUrl }));
  const { record, ...unhandledRequests } = createUnhandledRequests();
  const { journal } = contextOf(service, 'setupMockServer');
  let seenDefect = journal.lastDefect;
  const listen = server.listen.bind(server);
  recordEvents(server.events as never, record);
  return Object.assign(server, unhandledRequests, {
    service,
    assertAllHandled() {
      unhandledRequests.assertAllHandled();
      if (journal.lastDefect === seenDefect) return;
      seenDefect = journal.lastDefect;
      throw new Error(`The mock itself failed: ${seenDefect?.defect}`);
    },
    listen: (how?: Parameters<typeof listen>[0]) => listen(failOnUnhandled(how)),
  });
}
