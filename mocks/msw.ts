/**
 * The mock service as handlers for msw 2 and 3, for your own `setupServer` or `setupWorker`. Without your own,
 * `petstore-client/mocks/node` and `petstore-client/mocks/browser` set everything up.
 *
 * @module petstore-client/mocks/msw
 */
import { http, type HttpHandler } from 'msw';
import { operationPath } from '../src/contract/environments.js';
import {
  environmentAddresses,
  escapePattern,
  folderOf,
  isHttpUrl,
  withoutPathPrefix,
} from './http/route.js';
import { placeAt } from './utils/client-gates.js';
import { checkService, showValue, isOfKind, isRecord, meant } from './utils/options.js';
import type { MockService } from './service/types.js';

/** Options of {@link createHandlers}. */
export interface HandlersOptions {
  /**
   * Addresses that the handlers serve, with or without the `/v1` prefix. Default: those of both environments, as the client finds
   * them: `PETSTORE_BASE_URL`, `PETSTORE_STAGING_BASE_URL`, and the placeholders where a variable is unset. An address
   * belongs to staging if it is that of the staging environment, and to production otherwise.
   */
  baseUrl?: string | readonly string[] | undefined;
}

/**
 * Handlers that pass every request under the given addresses to `service`: an unknown path gets the service's own 404, and
 * other hosts are left to your own handlers. Clients that had a rate-limit gate for one of these addresses, from an
 * earlier service, get a new gate at their next call.
 *
 * Service interface: "What the service does" (two environments, same paths).
 *
 * @throws TypeError if `service` is no mock service, for an unknown option, and when an address is not an absolute http: or https: URL.
 * @example
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { createMockService } from 'petstore-client/mocks';
 * import { createHandlers } from 'petstore-client/mocks/msw';
 *
 * const service = createMockService({ seed: 12 });
 * const server = setupServer(...createHandlers(service));
 * ```
 */
export function createHandlers(service: MockService, options: HandlersOptions = {}): HttpHandler[] {
  checkService('createHandlers', service, 'handle');
  checkHandlersOptions(options);
  const environments = environmentAddresses();
  const own = options.baseUrl && [options.baseUrl].flat().map(withoutPathPrefix);
  const addresses = new Set(own ?? Object.values(environments));
  placeAt(service, addresses);
  // One pattern for each address, and the rest left to the service: msw 2 and 3 match paths differently. A regular
  // expression, because msw 2 reads brackets in a text as a pattern of its own.
  // The longest address comes first: it may be a folder of another one.
  const longestFirst = [...addresses].toSorted((one, other) => other.length - one.length);
  return longestFirst.map((address) => {
    const environment =
      address === environments.staging && address !== environments.production
        ? 'staging'
        : 'production';
    // The service removes the folder of an address: a second `Request` made of the first loses method and body in jsdom.
    const folder = folderOf(`${address}/`, address);
    return http.all(new RegExp(`^${escapePattern(address)}/`), async ({ request }) => {
      try {
        return await service.handle(request, { environment, folder });
      } catch (error) {
        // The response of an aborted request is not read. msw would report a rejection here as an error of the handler.
        if (request.signal.aborted) return Response.error();
        throw error;
      }
    });
  });
}

/** Not by Zod, which is larger than all of the handlers. */
function checkHandlersOptions(options: HandlersOptions): void {
  if (!isRecord(options))
    throw new TypeError(`createHandlers takes an object of options, got ${showValue(options)}`);
  const unknown = Object.keys(options).find((name) => name !== 'baseUrl');
  if (unknown !== undefined)
    throw new TypeError(
      `createHandlers has no ${unknown}; it has: baseUrl${meant(unknown, ['baseUrl'])}`,
    );
  const { baseUrl } = options;
  if (baseUrl === undefined || areAddresses(baseUrl)) return;
  throw new TypeError(
    `baseUrl must be an absolute http: or https: URL, or an array of them, got ${showValue(baseUrl)}${addressHint(baseUrl)}`,
  );
}

function areAddresses(baseUrl: unknown): boolean {
  const all = [baseUrl].flat();
  return all.length > 0 && all.every((one) => isHttpUrl(one) && operationPath(one) === undefined);
}

/** `: did you mean 'http://…'?`; nothing where no address is near. */
function addressHint(baseUrl: unknown): string {
  for (const one of [baseUrl].flat()) {
    if (isOfKind(one, 'URL')) return ': give its href, which is a text';
    if (typeof one !== 'string') continue;
    const path = isHttpUrl(one) ? operationPath(one) : undefined;
    if (path !== undefined)
      return `: leave out '${path}', the path of an operation; if it is a folder of the service, add /v1`;
    if (/^\/(?!\/)/.test(one)) return `: did you mean location.origin + '${one}'?`;
    if (!one.includes('://') && URL.canParse(`http://${one}`))
      return `: did you mean 'http://${one}'?`;
  }
  return '';
}
