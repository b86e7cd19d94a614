/** What the service answers with in these benches: the same bytes for every client and mock. */
// @ts-nocheck

export const pets = Array.from({ length: 100 }, (_, at) => ({
  id: at + 1,
  name: `Pet number ${at + 1}`,
  categoryId: (at % 9) + 1,
  status: (['available', 'pending', 'sold'] as const)[at % 3],
}));
export const newPet = { name: 'Rex', categoryId: 1, status: 'available' } as const;
/** The id that is not there. */
export const nobody = 404_404;
export const apiKey = 'sk_bench_0123456789';

const missing = { code: 'not_found', message: 'There is no pet with this id.', status: 404 };
const answers = {
  list: { body: JSON.stringify(pets), status: 200 },
  get: { body: JSON.stringify(pets[0]), status: 200 },
  create: { body: JSON.stringify(pets[0]), status: 201 },
  missing: { body: JSON.stringify(missing), status: 404 },
};

export type RequestName = keyof typeof answers;

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
export function answerTo(method: string, url: string): (typeof answers)[RequestName] {
  if (method === 'POST') return answers.create;
  if (/\/pets(?:\?.*)?$/.test(url)) return answers.list;
  return url.endsWith(String(nobody)) ? answers.missing : answers.get;
}

let head = headers();
let made = Date.now();

/** A `fetch` without a network: answers at once. The head is renewed each second, as that of a service is. */
export async function stub(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = input instanceof Request ? input : undefined;
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
  const { body, status } = answerTo(method, request?.url ?? String(input));
  const now = Date.now();
  if (now - made > 1_000) [head, made] = [headers(), now];
  return new Response(body, { status, headers: head });
}

/** The schema of a list of pets, as one would write it. */
export async function zodList() {
  const z = await import('zod');
  const status = z.enum(['available', 'pending', 'sold']).optional();
  return z.array(z.object({ id: z.int(), name: z.string(), categoryId: z.int(), status }));
}
