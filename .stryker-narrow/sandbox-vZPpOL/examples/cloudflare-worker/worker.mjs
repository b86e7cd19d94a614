// @ts-nocheck
// A Cloudflare worker in front of the service. The key is a secret of the worker: wrangler secret put PETSTORE_API_KEY
import { PetStoreClient, RateLimitError } from 'petstore-client';

let client;

/** One client for all requests of an isolate, made by the first request, because `env` comes with it. */
const clientOf = (env) =>
  (client ??= new PetStoreClient({
    apiKey: env.PETSTORE_API_KEY,
    baseUrl: env.PETSTORE_BASE_URL,
    maxWait: 5_000,
  }));

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== '/pets')
      return new Response('Not found', { status: 404 });
    const call = clientOf(env).listPets({ status: 'available' }, { signal: request.signal });
    // A worker drops the timers and fetches of a request that has ended. Other requests wait at the same gate, so a call
    // that has begun must come to its end.
    context.waitUntil(call.catch(() => undefined));
    try {
      return Response.json(await call, { headers: { 'Cache-Control': 'public, max-age=30' } });
    } catch (error) {
      if (request.signal.aborted) return new Response(null, { status: 499 }); // the visitor left
      if (error instanceof RateLimitError) {
        const seconds = Math.ceil((error.retryAfter ?? 1_000) / 1_000);
        return Response.json(
          { message: 'Busy' },
          { status: 503, headers: { 'Retry-After': String(seconds) } },
        );
      }
      console.error(error);
      return Response.json({ message: 'The store is not available' }, { status: 502 });
    }
  },
};
