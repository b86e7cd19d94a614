// @ts-nocheck
import { apiKey, newPet, nobody, zodList, type RequestName } from './answers.js';
import { load } from '../product.js';

/** Where a client sends its requests: over that `fetch`. With Node's, a client that has its own way takes that. */
export interface Target {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
}

/** The requests of one client. `missing` resolves to the error. */
export type Calls = Readonly<Record<RequestName, () => Promise<unknown>>>;

const authorization = `Bearer ${apiKey}`;

/** A client that has a method for each verb; `get` and `post` make one request. */
function callsOf(
  get: (path: string, query?: { limit: number }) => PromiseLike<unknown>,
  post: (path: string, body: object) => PromiseLike<unknown>,
): Calls {
  return {
    list: async () => get('pets', { limit: 100 }),
    get: async () => get('pets/1'),
    create: async () => post('pets', newPet),
    missing: () => Promise.resolve(get(`pets/${nobody}`)).catch((error: unknown) => error),
  };
}

const query = (params?: { limit: number }) => (params ? `?limit=${params.limit}` : '');

/** petstore-client with its defaults: gate, timeout, exact ids, Zod. */
async function ours({ baseUrl, fetch }: Target, int64: 'number' | 'bigint'): Promise<Calls> {
  const { PetStoreClient } = await load('index');
  const client = new PetStoreClient({ apiKey, baseUrl, fetch, int64 });
  return {
    list: () => client.listPets({ limit: 100 }),
    get: () => client.getPet(1),
    create: () => client.createPet(newPet),
    missing: () => client.getPet(nobody).catch((error: unknown) => error),
  };
}

/** `fetch`, `text()` and `JSON.parse`, with the key and nothing else but `check`. */
function bare({ baseUrl, fetch }: Target, check = (value: unknown) => value) {
  const headers = { authorization, accept: 'application/json' };
  const json = async (url: string, init: RequestInit) =>
    check(JSON.parse(await (await fetch(url, init)).text()) as unknown);
  return callsOf(
    (path, params) => json(`${baseUrl}/${path}${query(params)}`, { headers }),
    (path, body) =>
      json(`${baseUrl}/${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  );
}

/** The clients, each loaded where it is measured and nowhere else. The first is what the others are compared with. */
export const clients: Readonly<Record<string, (target: Target) => Promise<Calls>>> = {
  fetch: async (target) => bare(target),
  'petstore-client': (target) => ours(target, 'number'),
  "petstore-client, int64: 'bigint'": (target) => ours(target, 'bigint'),
  /** The floor with Zod, as one would write it. */
  async 'fetch + zod'(target) {
    const list = await zodList();
    return bare(target, (value) => list.parse(Array.isArray(value) ? value : [value]));
  },
  /** Everything that ky can leave out left out. */
  async 'ky, one bare call'({ baseUrl, fetch }) {
    const { default: ky } = await import('ky');
    const options = { retry: 0, timeout: false, throwHttpErrors: false } as const;
    const client = ky.create({ ...options, fetch });
    return bare({ baseUrl, fetch: client as typeof globalThis.fetch });
  },
  async 'ky, defaults'({ baseUrl, fetch }) {
    const { default: ky } = await import('ky');
    const client = ky.create({ prefix: baseUrl, headers: { authorization }, fetch });
    return callsOf(
      (path, searchParams) => client.get(path, searchParams && { searchParams }).json(),
      (path, json) => client.post(path, { json }).json(),
    );
  },
  /** Types from a description, no checks at run time. */
  async 'openapi-fetch'({ baseUrl, fetch }) {
    const { default: createClient } = await import('openapi-fetch');
    const client = createClient<Record<string, never>>({
      baseUrl,
      headers: { authorization },
      fetch,
    }) as unknown as Record<'GET' | 'POST', (path: string, init: object) => Promise<unknown>>;
    const get = (petId: number) => client.GET('/pets/{petId}', { params: { path: { petId } } });
    return {
      list: () => client.GET('/pets', { params: { query: { limit: 100 } } }),
      get: () => get(1),
      create: () => client.POST('/pets', { body: newPet }),
      missing: () => get(nobody),
    };
  },
  /** The client core of the openai package, the same as in the other SDKs made by Stainless. */
  async 'openai core'({ baseUrl, fetch }) {
    const { default: OpenAI } = await import('openai');
    const client = new OpenAI({ apiKey, baseURL: baseUrl, fetch });
    return callsOf(
      (path, params) => client.get(`/${path}`, params && { query: params }),
      (path, body) => client.post(`/${path}`, { body }),
    );
  },
  async axios({ baseUrl, fetch }) {
    const { default: axios } = await import('axios');
    const client = axios.create({
      baseURL: baseUrl,
      headers: { Authorization: authorization },
      ...(fetch !== globalThis.fetch && { adapter: 'fetch', env: { fetch } }),
    });
    return callsOf(
      (path, params) => client.get(`/${path}`, params && { params }),
      (path, body) => client.post(`/${path}`, body),
    );
  },
  /** The client core of the stripe package: `rawRequest`, as for endpoints that it does not know. */
  async 'stripe rawRequest'({ baseUrl, fetch }) {
    const { default: Stripe } = await import('stripe');
    const { hostname, port, protocol, pathname } = new URL(baseUrl);
    const client = new Stripe(apiKey, {
      host: hostname,
      ...(port && { port }),
      protocol: protocol === 'http:' ? 'http' : 'https',
      telemetry: false,
      ...(fetch !== globalThis.fetch && { httpClient: Stripe.createFetchHttpClient(fetch) }),
    });
    return callsOf(
      (path, params) => client.rawRequest('GET', `${pathname}/${path}${query(params)}`),
      (path, body) =>
        client.rawRequest('POST', `${pathname}/${path}`, body as Record<string, unknown>),
    );
  },
  /** The request function that Octokit is built on. */
  async 'octokit request'({ baseUrl, fetch }) {
    const { request } = await import('@octokit/request');
    const call = request.defaults({ baseUrl, headers: { authorization }, request: { fetch } });
    return callsOf(
      (path, params) => call(`GET /${path}`, params),
      (path, body) => call(`POST /${path}`, body as Record<string, unknown>),
    );
  },
  /** It speaks only over sockets. */
  async got({ baseUrl }) {
    const { default: got } = await import('got');
    const client = got.extend({ prefixUrl: baseUrl, headers: { authorization } });
    return callsOf(
      (path, searchParams) => client.get(path, searchParams && { searchParams }).json(),
      (path, json) => client.post(path, { json }).json(),
    );
  },
};
