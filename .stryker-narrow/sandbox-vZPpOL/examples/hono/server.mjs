// @ts-nocheck
// PETSTORE_API_KEY=… PORT=3000 node server.mjs
import { serve } from '@hono/node-server';
import { createShop } from './shop.mjs';

const server = serve(
  { fetch: createShop().fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) },
  ({ port }) => console.log(`http://127.0.0.1:${port}/api/pets`),
);
process.on('SIGTERM', () => server.close());
