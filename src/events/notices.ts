import { howToSet } from '../contract/environments.js';
import type { Deprecation } from '../contract/operations.js';
import { isShown, showOnce } from '../utils/singleton.js';

type Warns = {
  process: { emitWarning: (message: string, options: { type: string; code: string }) => void };
};

/** Warns once in a process about a deprecated operation: as a `DeprecationWarning` if there is a `process`, otherwise on the console. */
export function warnDeprecated(name: string, { advice }: Deprecation): void {
  const code = `PETSTORE_DEP_${name.toUpperCase()}`;
  showOnce(code, () => {
    const type = 'DeprecationWarning';
    try {
      (globalThis as unknown as Warns).process.emitWarning(advice, { type, code });
    } catch {
      // There is no `process`, it cannot warn, or it throws for what it does not support, as in Next's edge runtime.
      console.warn(`[${code}] ${type}: ${advice}`);
    }
  });
}

/**
 * Prints one line on the console when a client would call the placeholder address, once in a process for each variable. Not an error: a
 * test may intercept the requests to this address.
 */
export function warnOfPlaceholder(variable: string, baseUrl: string): void {
  showOnce(variable, () =>
    console.warn(
      `petstore-client: no address is set, so requests go to the placeholder ${baseUrl}, which does not exist: ` +
        `${howToSet('baseUrl', variable)}. In a test that intercepts requests, logLevel: 'off' hides this message. It is shown once.`,
    ),
  );
}

/** ms after which a wait for the rate limit is mentioned. */
const longWait = 5_000;

/**
 * Prints one line on the console when a call has waited for 5 s, once in a process: without it, a program that waits for the
 * rate limit looks as if it hung. Returns a function that is to be called when the wait has ended.
 */
export function watchWait(describeCall: () => string): () => void {
  if (isShown('long-wait')) return () => undefined;
  const timer = setTimeout(() => {
    showOnce('long-wait', () =>
      console.warn(
        `petstore-client: ${describeCall()} has waited 5 s for the rate limit, and is still waiting. The options onEvent and logger ` +
          `show all waits, maxWait bounds them, and logLevel: 'off' hides this message. It is shown once.`,
      ),
    );
  }, longWait);
  return () => clearTimeout(timer);
}
