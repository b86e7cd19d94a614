import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { whenAborted, withDeadline } from '../../src/utils/abort.js';

const never = () => new Promise<never>(() => undefined);
const late = new Error('late');
const gone = new Error('gone');

beforeEach(() => void vi.useFakeTimers());

test('whichever comes first decides: the work, the deadline or the signal; nothing is left behind', async () => {
  const time = fc.integer({ min: 1, max: 50 });
  await fc.assert(
    fc.asyncProperty(time, fc.boolean(), time, time, async (done, fails, deadline, aborted) => {
      fc.pre(new Set([done, deadline, aborted]).size === 3);
      const controller = new AbortController();
      let inner: AbortSignal | undefined;
      const outcome = withDeadline(
        controller.signal,
        deadline,
        () => late,
        (signal) => {
          inner = signal;
          return new Promise((resolve, reject) =>
            setTimeout(() => (fails ? reject(gone) : resolve('done')), done),
          );
        },
      ).catch((error: unknown) => error);
      setTimeout(() => controller.abort('left'), aborted);
      await vi.advanceTimersByTimeAsync(60);
      const first = Math.min(done, deadline, aborted);
      const why = first === deadline ? late : 'left';
      expect(await outcome).toBe(first === done ? (fails ? gone : 'done') : why);
      expect(inner?.reason).toBe(first === done ? undefined : why);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    }),
  );
});

test('work that throws at once is a rejection, and an aborted signal begins no work', async () => {
  const thrown = withDeadline(undefined, Infinity, never, () => {
    throw gone;
  });
  await expect(thrown).rejects.toBe(gone);
  const work = vi.fn();
  await expect(withDeadline(AbortSignal.abort('left'), 5, never, work)).rejects.toBe('left');
  expect(work).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('a wait that another one leaves while their signal is aborted is not ended', () => {
  const controller = new AbortController();
  const ended: string[] = [];
  whenAborted(controller.signal, () => (ended.push('first'), leave()));
  const leave = whenAborted(controller.signal, () => ended.push('second'));
  controller.abort();
  expect(ended).toEqual(['first']);
});
