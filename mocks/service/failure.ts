import { Problem } from '../http/problem.js';

/**
 * The 500 response for an error that an override or another given function threw.
 *
 * @throws the error itself when it is the reason of the aborted request.
 */
export function failureOf(error: unknown, name: string, signal: AbortSignal | undefined): Problem {
  if (signal?.aborted && error === signal.reason) throw error;
  if (error instanceof Problem) return error;
  // A failure of the mock itself, or of an override: its message, without the stack.
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new Problem(
    'mockDefect',
    500,
    'The mock failed, not the service.',
    `${name} threw ${what}`,
  );
}
