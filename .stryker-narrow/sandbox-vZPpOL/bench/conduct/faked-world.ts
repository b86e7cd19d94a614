// @ts-nocheck
import { install } from '@sinonjs/fake-timers';
import type { MakeWorld } from './run.js';
import type { CreateMockService } from './scenario.js';

/** Turns of the event loop after which nothing in process is still on its way. Streams of `node:http` take the most. */
const turns = 12;
const turn = globalThis.setImmediate;

/** For clients that know only the global timers and `Date`: both are faked until the run is over, and jump from timer to timer. */
export function fakedWorld(createMockService: CreateMockService): MakeWorld {
  return (options, epoch) => {
    const clock = install({
      now: epoch,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
    const setTimeout = globalThis.setTimeout;
    // As Node does: no timer is shorter than 1 ms. A client that waits for fractions would never get on otherwise.
    const atLeastOne = (run: () => void, ms?: number, ...args: []) =>
      setTimeout(run, Math.max(1, Number(ms) || 0), ...args);
    globalThis.setTimeout = Object.assign(atLeastOne, setTimeout) as typeof setTimeout;
    return {
      service: createMockService({ ...options, clock: 'system' }),
      async run(work, limit) {
        let settled = false;
        void work.finally(() => (settled = true)).catch(() => undefined);
        try {
          // Timers are counted only where time stood still: it takes long where there are thousands.
          for (let still = true; clock.now - epoch <= limit;) {
            for (let i = 0; i < turns; i++) await new Promise((resolve) => turn(resolve));
            if (settled) return void (await work);
            if (still && clock.countTimers() === 0)
              throw new Error('A call waits for something that is no timer');
            const before = clock.now;
            still = clock.next() === before;
          }
        } finally {
          clock.uninstall();
        }
      },
    };
  };
}
