import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { completeBody } from '../http/response.js';

/** Signals the adapter that there is nothing left to send. */
const alreadySent = () => new Response(null, { headers: { 'x-hono-already-sent': 'true' } });

/**
 * Writes the failures that the adapter cannot: `Response.error()` becomes a reset of the connection, and a body that fails in the middle
 * a connection that is closed there. The adapter alone would respond with an error of its own.
 */
export async function sendOnSocket(
  answer: Promise<Response>,
  outgoing: ServerResponse,
): Promise<Response> {
  let response: Response;
  try {
    response = await answer;
  } catch (error) {
    return Response.json(
      {
        code: 'mock_failure',
        message: `The mock service itself failed: ${String(error)}`,
        status: 500,
      },
      { status: 500 },
    );
  }
  if (response.type === 'error') {
    outgoing.socket?.resetAndDestroy();
    return alreadySent();
  }
  const text = completeBody(response);
  if (text !== undefined) {
    const headers = {
      ...Object.fromEntries(response.headers),
      'content-length': Buffer.byteLength(text),
    };
    outgoing.writeHead(response.status, headers).end(text);
    return alreadySent();
  }
  return response.body === null
    ? response
    : new Response(cutWhereItFails(response.body, outgoing), response);
}

function cutWhereItFails(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
        } catch {
          outgoing.destroy();
        }
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // No read-ahead, so that a slow body arrives as slowly as it is produced.
    { highWaterMark: 0 },
  );
}
