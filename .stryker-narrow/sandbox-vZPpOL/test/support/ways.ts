// @ts-nocheck
// The ways to reach a service in Node.
import { setupServer } from 'msw/node';
import type { MockService } from '../../mocks/index.js';
import { createHandlers } from '../../mocks/msw.js';
import { serve } from '../../mocks/server.js';

const address = 'https://api.petstore.example';

/** Makes a service reachable, and gives `use` its address with a `fetch` that gets there. */
export type Way = <T>(
  service: MockService,
  use: (address: string, send: typeof fetch) => Promise<T>,
) => Promise<T>;

/** Through handlers of msw, at an address. */
export const throughMsw =
  (baseUrl: string): Way =>
  async (service, use) => {
    const server = setupServer(...createHandlers(service, { baseUrl }));
    server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as object);
    try {
      return await use(baseUrl, fetch);
    } finally {
      server.close();
    }
  };

export const ways: Readonly<Record<string, Way>> = {
  'service.fetch': (service, use) => use(address, service.fetch),
  'service.fetch of a Request': (service, use) =>
    use(address, (url, init) => service.fetch(new Request(url, init))),
  'service.handle': (service, use) =>
    use(address, (url, init) => service.handle(new Request(url, init))),
  msw: throughMsw(address),
  'msw below a folder': throughMsw('https://shop.test:8443/api'),
  async 'a port'(service, use) {
    const server = await serve(service, { grace: 20 });
    try {
      return await use(server.url, fetch);
    } finally {
      await server.close();
    }
  },
};
