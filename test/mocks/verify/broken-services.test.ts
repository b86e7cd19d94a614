// For each statement a service that breaks it, and nothing else if that can be: the verification must catch it.
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import { createMockService, type MockServiceOptions } from '../../../mocks/index.js';
import { isShownByAll, statements } from '../../../mocks/verify/statements/table.js';
import { verifyService, type Permit } from '../../../mocks/verify/index.js';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
}
interface Breaker {
  readonly options?: MockServiceOptions;
  /** Changes the request before the service sees it. */
  readonly request?: (asked: Asked) => { path?: string; key?: string } | undefined;
  /** Changes the answer: the value of its body, its status, its headers. */
  readonly answer?: (asked: Asked, status: number, json: never, headers: Headers) => unknown;
}

const isGetPet = ({ path }: Asked) => path.startsWith('/v1/pets/');
/** Takes a request with a bad key as one with a good one. */
const letIn = (when: (asked: Asked) => boolean): Breaker => ({
  request: (asked) => (when(asked) ? { key: 'Bearer mock-free' } : undefined),
});
/** Makes a pet of a body that is none. */
const makesPet = (part: string): Breaker => ({
  answer: ({ method, body }) =>
    method === 'POST' && body === part
      ? made(201, { id: 900, name: 'x', categoryId: 1 })
      : undefined,
});
const made = (status: number, value: unknown) => ({ status, value });

type Pet = { id: number; name: string; categoryId: number | bigint; status: string };
let refusals = 0;

const breakers: Readonly<Record<string, Breaker>> = {
  reach: { request: ({ path }) => (path === '/v1/pets' ? { path: '/v1/animals' } : undefined) },
  'auth.missing-401': letIn((asked) => isGetPet(asked) && asked.key === null),
  'auth.invalid-401': letIn((asked) => isGetPet(asked) && asked.key !== null),
  'auth.create-401': letIn(({ method, key }) => method === 'POST' && key === null),
  'answer.rate-limit-headers': {
    answer: (_asked, status, _json, headers) => {
      if (status >= 400) headers.delete('x-ratelimit-reset');
      return undefined;
    },
  },
  'answer.reset-timestamp': { options: { assumptions: { resetUnit: 'seconds-from-now' } } },
  'answer.remaining-within-limit': {
    answer: (asked, _status, _json, headers) => {
      if (isGetPet(asked)) headers.set('x-ratelimit-remaining', '61');
      return undefined;
    },
  },
  'answer.json': {
    answer: (_asked, status, _json, headers) => {
      if (status === 404) headers.set('content-type', 'text/html');
      return undefined;
    },
  },
  'error.shape': {
    answer: (_asked, status, { code, status: inBody }: { code: string; status: number }) =>
      status === 404 ? made(404, { code, status: inBody }) : undefined,
  },
  'error.status-repeats': {
    answer: (_asked, status, json: object) =>
      status === 404 ? made(404, { ...json, status: 400 }) : undefined,
  },
  'answer.int64': {
    answer: (asked, status, json: Pet) =>
      isGetPet(asked) && status === 200 ? made(200, { ...json, id: String(json.id) }) : undefined,
  },
  'list.array': {
    answer: ({ path }, status, json) =>
      path === '/v1/pets?limit=100' ? made(status, { data: json }) : undefined,
  },
  'list.id-unique': {
    answer: ({ path }, status, json: Pet[]) =>
      path === '/v1/pets?limit=100' ? made(status, [...json.slice(1), json[1]]) : undefined,
  },
  'list.limit-100': {
    request: ({ path }) =>
      path === '/v1/pets?limit=100' ? { path: '/v1/pets?limit=101' } : undefined,
  },
  'list.default-20': {
    request: ({ path }) => (path === '/v1/pets' ? { path: '/v1/pets?limit=25' } : undefined),
  },
  'list.limit': {
    request: ({ path }) => (path === '/v1/pets?limit=1' ? { path: '/v1/pets' } : undefined),
  },
  'list.status-filter': {
    answer: ({ path }, status, json: Pet[]) =>
      path.includes('status=sold') ? made(status, json.slice(1)) : undefined,
  },
  'get.200': {
    answer: (asked, status, json: Pet) =>
      isGetPet(asked) && status === 200 ? made(200, { ...json, status: 'sold' }) : undefined,
  },
  'get.404': {
    answer: (asked, status) => (isGetPet(asked) && status === 404 ? made(200, null) : undefined),
  },
  'get.int64': {
    answer: ({ path }) => (path.endsWith('/9223372036854775783') ? made(400, {}) : undefined),
  },
  'create.400-missing': makesPet('{"name":"petstore-verify"}'),
  'create.400-type': makesPet('{"name":"petstore-verify","categoryId":"1"}'),
  'create.400-status': makesPet(
    '{"name":"petstore-verify","categoryId":1,"status":"petstore-verify"}',
  ),
  'create.201-echo': {
    answer: (_asked, status, json) => (status === 201 ? made(200, json) : undefined),
  },
  'create.read-back': {
    answer: (asked, status, json: Pet) =>
      isGetPet(asked) && json.name.startsWith('petstore-verify')
        ? made(status, { ...json, categoryId: 2 })
        : undefined,
  },
  'create.int64-exact': {
    answer: ({ method }, status, json: Pet) =>
      method === 'POST' && status === 201
        ? made(201, { ...json, categoryId: Number(json.categoryId) })
        : undefined,
  },
  'create.id-unique': {
    answer: (_asked, status, json: Pet) =>
      status === 201 ? made(201, { ...json, id: 31 }) : undefined,
  },
  'limit.429': { answer: (_asked, status) => (status === 429 ? made(200, []) : undefined) },
  'limit.retry-after': { options: { assumptions: { retryAfter: 'absent' } } },
  'limit.true': {
    answer: (_asked, status) => {
      if (status === 429) refusals++;
      else if (refusals === 1) return made(429, ((refusals = 2), {}));
      return undefined;
    },
  },
};

