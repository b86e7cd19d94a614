// @ts-nocheck
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

/** msw, or msw2, which has the same types as far as they are used here. */
async function mswOf(name: string) {
  const { http, getResponse } = (await import(name)) as typeof import('msw');
  const address = 'https://api.petstore.example/v1/pets';
  return { getResponse, handlers: [http.get(address, ({ request }) => answer(request))] };
}

async function handled(msw: string): Promise<Ask> {
  const { getResponse, handlers } = await mswOf(msw);
  return async () => (await getResponse(handlers, new Request(url, init)))!;
}

async function intercepted(msw: string): Promise<Ask> {
  const { handlers } = await mswOf(msw);
  const { setupServer } = (await import(`${msw}/node`)) as typeof import('msw/node');
  setupServer(...handlers).listen();
  return () => fetch(url, init);
}

/** Each is loaded where it is measured, and nowhere else: some patch `fetch`. */
export const mocks: Readonly<Record<string, () => Promise<Ask>>> = {
  async 'a fetch by hand'() {
    return async () => answer(new Request(url, init));
  },
  /** The in-memory service with all that it does: key, limits, validation, journal, conduct. */
  async 'petstore-client/mocks, service.fetch'() {
    const { createMockService } = await load('mocks/index');
    const service = createMockService({ seed: pets.map((pet) => ({ ...pet })), limits: 'off' });
    return () => service.fetch(url, init);
  },
  async 'hono, app.fetch'() {
    const { Hono } = await import('hono');
    const app = new Hono().get('/v1/pets', ({ req }) => answer(req.raw));
    return async () => app.fetch(new Request(url, init));
  },
  'msw 3, getResponse': () => handled('msw'),
  'msw 2, getResponse': () => handled('msw2'),
  'msw 3, setupServer': () => intercepted('msw'),
  'msw 2, setupServer': () => intercepted('msw2'),
};
