import { createServer } from 'node:net';

/**
 * A port of the loopback on which nobody listens. It is below those that a system gives to connections, also with 10,000 more, as the bus of a
 * Redis Cluster has: any connection could take one of them before it is used.
 */
export const freePort = () =>
  new Promise((resolve) => {
    const port = 11_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(port, '127.0.0.1', () =>
      server.close(() => resolve(port)),
    );
    server.on('error', () => resolve(freePort()));
  });
