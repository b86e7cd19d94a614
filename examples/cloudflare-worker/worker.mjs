// A Cloudflare worker in front of the service. The key is a secret of the worker: wrangler secret put PETSTORE_API_KEY
import { PetStoreClient, RateLimitError } from 'petstore-client';

export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== '/pets')
      return new Response('Not found', { status: 404 });
    // One client for each request, because a worker must not use streams and timers of another request. All clients of an
    // isolate still share one rate limit.
    const client = new PetStoreClient({
      apiKey: env.PETSTORE_API_KEY,
      baseUrl: env.PETSTORE_BASE_URL,
      rateLimit: { maxWait: 5_000 },
    });
    try {
      const pets = await client.listPets({ status: 'available' }, { signal: request.signal });
      return Response.json(pets, { headers: { 'Cache-Control': 'public, max-age=30' } });
    } catch (error) {
      if (error instanceof RateLimitError) {
        const seconds = Math.ceil((error.retryAfter ?? 60_000) / 1_000);
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
