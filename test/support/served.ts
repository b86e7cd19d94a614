import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { serve, type ServeOptions } from '../../mocks/server.js';
import type { MockService, MockServiceOptions } from '../../mocks/service/types.js';

/** Serves a service on a port until the test ends. */
export async function served(service: MockService, where: ServeOptions = {}) {
  const server = await serve(service, { grace: 20, ...where });
  onTestFinished(() => server.close());
  return server;
}

/** A new service with three pets, on a port until the test ends. */
export async function startServed(options: MockServiceOptions = {}, where: ServeOptions = {}) {
  const service = createMockService({ seed: 3, ...options });
  const server = await served(service, where);
  return { service, server, url: server.url, port: Number(new URL(server.url).port) };
}

/** A new service on a port, until the test ends, whose plan lets an import through in seconds: that of the key `quick`. */
export const serveForImport = () =>
  startServed({ seed: 0, keys: { quick: { plan: { perMinute: 100_000, perDay: 1_000_000 } } } });

/** Sends raw bytes to a port, closes this side, and gives back all that comes. */
export function sendRaw(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.end(bytes);
  });
}
