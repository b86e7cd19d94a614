/**
 * The mock service under msw in Node: for tests of code that calls the service through `fetch` or `node:http`.
 *
 * @module petstore-client/mocks/node
 */
import * as msw from 'msw';
import { setupServer, type SetupServer } from 'msw/node';
import { createHandlers, type HandlersOptions } from './msw.js';
import { contextOf, readSetup } from './service/service.js';
import type { MockService, MockServiceOptions } from './service/types.js';
import { assertNodeSupportsMsw, failOnUnhandled, recordEvents } from './utils/msw-compat.js';
import { countOf } from './utils/options.js';

/** The methods that {@link setupMockServer} adds for unhandled requests. */
export interface UnhandledRequests {
  /** Requests without a handler since the start or the last {@link assertAllHandled}: method and address, without the query. */
  readonly unhandled: readonly string[];
  /**
   * Fails if there were unhandled requests, and clears the list. Call it in an `afterEach`, because the code under test
   * may catch the error of `fetch`. It also fails once for overrides that threw, or broke the contract.
   *
   * @throws Error that lists them.
   */
  assertAllHandled(): void;
}

/** Options of {@link setupMockServer}: those of the service, those of the handlers, or a service of your own. */
export interface MockServerOptions extends MockServiceOptions, HandlersOptions {
  /** An existing service, instead of the options of a new one. */
  service?: MockService | undefined;
}

/** An msw server that responds with the mock service. */
export type MockServer = SetupServer &
  UnhandledRequests & {
    /** The mock service behind the server. */
    readonly service: MockService;
  };

/**
 * Creates an msw server that responds with the mock service. It does not listen yet. After `listen()`, an unhandled request
 * is an error, with msw 2 and 3; options given to `listen()` take precedence. If the code under test swallows that error,
 * `assertAllHandled()` in an `afterEach` still fails the test. It also fails when an override or the mock itself failed.
 *
 * Use one msw server per process: a second one replaces the first, and closing one stops both. If you have a server
 * already, add the handlers of `createHandlers` of `petstore-client/mocks/msw` to it.
 *
 * @throws TypeError that names the unknown option, or the option with an invalid value and what it takes; RangeError for a wrong `now`.
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
  const [service, forHandlers] = readSetup('setupMockServer', options);
  const server = setupServer(...createHandlers(service, forHandlers));
  const unhandled: string[] = [];
  const { journal } = contextOf(service, 'setupMockServer');
  let seenDefect = journal.lastDefect;
  const listen = server.listen.bind(server);
  recordEvents(server.events as never, ({ method, url }) => {
    const { origin, pathname } = new URL(url);
    unhandled.push(`${method} ${origin}${pathname}`);
  });
  return Object.assign(server, {
    service,
    unhandled,
    assertAllHandled() {
      const requests = unhandled.splice(0);
      if (requests.length > 0)
        throw new Error(
          `No handler answered ${countOf(requests.length, 'request')}:\n  ${requests.join('\n  ')}`,
        );
      if (journal.lastDefect === seenDefect) return;
      seenDefect = journal.lastDefect;
      throw new Error(`The mock itself failed: ${seenDefect?.defect}`);
    },
    listen: (how?: Parameters<typeof listen>[0]) => listen(failOnUnhandled(how)),
  });
}
