import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { headers, pets } from '../answers.js';

/** What one would write by hand with hono: a route that answers with a page of pets. */
export default function serveHono({ port }: { port: number }): Promise<never> {
  const app = new Hono().get('/v1/pets', (context) =>
    context.json(pets.slice(0, Number(context.req.query('limit') ?? 20)), 200, headers()),
  );
  serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
  return new Promise(() => undefined);
}
