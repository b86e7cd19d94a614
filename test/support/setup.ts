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

const everything: Pick<ReadonlySet<string>, 'has'> = { has: () => true };

// The files that share a worker share its gates too: a hold of one must not reach the next.
afterAll(async () => {
  forgetGates(everything as ReadonlySet<string>);
  await doAtEnd();
});
