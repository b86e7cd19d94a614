// @ts-nocheck
// A server route. The pages of the shop call it, so the API key stays on the server.
import { Hono } from 'hono';
import {
  ApiError,
  ConnectionError,
  PetStoreClient,
  RateLimitError,
  RequestValidationError,
  TimeoutError,
} from 'petstore-client';

/** One client for all requests, which share its rate limit. No visitor waits longer than `maxWait` ms. */
export function createShop(client = new PetStoreClient({ maxWait: 2_000 })) {
  const shop = new Hono();

  shop.get('/api/pets', async (c) => {
    // The route fixes the query, so that visitors cannot send any request to the service.
    const pets = await client.listPets(
      { status: 'available', limit: 100 },
      { signal: c.req.raw.signal },
    );
    return c.json(pets.map(({ id, name }) => ({ id, name })));
  });

  shop.onError((error, c) => {
    if (c.req.raw.signal.aborted) return new Response(null, { status: 499 }); // the visitor left: no failure to log
    if (error instanceof RateLimitError) {
      const seconds = Math.ceil((error.retryAfter ?? 1_000) / 1_000);
      return c.json({ message: `We are busy. Please come back in ${seconds} seconds.` }, 503, {
        'Retry-After': String(seconds),
      });
    }
    // Errors of the client never contain the API key, so they are safe to log. Visitors do not see them.
    console.error(error);
    if (error instanceof RequestValidationError)
      return c.json({ message: 'The request is not valid.' }, 400);
    const isServiceFailure =
      error instanceof ApiError ||
      error instanceof ConnectionError ||
      error instanceof TimeoutError;
    return c.json(
      { message: 'The shop is not available at the moment.' },
      isServiceFailure ? 502 : 500,
    );
  });

  return shop;
}
