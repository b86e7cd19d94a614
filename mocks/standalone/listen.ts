import { getRequestListener } from '@hono/node-server';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { controlBodyLimit } from '../control/read-body.js';
import { sendOnSocket } from './write-response.js';

/** Where to listen, how long `close` lets requests under way finish (ms), and the longest body (bytes) that the service reads. */
export interface ListenOptions {
  port: number;
  host: string;
  grace: number;
  maxBodyBytes: number;
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** Puts a function from `Request` to `Response` on a port. */
export async function listenOn(
  app: (request: Request) => Promise<Response>,
  { port, host, grace, maxBodyBytes }: ListenOptions,
): Promise<Listening> {
  const listener = getRequestListener(
    (request, { outgoing }) => sendOnSocket(app(request), outgoing as ServerResponse),
    {
      overrideGlobalObjects: false,
      hostname: 'localhost',
    },
  );
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));

  async function answer(
    incoming: IncomingMessage & { rawBody?: Buffer },
    outgoing: ServerResponse,
  ): Promise<void> {
    outgoing.sendDate = false; // the service's own clock decides, or says nothing
    // A client may keep its connection for another request: not with a service that is stopping.
    outgoing.on('finish', () =>
      setImmediate(() => server.listening || server.closeIdleConnections()),
    );
    try {
      incoming.rawBody = await readBounded(
        incoming,
        isControl(incoming.url) ? controlBodyLimit : maxBodyBytes,
      );
    } catch {
      outgoing.destroy(); // the client left in the middle of its own request
      return;
    }
    await listener(incoming, outgoing);
  }

  await opened(server, port, host);
  return { url: address(server, host), close: () => close(server, grace) };
}

const isControl = (url = '') => url.startsWith('/_mock/');

function opened(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port, host)));
    server.listen(port, host, () => resolve());
  });
}

function explained(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const why: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop what listens there, or take another port (0 takes a free one).`,
    EACCES: `Port ${port} on ${host} may not be opened by this user. Take one above 1023.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine.`,
    ENOTFOUND: `${host} is not a known host name.`,
  };
  const message = why[error.code ?? ''];
  return message === undefined
    ? error
    : Object.assign(new Error(message, { cause: error }), { code: error.code });
}

function address(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  // What listens on every address is called by one that can be called.
  const name =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${name}:${port}`;
}

function close(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** So much of a body that is too long is still taken in, so that the client gets to read its answer; beyond it the connection goes. */
const drainLimit = 256_000_000;

/**
 * The body; of a longer one the first `limit + 1` bytes, by which the service sees that it is too long. Memory never
 * holds more.
 *
 * @throws Error, as a rejection, when the client leaves in the middle.
 */
export async function readBounded(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let room = limit + 1;
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > drainLimit) throw new Error('The body is too long to be taken in.');
    if (room <= 0) continue;
    chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
  }
  return Buffer.concat(chunks);
}
