import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server. Node treats one that has not sent a request yet as busy, and waits for it when the server closes. */
export interface Connections {
  /** The requests in flight. */
  readonly underWay: ReadonlySet<ServerResponse>;
  /** Accepts no more connections, closes the idle ones at once, and the others when they become idle, at the latest after `grace` ms. */
  close(grace: number): Promise<void>;
}

/** Watches the connections of a server, from before it listens. */
export function watchConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  const underWay = new Set<ServerResponse>();
  let isClosing = false;
  const closeIdle = () => {
    const busy = new Set([...underWay].map(({ req }) => req.socket));
    for (const socket of sockets) if (!busy.has(socket)) socket.destroySoon();
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    underWay.add(outgoing);
    outgoing.on('close', () => {
      underWay.delete(outgoing);
      // A closing server does not let a client reuse its connection.
      if (isClosing) closeIdle();
    });
  });
  return {
    underWay,
    async close(grace) {
      const timer = setTimeout(() => server.closeAllConnections(), grace);
      isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      closeIdle();
      await closed;
      clearTimeout(timer);
    },
  };
}
