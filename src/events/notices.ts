import { howToSet } from '../contract/environments.js';
import type { Deprecation } from '../contract/operations.js';
import type { WaitCause } from '../rate-limit/types.js';
import { showOnce } from '../utils/singleton.js';

type Warns = {
  process: { emitWarning: (message: string, options: { type: string; code: string }) => void };
};

/** Warns once in a process about a deprecated operation: as a `DeprecationWarning` if there is a `process`, otherwise on the console. */
export function warnDeprecated(name: string, { advice }: Deprecation): void {
  showOnce(name, () => {
    const code = `PETSTORE_DEP_${name.toUpperCase()}`;
    const type = 'DeprecationWarning';
    try {
      (globalThis as unknown as Warns).process.emitWarning(advice, { type, code });
    } catch {
      // There is no `process`, it cannot warn, or it throws for what it does not support, as in Next's edge runtime.
      console.warn(`[${code}] ${type}: ${advice}`);
    }
  });
}

/** Says once in a process that the variable `PETSTORE_LOG` has a value that means nothing. It must not stop the program. */
export function warnOfLogLevel(value: string, known: readonly string[]): void {
  showOnce('log-level', () =>
    console.warn(
      `petstore-client: the variable PETSTORE_LOG is ${JSON.stringify(value)}, and is ignored: it must be one of ${known.join(', ')}`,
    ),
  );
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

/**
 * Prints one line on the console when a call has waited for 5 s, once in a process: without it, a program that waits for the
 * rate limit looks as if it hung.
 */
export function warnOfLongWait(call: string, cause: WaitCause | undefined): void {
  showOnce('long-wait', () =>
    console.warn(
      `petstore-client: ${call} has waited 5 s for the rate limit (${cause ?? 'the option gate'}), and is still waiting. The options onEvent ` +
        `and logger show all waits, maxWait bounds them, and logLevel: 'off' hides this message. It is shown once.`,
    ),
  );
}
