import type { IncomingMessage } from 'node:http';

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
