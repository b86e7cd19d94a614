import type * as Msw3 from 'msw';
import type * as MswNode3 from 'msw/node';
import { answer, init, url } from './by-hand.js';
import type { Mock } from './index.js';

type Msw = typeof Msw3;
type MswNode = typeof MswNode3;

const load = {
  2: async () =>
    [
      (await import('msw2')) as unknown as Msw,
      (await import('msw2/node')) as unknown as MswNode,
    ] as const,
  3: async () => [await import('msw'), await import('msw/node')] as const,
};

/** One handler of msw with the function by hand, asked for its answer without any patching. */
export async function mswGetResponse(major: 2 | 3): Promise<Mock> {
  const [{ http, getResponse }] = await load[major]();
  const handlers = [
    http.get('https://api.petstore.example/v1/pets', ({ request }) => answer(request)),
  ];
  return { ask: async () => (await getResponse(handlers, new Request(url, init))) as Response };
}

/** The same through the global `fetch`, which msw patches. */
export async function mswServer(major: 2 | 3): Promise<Mock> {
  const [{ http }, { setupServer }] = await load[major]();
  const server = setupServer(
    http.get('https://api.petstore.example/v1/pets', ({ request }) => answer(request)),
  );
  server.listen();
  return { ask: () => fetch(url, init), stop: () => server.close() };
}
