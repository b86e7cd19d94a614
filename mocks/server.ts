/**
 * The mock service on a port: for apps in other processes and other languages, and for what only a real socket can do.
 *
 * @module petstore-client/mocks/server
 */
import { createApp } from './standalone/app.js';
import { checkOptions, integerFrom, describeValue, type OptionRule } from './utils/options.js';
import { listenOn } from './standalone/listen.js';
import type { MockService } from './service/types.js';

/** Options of {@link serve}. */
export interface ServeOptions {
  /** Port to listen on, 0 to 65,535. Default: 0, any free one. */
  port?: number;
  /** Address to listen on; the control side answers for it and for loopback names only. Default: `127.0.0.1`, this machine only. */
  host?: string;
  /** How long `close()` lets requests under way finish, ms. Default: 2,000. */
  grace?: number;
}

const rules: Readonly<Record<keyof ServeOptions, OptionRule>> = {
  port: integerFrom(0, 65_535),
  host: {
    takes: 'an address or a host name',
    is: (value) => typeof value === 'string' && value !== '',
  },
  grace: {
    takes: 'ms from 0 to 2147483647',
    is: (value) => typeof value === 'number' && value >= 0 && value < 2 ** 31,
  },
};

/** A service that listens. */
export interface MockHttpServer {
  /** Its address, without `/v1`: what `new PetStoreClient({ baseUrl })` takes. */
  readonly url: string;
  /** Takes no more connections, lets requests under way finish, and cuts what still hangs after `grace`. */
  close(): Promise<void>;
}

/**
 * Puts `service` on a port, with CORS for any origin, the description at `/openapi.json` and the control side under
 * `/_mock`. Request bodies are read up to the assumption
 * `maxBodyBytes`, and longer ones refused without harm. A fault that breaks the connection breaks the real one here.
 *
 * @throws Error, as a rejection, when the port is taken or not allowed; TypeError or RangeError for an option that cannot be.
 * @example
 * ```ts
 * import { createMockService } from 'petstore-client/mocks';
 * import { serve } from 'petstore-client/mocks/server';
 *
 * const server = await serve(createMockService({ seed: 20 }), { port: 0 });
 * console.log(server.url);
 * await server.close();
 * ```
 */
export async function serve(
  service: MockService,
  options: ServeOptions = {},
): Promise<MockHttpServer> {
  if (typeof (service as Partial<MockService> | undefined)?.handle !== 'function')
    throw new TypeError(
      `serve(service, options) takes a service that createMockService made, got ${describeValue(service)}`,
    );
  checkOptions('serve', options, rules);
  const { port = 0, host = '127.0.0.1', grace = 2000 } = options;
  return listenOn(createApp(service, { host }), {
    port,
    host,
    grace,
    maxBodyBytes: service.assumptions.maxBodyBytes,
  });
}
