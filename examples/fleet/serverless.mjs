// A serverless function on any runtime with fetch: the state is in Redis over HTTP, with the REST protocol of Upstash.
import { PetStoreClient } from 'petstore-client';
import { createFleetGate, redisStore } from 'petstore-client/fleet';

/** One command as a JSON list, and its result. */
const send = (url, token) => async (args) => {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(args) });
  const { result, error } = await response.json();
  if (error !== undefined) throw new Error(error);
  return result;
};

let client;

/** Made once for each instance of the function, and used by all its requests. */
function clientOf(env) {
  const store = redisStore(send(env.UPSTASH_REDIS_REST_URL, env.UPSTASH_REDIS_REST_TOKEN));
  const gate = createFleetGate({ store, storeTimeout: 500 });
  client ??= new PetStoreClient({
    apiKey: env.PETSTORE_API_KEY,
    baseUrl: env.PETSTORE_BASE_URL,
    // A function that waits is paid for: better an error that says when to come back.
    rateLimit: { gate, maxWait: 5_000 },
  });
  return client;
}

export default {
  async fetch(_request, env) {
    try {
      return Response.json(await clientOf(env).listPets({ status: 'available' }));
    } catch (error) {
      const seconds = Math.ceil((error.retryAfter ?? 0) / 1000);
      return new Response(error.name, { status: 503, headers: { 'Retry-After': String(seconds) } });
    }
  },
};
