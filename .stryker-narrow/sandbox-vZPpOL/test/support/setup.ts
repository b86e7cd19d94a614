// @ts-nocheck
import { afterEach, vi } from 'vitest';

/** The notices that the process has shown. */
const notices = Symbol.for('petstore-client.notices');

// After each test the time, the globals, the environment and what was spied on are real again, and no notice has been shown.
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  (globalThis as Record<symbol, Set<string> | undefined>)[notices]?.clear();
});
