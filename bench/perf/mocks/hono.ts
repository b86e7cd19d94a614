import { Hono } from 'hono';
import { answer, init, url } from './by-hand.js';
import type { Mock } from './index.js';

/** The same function by hand behind the router of hono. */
export async function hono(): Promise<Mock> {
  const app = new Hono().get('/v1/pets', ({ req }) => answer(req.raw));
  return { ask: async () => app.fetch(new Request(url, init)) };
}
