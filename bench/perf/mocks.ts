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

/** msw 2 has the types of msw 3 as far as they are used here. */
const msw = {
  2: {
    entry: async () => (await import('msw2')) as unknown as typeof import('msw'),
    node: async () => (await import('msw2/node')) as unknown as typeof import('msw/node'),
  },
  3: { entry: () => import('msw'), node: () => import('msw/node') },
};
const handlersOf = async (major: keyof typeof msw) => {
  const { http } = await msw[major].entry();
  return [http.get('https://api.petstore.example/v1/pets', ({ request }) => answer(request))];
};

const handled = async (major: keyof typeof msw): Promise<Ask> => {
  const handlers = await handlersOf(major);
  const { getResponse } = await msw[major].entry();
  return async () => (await getResponse(handlers, new Request(url, init)))!;
};

const intercepted = async (major: keyof typeof msw): Promise<Ask> => {
  const { setupServer } = await msw[major].node();
  setupServer(...(await handlersOf(major))).listen();
  return () => fetch(url, init);
};

/** Each is loaded where it is measured, and nowhere else: some patch `fetch`. */
export const mocks = {
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
  'msw 3, getResponse': () => handled(3),
  'msw 2, getResponse': () => handled(2),
  'msw 3, setupServer': () => intercepted(3),
  'msw 2, setupServer': () => intercepted(2),
} satisfies Record<string, () => Promise<Ask>>;

export type MockName = keyof typeof mocks;
