// A server route that keeps the API key on the server: pages of the shop ask here, and never see it.
import { Hono } from 'hono';
import {
  ApiError,
  ConnectionError,
  PetStoreClient,
  RateLimitError,
  RequestValidationError,
  TimeoutError,
} from 'petstore-client';

/** One client for all requests: they share its rate limit. A visitor does not wait longer than `maxWait` for it. */
export function createShop(client = new PetStoreClient({ rateLimit: { maxWait: 2_000 } })) {
  const shop = new Hono();

  shop.get('/api/pets', async (c) => {
    // Only what the shop wants to offer: this is no open door to the service.
    const pets = await client.listPets(
      { status: 'available', limit: 100 },
      { signal: c.req.raw.signal },
    );
    return c.json(pets.map(({ id, name }) => ({ id, name })));
  });

  shop.onError((error, c) => {
    if (error instanceof RateLimitError) {
      const seconds = Math.ceil((error.retryAfter ?? 60_000) / 1_000);
      return c.json({ message: `We are busy. Please come back in ${seconds} seconds.` }, 503, {
        'Retry-After': String(seconds),
      });
    }
    // No error of the client holds the key, so it can be logged as it is. The visitor needs none of it.
    console.error(error);
    if (error instanceof RequestValidationError)
      return c.json({ message: 'That is no valid request.' }, 400);
    const theirs =
      error instanceof ApiError ||
      error instanceof ConnectionError ||
      error instanceof TimeoutError;
    return c.json({ message: 'The shop is closed for a moment.' }, theirs ? 502 : 500);
  });

  return shop;
}
