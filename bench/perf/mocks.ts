import type { getResponse, http } from 'msw';
import type { setupServer } from 'msw/node';
import { load } from '../product.js';
import { headers, pets } from './answers.js';

const key = 'mock-enterprise';
export const url = 'https://api.petstore.example/v1/pets?limit=20';
export const init = { headers: { authorization: `Bearer ${key}` } };

/** Asks a mock in this process for 20 of 100 pets. */
type Ask = () => Promise<Response>;

/** A function as one writes it by hand for tests: looks at the request, and answers with JSON and the headers of a quota. */
function answer(request: Request): Response {
  const { pathname, searchParams } = new URL(request.url);
  if (request.headers.get('authorization') !== `Bearer ${key}`)
    return new Response('{}', { status: 401 });
  if (request.method !== 'GET' || pathname !== '/v1/pets')
    return new Response('{}', { status: 404 });
  const page = pets.slice(0, Number(searchParams.get('limit') ?? 20));
  return new Response(JSON.stringify(page), { headers: headers() });
}

interface Msw {
  readonly http: typeof http;
  readonly getResponse: typeof getResponse;
}
const handlersOf = (msw: Msw) => [
  msw.http.get('https://api.petstore.example/v1/pets', ({ request }) => answer(request)),
];

/** Each is loaded where it is measured, and nowhere else: some patch `fetch`. */
export const mocks = {
  async 'a fetch by hand'() {
    return async () => answer(new Request(url, init));
  },
  /** The in-memory service with all that it does: key, limits, validation, journal, conduct. */
  async 'petstore-client/mocks, service.fetch'() {
    const { createMockService } = await load();
    const service = createMockService({ seed: pets.map((pet) => ({ ...pet })), limits: 'off' });
    return () => service.fetch(url, init);
  },
  async 'hono, app.fetch'() {
    const { Hono } = await import('hono');
    const app = new Hono().get('/v1/pets', ({ req }) => answer(req.raw));
    return async () => app.fetch(new Request(url, init));
  },
  async 'msw 3, getResponse'() {
    const msw = await import('msw');
    const handlers = handlersOf(msw);
    return async () => (await msw.getResponse(handlers, new Request(url, init))) as Response;
  },
  async 'msw 2, getResponse'() {
    const msw = (await import('msw2')) as unknown as Msw;
    const handlers = handlersOf(msw);
    return async () => (await msw.getResponse(handlers, new Request(url, init))) as Response;
  },
  async 'msw 3, setupServer'() {
    const node = await import('msw/node');
    node.setupServer(...handlersOf(await import('msw'))).listen();
    return () => fetch(url, init);
  },
  async 'msw 2, setupServer'() {
    const node = (await import('msw2/node')) as unknown as { setupServer: typeof setupServer };
    const msw = (await import('msw2')) as unknown as Msw;
    node.setupServer(...handlersOf(msw)).listen();
    return () => fetch(url, init);
  },
} satisfies Record<string, () => Promise<Ask>>;

export type MockName = keyof typeof mocks;
