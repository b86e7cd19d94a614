import type { MockClock } from '../clock/duration.js';
import { realTime } from '../clock/macrotask.js';

const pieces = 10;

/**
 * The first half of a body, and then an error. Together with the `Content-Length` of the whole body, it is a body cut off in
 * the middle on every transport. Some transports treat an immediate error as the end of the body.
 */
export function droppedBody(
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let sent = false;
  return stream(signal, async (controller) => {
    if (!sent) {
      sent = true;
      controller.enqueue(bytes.slice(0, Math.ceil(bytes.length / 2)));
      return false;
    }
    await realTime(lateBy);
    controller.error(new TypeError('terminated'));
    return true;
  });
}

/** Long enough for the first half to leave, in real ms. */
const lateBy = 5;

/** A body in ten chunks over `ms` of the clock. */
export function slowBody(
  bytes: Uint8Array,
  ms: number,
  clock: MockClock,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  let at = 0;
  return stream(signal, async (controller, ended) => {
    await clock.sleep(ms / pieces, ended);
    controller.enqueue(bytes.slice(at, at + size));
    at += size;
    if (at < bytes.length) return false;
    controller.close();
    return true;
  });
}

/** Sends the next chunk; true when it was the last. */
type Pull = (
  controller: ReadableStreamDefaultController<Uint8Array>,
  ended: AbortSignal,
) => Promise<boolean>;

/** A stream that fails with the signal's reason when it is aborted, and stops waiting when its reader cancels it. */
function stream(signal: AbortSignal | undefined, pull: Pull): ReadableStream<Uint8Array> {
  const ended = new AbortController();
  const onAbort = () => ended.abort(signal?.reason);
  const forget = () => signal?.removeEventListener('abort', onAbort);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        ended.signal.addEventListener('abort', () => controller.error(ended.signal.reason));
        if (signal?.aborted) onAbort();
        else signal?.addEventListener('abort', onAbort, { once: true });
      },
      async pull(controller) {
        try {
          if (await pull(controller, ended.signal)) forget();
        } catch (error) {
          if (!ended.signal.aborted) throw error;
        }
      },
      cancel() {
        forget();
        ended.abort();
      },
    },
    { highWaterMark: 0 },
  );
}
