/**
 * Schedules work after everything else that can run. The globals are read when the module loads, so that fake timers, which
 * replace them later, do not stop the service.
 */
// @ts-nocheck

const immediate = (globalThis as { setImmediate?: (done: () => void) => unknown }).setImmediate;
const later = globalThis.setTimeout;
const Channel = globalThis.MessageChannel as typeof MessageChannel | undefined;

let channel: MessageChannel | undefined;
const waiting: (() => void)[] = [];

/** Calls `done` in a macrotask of its own. */
export function nextMacrotask(done: () => void): void {
  if (immediate) immediate(done);
  else if (Channel) {
    channel ??= listen(new Channel());
    waiting.push(done);
    channel.port2.postMessage(0);
  } else later(done, 0);
}

/** Resolves after `ms` of real time, on every clock. */
export function realTime(ms: number): Promise<void> {
  return new Promise((resolve) => later(resolve, ms));
}

function listen(made: MessageChannel): MessageChannel {
  made.port1.onmessage = () => waiting.shift()?.();
  return made;
}
