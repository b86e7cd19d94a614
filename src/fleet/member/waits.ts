/** How a member of a fleet waits. */
import { systemClock, timer, type Clock } from '../../utils/clock.js';

/** A wait that does not keep the process alive. */
export async function idleSleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (clock !== systemClock) return clock.sleep(ms, signal);
  // In browsers, a timer is a number, which has no such method.
  return timer(ms, signal, (handle) => handle.unref?.());
}

/** A function that runs `run` at the end of the current turn, once however often it is called. */
export function oncePerTurn(run: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      run();
    });
  };
}
