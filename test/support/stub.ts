import {
  PetStoreClient,
  type ApiError,
  type Clock,
  type Int64Mode,
  type PetStoreClientOptions,
} from '../../src/index.js';
import { rejection } from './world.js';

/** A request as a stub of `fetch` got it. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** What a stub answers with: a response, or a function that makes it (and may throw, or never settle). */
export type Reply = Response | ((request: Sent) => Response | Promise<Response>);

/** A `fetch` that answers with the replies in order, the last one again and again, and keeps what it was sent. */
export function stubFetch(
  ...replies: Reply[]
): typeof globalThis.fetch & { readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const { method, url, headers, signal } = request;
    const one: Sent = { method, url, headers, body: await request.text(), signal };
    const reply = replies[Math.min(sent.length, replies.length - 1)] ?? json([]);
    sent.push(one);
    return typeof reply === 'function' ? reply(one) : reply.clone();
  };
  return Object.assign(fetch, { sent });
}

/** An answer with a JSON body: a text is taken as it is. */
export function json(body: unknown, init: ResponseInit = {}): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    ...init,
    headers: { 'Content-Type': 'application/json', ...(init.headers as Record<string, string>) },
  });
}

/** An error response of the service. */
export function errorResponse(
  status: number,
  body: unknown = { code: 'some_code', message: 'Some message.', status },
  headers: HeadersInit = {},
): Response {
  return json(body, { status, headers });
}

/** The three headers of the rate limit. */
export const quotaHeaders = (limit: number, remaining: number, reset: number | string) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(reset),
});

/** A reply that fails as the `fetch` of Node does, with the code of its cause if given. */
export const brokenConnection = (code?: string) => (): never => {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error(), code === undefined ? {} : { code }),
  });
};

/** A schema of a library that follows Standard Schema. */
export const schemaBy = (validate: (value: unknown) => unknown) => ({
  '~standard': { version: 1 as const, vendor: 'test', validate: validate as () => never },
});

/** A body that begins with this text, and then breaks off. */
export function cutBody(text: string, reason = new TypeError('terminated')): ReadableStream {
  let isFirst = true;
  return new ReadableStream({
    pull(controller) {
      if (isFirst) controller.enqueue(new TextEncoder().encode(text));
      else controller.error(reason);
      isFirst = false;
    },
  });
}

/** A reply that sends its headers and a first byte, and no more. */
export const stalls = (init?: ResponseInit) => (): Response =>
  new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([91])) }), init);

/** A pet of the contract, with other fields if given. */
export const pet = (fields: object = {}): Record<string, unknown> => ({
  id: 1,
  name: 'Rex',
  categoryId: 1,
  ...fields,
});

/** A clock on which every wait is over at once, and has passed, and whose time a test lets pass. Shared gates never outlive it. */
export function quickClock(): Clock & { readonly waits: number[]; pass: (ms: number) => void } {
  // As on a machine that has been up for a while: 0 would hide what is added instead of taken away.
  const up = 1_000_000;
  let elapsed = 0;
  const waits: number[] = [];
  return {
    waits,
    pass: (ms) => void (elapsed += ms),
    now: () => Date.UTC(2026, 0, 1) + elapsed,
    monotonic: () => up + elapsed,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      // A turn of the event loop, so that what can be done without waiting is done first.
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      waits.push(ms);
      elapsed += ms;
    },
  };
}

let clients = 0;

/** A client of a stub, with a key of its own, so that no other test's gate is in the way. */
export function stubClient<Mode extends Int64Mode = 'number'>(
  fetch: typeof globalThis.fetch,
  options: PetStoreClientOptions<Mode> = {},
): PetStoreClient<Mode> {
  const all: PetStoreClientOptions<Int64Mode> = {
    apiKey: `stub-key-${++clients}`,
    baseUrl: 'https://pets.test',
    fetch,
    ...options,
  };
  return new PetStoreClient(all) as PetStoreClient<Int64Mode> as PetStoreClient<Mode>;
}

/** The argument of `createPet` where it does not matter. */
export const newPet = { name: 'Rex', categoryId: 1 };

/** What a call rejects with where the service replies so: a `createPet`, whose waits take no time, if nothing else is said. Fails for something else than a `type`. */
export function failureOf<E = ApiError>(
  reply: Reply,
  call: (client: PetStoreClient) => Promise<unknown> = (client) => client.createPet(newPet),
  options: PetStoreClientOptions<Int64Mode> = {},
  type?: abstract new (...args: never[]) => E,
): Promise<E> {
  const client = stubClient(stubFetch(reply), { clock: quickClock(), ...options });
  return rejection(call(client as PetStoreClient), type);
}

/** A `listPets` for {@link failureOf}. */
export const list = (client: PetStoreClient): Promise<unknown> => client.listPets();
