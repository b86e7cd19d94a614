import { afterAll, afterEach, vi } from 'vitest';
import { forgetGates } from '../../src/contract/handshake.js';
import { doAtEnd } from './at-end.js';

/** The notices that the process has shown. */
const notices = Symbol.for('petstore-client.notices');

// After each test the time, the globals, the environment and what was spied on are real again, and no notice has been shown.
afterEach(() => {
  // First what a test spied on: it may be a fake timer.
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  (globalThis as Record<symbol, Set<string> | undefined>)[notices]?.clear();
});

// A real timer that a file leaves, for example of calls that wait for ever, would fire in the middle of the next: under the fake timers of
// a test there it would set another one, or let a sleep end so early that the clock leaps.
const timers: ReturnType<typeof setTimeout>[] = [];
const start = globalThis.setTimeout;
globalThis.setTimeout = Object.assign((...args: Parameters<typeof setTimeout>) => {
  const timer = start(...args);
  timers.push(timer);
  return timer;
}, start);

const everything: Pick<ReadonlySet<string>, 'has'> = { has: () => true };

// The files that share a worker share its gates too: a hold of one must not reach the next.
afterAll(async () => {
  forgetGates(everything as ReadonlySet<string>);
  await doAtEnd();
  timers.forEach(clearTimeout);
  globalThis.setTimeout = start;
});
