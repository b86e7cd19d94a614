/**
 * The mock service as handlers for msw 2 and 3: put them into a `setupServer` or `setupWorker` of your own. Without one
 * of your own, `petstore-client/mocks/node` and `petstore-client/mocks/browser` set everything up.
 *
 * @module petstore-client/mocks/msw
 */
import { http, type HttpHandler } from 'msw';
import { environments, environmentVariable } from '../src/contract/environments.js';
import { checkOptions } from './utils/options.js';
import type { MockService } from './service/types.js';

/** Options of {@link createHandlers}. */
export interface HandlersOptions {
  /**
   * Addresses to answer for, with or without the `/v1` prefix. Default: those of both environments, as the client finds
   * them: `PETSTORE_BASE_URL`, `PETSTORE_STAGING_BASE_URL`, and the placeholders where a variable is unset.
   */
  baseUrl?: string | readonly string[];
}

/**
 * Handlers that hand every request under the given addresses to `service`: the whole address is claimed, so that a path
 * which the service does not know gets the service's own 404, and other hosts are left to your own handlers.
 *
 * Service interface: "What the service does" (two environments, same paths).
 *
 * @throws TypeError for an option that it does not know, and when an address is not an absolute URL.
 * @example
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { createMockService } from 'petstore-client/mocks';
 * import { createHandlers } from 'petstore-client/mocks/msw';
 *
 * const service = createMockService({ seed: 20 });
 * const server = setupServer(...createHandlers(service));
 * ```
 */
export function createHandlers(service: MockService, options: HandlersOptions = {}): HttpHandler[] {
  checkOptions('createHandlers', options, {
    baseUrl: { takes: 'an absolute URL, or an array of them', is: areAddresses },
  });
  const addresses = new Set(
    [options.baseUrl ?? environmentAddresses()].flat().map(withoutPathPrefix),
  );
  // One pattern an address, and the rest left to the service: msw 2 and 3 match paths differently.
  return [...addresses].map((address) =>
    http.all(`${address}/*`, ({ request }) =>
      answer(service, withoutFolder(request, new URL(address).pathname)),
    ),
  );
}

function areAddresses(baseUrl: unknown): boolean {
  return [baseUrl].flat().every((one) => typeof one === 'string' && URL.canParse(one));
}

/** Nobody reads the answer to a request that was aborted; msw would report its reason as a defect of the handler. */
async function answer(service: MockService, request: Request): Promise<Response> {
  try {
    return await service.handle(request);
  } catch (error) {
    if (request.signal.aborted) return Response.error();
    throw error;
  }
}

function environmentAddresses(): string[] {
  return Object.values(environments).map(
    ({ variable, placeholder }) => environmentVariable(variable) ?? placeholder,
  );
}

function withoutPathPrefix(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The service knows its own paths only; an address with a folder in front (behind a gateway, say) is cut off here. */
function withoutFolder(request: Request, folder: string): Request {
  if (folder === '/') return request;
  const url = new URL(request.url);
  url.pathname = url.pathname.slice(folder.length);
  return new Request(url, request);
}
