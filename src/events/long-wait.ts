import { singleton } from '../utils/singleton.js';

/** ms after which a wait for the rate limit is mentioned. */
const longWait = 5_000;

/**
 * Prints one line on the console when a call has waited for 5 s, once in a process: without it, a program that waits for the
 * rate limit looks as if it hung. Returns a function that is to be called when the wait has ended.
 */
export function watchWait(describeCall: () => string): () => void {
  const notice = singleton('long-wait', () => ({ isShown: false }));
  if (notice.isShown) return () => undefined;
  const timer = setTimeout(() => {
    if (notice.isShown) return;
    notice.isShown = true;
    console.warn(
      `petstore-client: ${describeCall()} has waited 5 s for the rate limit, and is still waiting. The options onEvent and logger ` +
        `show all waits, maxWait bounds them, and logLevel: 'off' hides this message. It is shown once.`,
    );
  }, longWait);
  return () => clearTimeout(timer);
}
