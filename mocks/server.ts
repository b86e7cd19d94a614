/**
 * The mock service on a port: for apps in other processes and other languages, and for failures of a real socket.
 *
 * @module petstore-client/mocks/server
 */
import * as z from 'zod/mini';
import { Worlds, type CreateWorld } from './control/worlds.js';
import type { MockService } from './service/types.js';
import { isHostName } from './control/check-origin.js';
import { createApp } from './standalone/app.js';
import { listenOn } from './standalone/listen.js';
import { callable, checkOptions, custom, integer } from './utils/check.js';
import { checkService } from './utils/options.js';

const noHost = 'must be an address or a host name';

/** The options of {@link serve}. Types, defaults, checks and messages are made from these rows. */
const rows = {
  /** Port to listen on, 0 to 65,535. Default: 0, any free one. */
  port: z._default(integer(0, 65_535), 0),
  /**
   * Address to listen on. The control API accepts only this address, loopback names and {@link allowHosts}. Default:
   * `127.0.0.1`, this machine only.
   */
  host: z._default(
    z.string({ error: noHost }).check(z.regex(/./s, { error: noHost })),
    '127.0.0.1',
  ),
  /**
   * Further host names and addresses that the control API accepts, without a port: `['petstore-mock']` for other
   * containers of a Docker Compose file. Everybody who reaches the port by such a name can change the mock. Default:
   * none.
   */
  allowHosts: z._default(
    custom<readonly string[]>(
      "an array of host names or addresses without a port, such as ['petstore-mock']",
      (value) => Array.isArray(value) && value.every(isHostName),
    ),
    [],
  ),
  /** How long `close()` waits for requests in flight, ms. Default: 2,000. */
  grace: z._default(integer(0, 2 ** 31 - 1, 'ms from 0 to 2147483647'), 2_000),
  /**
   * Creates the service of another world: the first request with the header `X-Mock-World: worker-3` creates one with pets,
   * quotas, faults and a clock of its own. `assumptions` are those of a `PUT /_mock/assumptions`. Default: no other worlds,
   * and such requests are answered 409.
   */
  createWorld: z.optional(callable<CreateWorld>()),
};

/**
 * Options of {@link serve}.
 *
 * @interface
 */
export type ServeOptions = { [Name in keyof typeof rows]?: z.input<(typeof rows)[Name]> };

export type { CreateWorld };

/** A service that listens on a port. */
export interface MockHttpServer {
  /** Its address, without `/v1`, for `new PetStoreClient({ baseUrl })`. */
  readonly url: string;
  /** Accepts no more connections, waits for requests in flight, and closes those that are not finished after `grace`. */
  close(): Promise<void>;
}

/**
 * Serves `service` on a port, with CORS for any origin, the description at `/openapi.json` and the control API under
 * `/_mock`. Request bodies are read up to the assumption `maxBodyBytes`; a longer body gets a 413, and the connection stays
 * open. A fault that breaks the connection breaks the real connection.
 *
 * @throws Error, as a rejection, when the port is in use or not allowed; TypeError for an invalid option.
 * @example
 * ```ts
 * import { createMockService } from 'petstore-client/mocks';
 * import { serve } from 'petstore-client/mocks/server';
 *
 * const server = await serve(createMockService({ seed: 12 }), { port: 0 });
 * console.log(server.url);
 * await server.close();
 * ```
 */
export async function serve(
  service: MockService,
  options: ServeOptions = {},
): Promise<MockHttpServer> {
  checkService('serve(service, options)', service, 'handle');
  const read = checkOptions('serve', z.strictObject(rows), options);
  const { port, host, allowHosts, grace, createWorld } = read;
  const worlds = new Worlds(service, createWorld);
  return listenOn(createApp(worlds, [host, ...allowHosts]), { port, host, grace });
}
