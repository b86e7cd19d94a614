import { mockDefect, Problem } from '../http/problem.js';
import type { RecordedRequest } from '../inspect/journal.js';
import type { ServiceContext } from './context.js';

/**
 * The 501 response for an error that an override or another given function threw.
 *
 * @throws the error itself when it is the reason of the aborted request.
 */
export function failureOf(error: unknown, name: string, signal: AbortSignal | undefined): Problem {
  if (signal?.aborted && error === signal.reason) throw error;
  if (error instanceof Problem) return error;
  // A failure of the mock itself, or of an override: its message, without the stack.
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return mockDefect(`${name} threw ${what}`, error);
}

/** Counts a failure of the mock itself, and prints it once, because the code under test may catch the error of the client. */
export function reportDefect(
  { conduct }: ServiceContext,
  request: RecordedRequest,
  key: string | undefined,
  { hint, cause }: Problem,
): void {
  const isNew = conduct.failed(request, key, hint);
  if (!isNew) return;
  const message = `petstore-client/mocks: ${hint}. The request was answered 501, and report().mockDefects counts it.`;
  if (cause === undefined) console.error(message);
  else console.error(message, cause);
}
