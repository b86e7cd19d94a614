import type { IncomingMessage } from 'node:http';

/** Bytes of a body that is too long that are still received, so that the client reads the response; after them the connection is closed. */
const drainLimit = 256_000_000;

/** The first size of the buffer: most bodies are shorter. */
const firstSize = 1_024;

/**
 * The body. A body longer than `limit` is cut to `limit + 1` bytes, which shows the service that it is too long.
 * The bytes are copied into one buffer, because a chunk of one byte keeps the whole block of the socket in memory.
 *
 * @throws Error, as a rejection, when the client closes the connection before the end.
 */
export async function readBounded(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const kept = limit + 1;
  let buffer = Buffer.allocUnsafe(Math.min(kept, firstSize));
  let length = 0;
  let received = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > drainLimit) throw new Error('The body is too long to be received.');
    const part = chunk.subarray(0, kept - length);
    if (length + part.length > buffer.length) {
      const larger = Buffer.allocUnsafe(
        Math.min(kept, Math.max(buffer.length * 2, length + part.length)),
      );
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    length += part.copy(buffer, length);
  }
  return buffer.subarray(0, length);
}
