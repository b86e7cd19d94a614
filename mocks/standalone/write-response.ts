import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { CompleteResponse } from '../http/response.js';

/**
 * Writes a response to a port. `Response.error()` becomes a reset of the connection, and a body that fails in the middle a connection
 * that is closed there.
 */
export async function writeResponse(
  answer: Promise<CompleteResponse | Response>,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const response = await answer;
    if (response.type === 'error') outgoing.socket?.resetAndDestroy();
    else if (response.type === 'complete') writeComplete(response, outgoing);
    else await write(response, outgoing);
  } catch (error) {
    // After the head, the body has failed. Before it, the service has, or a status or a header cannot be sent.
    if (outgoing.headersSent) outgoing.destroy();
    else writeFailure(error, outgoing);
  }
}

function writeComplete(
  { status, headers, text }: CompleteResponse,
  outgoing: ServerResponse,
): void {
  const length = text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) };
  outgoing.writeHead(status, { ...headers, ...length }).end(text);
}

async function write({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body === null) outgoing.end();
  else await pipeline(body, outgoing);
}

function writeFailure(error: unknown, outgoing: ServerResponse): void {
  const message = `The mock service itself failed: ${String(error)}`;
  const text = JSON.stringify({ code: 'mock_failure', message, status: 500 });
  const headers = { 'Content-Type': 'application/json' };
  writeComplete({ type: 'complete', status: 500, headers, text }, outgoing);
}