async function verify(id: string, allow: readonly Permit[]) {
  const { options, request, answer } = breakers[id]!;
  refusals = 0;
  const service = createMockService({ clock: 'virtual', seed: 30, ...options });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const sent = new Request(input, init);
    const url = new URL(sent.url);
    const asked: Asked = {
      method: sent.method,
      path: url.pathname + url.search,
      key: sent.headers.get('authorization'),
      body: await sent.clone().text(),
    };
    const { path, key } = request?.(asked) ?? {};
    const headers = new Headers(sent.headers);
    if (key !== undefined) headers.set('authorization', key);
    const response = await service.fetch(url.origin + (path ?? asked.path), {
      method: asked.method,
      headers,
      ...(asked.method === 'POST' && { body: asked.body }),
    });
    const text = await response.text();
    const all = new Headers(response.headers);
    const json = (text === '' ? null : parseJson(text)) as never;
    const changed = answer?.(asked, response.status, json, all) as
      ReturnType<typeof made> | undefined;
    return changed
      ? new Response(stringifyJson(changed.value), { status: changed.status, headers: all })
      : new Response(text, { status: response.status, headers: all });
  };
  return verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'mock-free',
    fetch,
    clock: service.clock,
    allow,
    // What every answer shows needs them all.
    ...(!isShownByAll(id) && { only: [id] }),
  });
}

test('each statement has a service that breaks it', () => {
  expect(Object.keys(breakers).toSorted()).toEqual(statements.map(({ id }) => id).toSorted());
});

test.for(Object.keys(breakers))('a service that breaks %s is caught', async (id) => {
  const permits = /create/.test(id) ? (['create'] as const) : [];
  const report = await verify(id, id.startsWith('limit.') ? ['rate-limit'] : permits);
  expect(report.statements[id]).toMatchObject({ verdict: 'fails' });
  expect(report.exitCode).toBe(1);
});
