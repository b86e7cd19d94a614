// @ts-nocheck
// What one would write by hand with hono: a route that answers with a page of pets.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { headers, pets } from './answers.ts';

const app = new Hono().get('/v1/pets', (context) =>
  context.json(pets.slice(0, Number(context.req.query('limit'))), 200, headers()),
);
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` })),
);
