import { headers, pets } from '../answers.js';

const key = 'mock-enterprise';
export const url = 'https://api.petstore.example/v1/pets?limit=20';
export const init = { headers: { authorization: `Bearer ${key}` } };

/** A `fetch` for tests as one writes it by hand: looks at the request, and answers with JSON and the headers of a quota. */
export function answer(request: Request): Response {
  const { pathname, searchParams } = new URL(request.url);
  if (request.headers.get('authorization') !== `Bearer ${key}`)
    return new Response('{}', { status: 401 });
  if (request.method !== 'GET' || pathname !== '/v1/pets')
    return new Response('{}', { status: 404 });
  return new Response(JSON.stringify(pets.slice(0, Number(searchParams.get('limit') ?? 20))), {
    status: 200,
    headers: headers(),
  });
}

export function byHand(): () => Promise<Response> {
  const fetch = async (input: string, options: RequestInit) => answer(new Request(input, options));
  return () => fetch(url, init);
}
