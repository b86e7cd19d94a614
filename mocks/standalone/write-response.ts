import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { CompleteResponse } from '../http/response.js';

/**
 * Writes a response to a port. `Response.error()` becomes a reset of the connection, and a body that fails in the middle a connection
 * that is closed there.
 */
export async function writeResponse(
  answer: Promise<CompleteResponse | Response>,
  outgoing: ServerResponse,
): Promise<void> {
  const response = await answer.catch(toFailure);
  if (response.type === 'error') {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  if (response.type === 'complete') {
    try {
      return writeComplete(response, outgoing);
    } catch (error) {
      // A status or a header that cannot be sent, as a recording may hold. Nothing was written.
      return writeResponse(Promise.reject(error as Error), outgoing);
    }
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await writeBody(response.body, outgoing);
}

function writeComplete(
  { status, headers, text }: CompleteResponse,
  outgoing: ServerResponse,
): void {
  const length = text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) };
  outgoing.writeHead(status, { ...headers, ...length }).end(text);
}

function toFailure(error: unknown): Response {
  const message = `The mock service itself failed: ${String(error)}`;
  return Response.json({ code: 'mock_failure', message, status: 500 }, { status: 500 });
}

/** One chunk at a time, so that a slow body arrives as slowly as it is produced. */
async function writeBody(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  const reader = body.getReader();
  outgoing.on('close', () => void reader.cancel().catch(() => undefined));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } catch {
    outgoing.destroy();
  }
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.on('drain', done).on('close', done);
  });
}
