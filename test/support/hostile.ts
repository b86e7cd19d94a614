import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pet } from './stub.js';

/** What a service does with one request: it has read the headers and the body, and holds the bare socket. */
export type Conduct = (socket: Socket, request: string) => void;

/** A server of bare sockets, which can do what no HTTP server does. It answers each request by the next behaviour of the list, and repeats the last one. */
export async function hostileServer(...conducts: Conduct[]) {
  const sockets = new Set<Socket>();
  /** The requests so far, heads and bodies. */
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let heard = '';
    socket.on('data', (data) => {
      heard += data.toString('latin1');
      const whole = wholeRequest(heard);
      if (whole === undefined) return;
      heard = heard.slice(whole.length);
      const conduct = conducts[Math.min(requests.length, conducts.length - 1)]!;
      requests.push(whole);
      conduct(socket, whole);
    });
  });
  const { port, close } = await listening(server);
  const end = () => {
    sockets.forEach((socket) => socket.destroy());
    return close();
  };
  return { url: `http://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: end };
}

/** Listens on a port of the loopback, until it is closed. */
export async function listening(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close };
}

/** Answers each GET with this list, and each POST with the pet that it adds. */
export const answering =
  (list: string): Conduct =>
  (socket, request) =>
    void socket.write(
      request.startsWith('POST')
        ? http(JSON.stringify(pet()), { status: '201 Created' })
        : http(list),
    );

function wholeRequest(heard: string): string | undefined {
  const end = heard.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = Number(/^content-length: *(\d+)/im.exec(heard.slice(0, end))?.[1] ?? 0);
  return heard.length < end + 4 + length ? undefined : heard.slice(0, end + 4 + length);
}

/** The text of an answer. Without a length of its own it gets the right one. */
export function http(
  body: string,
  { status = '200 OK', headers = {} }: { status?: string; headers?: Record<string, string> } = {},
): string {
  const all = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === '' ? [] : [`${name}: ${value}`],
  );
  return [`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n');
}
