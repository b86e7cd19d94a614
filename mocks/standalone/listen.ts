import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { placeAt } from '../utils/client-gates.js';
import { toPortRequest, writeResponse, type App } from './exchange.js';

/** Where to listen, and how long `close` waits for requests in flight (ms). */
export interface ListenOptions {
  port: number;
  host: string;
  grace: number;
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  /** The number of requests in flight. */
  underWay(): number;
  /** Accepts no more connections, closes the idle ones at once, and the others when they become idle, at the latest after `grace` ms. */
  close(): Promise<void>;
}

/** Puts an app on a port. */
export async function listenOn(app: App, { port, host, grace }: ListenOptions): Promise<Listening> {
  // Such as an IPv6 address with a zone. Found before the server listens, because nobody could close it.
  if (!URL.canParse(addressOf(host, port)))
    throw new Error(
      `No URL can have the host ${host}. Take a name, or an address without brackets, port and zone, such as ::1.`,
    );
  // An `import` of this module reads all its exports, and thereby loads Node's `fetch`, which takes a third of the start.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer((incoming, outgoing) => void answer(app, incoming, outgoing));
  // Longer than a test pauses: with Node's 5 s, a client that reuses an idle connection can meet its end, and fail.
  server.keepAliveTimeout = 120_000;
  const connections = watchConnections(server, grace);
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, port, host);
  }
  const url = addressOf(host, (server.address() as AddressInfo).port);
  placeAt(server, [url]);
  return { url, ...connections };
}

async function answer(app: App, incoming: IncomingMessage, outgoing: ServerResponse) {
  outgoing.sendDate = false; // The service itself sends a `Date`, by its own clock.
  const request = toPortRequest(incoming, outgoing);
  if (request === undefined) outgoing.writeHead(400).end();
  else await writeResponse(app(request), outgoing);
}

function explained(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const { code = '' } = error;
  const why: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop what listens there, or take another port (0 takes a free one).`,
    EACCES: `Port ${port} on ${host} may not be opened by this user. Take one above 1023.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine.`,
    ENOTFOUND: `${host} is not a known host name.`,
  };
  return Object.assign(new Error(why[code] ?? error.message, { cause: error }), { code });
}

/** A server that listens on every address shows one that a client can connect to. */
function addressOf(host: string, port: number): string {
  const name =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${name}:${port}`;
}

/**
 * Watches the connections of a server, from before it listens. Node treats one that has not sent a request yet as busy, and waits for
 * it when the server closes.
 */
function watchConnections(server: Server, grace: number): Omit<Listening, 'url'> {
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
    underWay: () => underWay.size,
    async close() {
      const timer = setTimeout(() => server.closeAllConnections(), grace);
      isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      closeIdle();
      await closed;
      clearTimeout(timer);
    },
  };
}
