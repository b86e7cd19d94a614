// A serverless function on any runtime with fetch: the state is in Redis over HTTP, with the REST protocol of Upstash.
import { PetStoreClient, RateLimitError } from 'petstore-client';
import { createFleetGate, redisStore } from 'petstore-client/fleet';

/** One command as a JSON list, and its result. */
const send = (url, token) => async (args) => {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(args) });
  const { result, error } = await response.json();
  if (error !== undefined) throw new Error(error);
  return result;
};

function createClient(env) {
  const store = redisStore(send(env.UPSTASH_REDIS_REST_URL, env.UPSTASH_REDIS_REST_TOKEN));
  return new PetStoreClient({
    apiKey: env.PETSTORE_API_KEY,
    baseUrl: env.PETSTORE_BASE_URL,
    // You pay while a function waits: an error that says when to come back costs less.
    gate: createFleetGate({ store, storeTimeout: 500 }),
    maxWait: 5_000,
  });
}

let client;

/** The client with its store and its gate, made once for each instance of the function, and used by all its requests. */
const clientOf = (env) => (client ??= createClient(env));

export default {
  async fetch(_request, env, context) {
    const call = clientOf(env).listPets({ status: 'available' });
    // Cloudflare drops the timers and fetches of a request that has ended. Other requests wait at the same gate, so a call
    // that has begun must come to its end.
    context?.waitUntil(call.catch(() => undefined));
    try {
      return Response.json(await call);
    } catch (error) {
      if (!(error instanceof RateLimitError)) {
        console.error(error);
        return new Response('The pet store is not available.', { status: 502 });
      }
      // One second if the time is unknown: a call that comes too early gets this response again, and nothing is sent.
      const seconds = Math.ceil((error.retryAfter ?? 1_000) / 1_000);
      return new Response('Busy', { status: 503, headers: { 'Retry-After': String(seconds) } });
    }
  },
};
