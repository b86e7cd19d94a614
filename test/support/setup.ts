import { afterEach, vi } from 'vitest';

// After each test the time, the globals, the environment and what was spied on are real again.
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
