import { Problem } from '../http/problem.js';

/**
 * What a function of the author threw, as the answer that says so.
 *
 * @throws the error itself where it is the reason of the aborted request.
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
