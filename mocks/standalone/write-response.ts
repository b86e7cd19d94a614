import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { completeBody } from '../http/response.js';

/** Tells the adapter that there is nothing left to send. */
const alreadySent = () => new Response(null, { headers: { 'x-hono-already-sent': 'true' } });

/**
 * What a web `Response` cannot say to a socket: `Response.error()` becomes a reset, and a body that fails in the middle
 * a connection that is cut there, where the adapter alone would report a failure of its own.
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
    // Nothing read ahead: a slow body stays as slow as it is.
    { highWaterMark: 0 },
  );
}
