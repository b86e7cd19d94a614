/** What the service answers with in these benches: the same bytes for every client. */
export const pets = Array.from({ length: 100 }, (_, at) => ({
  id: at + 1,
  name: `Pet number ${at + 1}`,
  categoryId: (at % 9) + 1,
  status: (['available', 'pending', 'sold'] as const)[at % 3],
}));

export const bodies = {
  list: JSON.stringify(pets),
  get: JSON.stringify(pets[0]),
  create: JSON.stringify(pets[0]),
  missing: JSON.stringify({
    code: 'not_found',
    message: 'There is no pet with this id.',
    status: 404,
  }),
};

export type Request = keyof typeof bodies;

export const statuses: Readonly<Record<Request, number>> = {
  list: 200,
  get: 200,
  create: 201,
  missing: 404,
};
export const newPet = { name: 'Rex', categoryId: 1, status: 'available' } as const;
/** The id that is not there. */
export const nobody = 404_404;
export const apiKey = 'sk_bench_0123456789';

/** The headers of every answer, as a service with a quota that is never spent sends them. */
export function headers(): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Date: new Date().toUTCString(),
    'X-RateLimit-Limit': '1000000',
    'X-RateLimit-Remaining': '999999',
    'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1_000) + 60),
  };
}

/** The answer to a request, by its method and address. */
export function requestOf(method: string, url: string): Request {
  if (method === 'POST') return 'create';
  return /\/pets(?:\?.*)?$/.test(url) ? 'list' : url.endsWith(String(nobody)) ? 'missing' : 'get';
}
