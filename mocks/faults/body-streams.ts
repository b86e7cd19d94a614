import type { MockClock } from '../clock/duration.js';
import { realTime } from '../clock/macrotask.js';
import { untilAborted } from '../utils/abort.js';

const pieces = 10;

/** Long enough for the first half of a body to leave, in real ms. */
const lateBy = 5;

/**
 * The first half of a body, and then an error. Together with the `Content-Length` of the whole body, it is a body cut off in
 * the middle on every transport. Some transports treat an immediate error as the end of the body.
 */
export function droppedBody(
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  return stream(signal, async function* () {
    yield bytes.slice(0, Math.ceil(bytes.length / 2));
    await realTime(lateBy);
    throw new TypeError('terminated');
  });
}

/** A body in ten chunks over `ms` of the clock. */
export function slowBody(
  bytes: Uint8Array,
  ms: number,
  clock: MockClock,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  return stream(signal, async function* (ended) {
    for (let at = 0; at < bytes.length; at += size) {
      await clock.sleep(ms / pieces, ended);
      yield bytes.slice(at, at + size);
    }
  });
}

/** A stream that fails with the signal's reason when it is aborted, and whose chunks are told when it has ended. */
function stream(
  signal: AbortSignal | undefined,
  make: (ended: AbortSignal) => AsyncGenerator<Uint8Array, void>,
): ReadableStream<Uint8Array> {
  const ended = new AbortController();
  const chunks = make(ended.signal);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await untilAborted(chunks.next(), signal);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          ended.abort();
          controller.error(error);
        }
      },
      cancel: () => ended.abort(),
    },
    { highWaterMark: 0 },
  );
}
