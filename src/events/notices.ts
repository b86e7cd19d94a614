import type { Deprecation } from '../contract/operations.js';
import type { WaitCause } from '../rate-limit/types.js';
import { singleton } from '../utils/singleton.js';

/** `true` for the first notice of a name in the process. */
function isFirst(name: string): boolean {
  const shown = singleton('notices', () => new Set<string>());
  const { size } = shown;
  return shown.add(name).size > size;
}

/** Prints one line on the console, once in a process for each name. */
export function warnOnce(name: string, line: string): void {
  if (isFirst(name)) console.warn(`petstore-client: ${line}`);
}

/** Warns once in a process about a deprecated operation: as a `DeprecationWarning` if there is a `process`, otherwise on the console. */
export function warnDeprecated(name: string, { advice }: Deprecation): void {
  if (!isFirst(name)) return;
  const code = `PETSTORE_DEP_${name.toUpperCase()}`;
  const type = 'DeprecationWarning';
  try {
    globalThis.process.emitWarning(advice, { type, code });
  } catch {
    // There is no `process`, it cannot warn, or it throws for what it does not support, as in Next's edge runtime.
    console.warn(`[${code}] ${type}: ${advice}`);
  }
}

/** Says when a call has waited for 5 s: without it, a program that waits for the rate limit looks as if it hung. */
export function warnOfLongWait(call: string, cause: WaitCause | undefined): void {
  warnOnce(
    'long-wait',
    `${call} has waited 5 s for the rate limit (${cause ?? 'the option gate'}), and is still waiting. The options onEvent ` +
      `and logger show all waits, maxWait bounds them, and logLevel: 'off' hides this message. It is shown once.`,
  );
}
