import { headers } from '../../src/contract/index.js';
import { mockDefect, Problem } from '../http/problem.js';
import type { JournalEntry } from '../inspect/journal.js';
import type { ServiceRequest } from '../http/request.js';
import type { ServiceContext } from './context.js';

/**
 * The problem to respond with when an override throws: the one that `next()` threw, else a 501.
 *
 * @throws the error itself when it is the reason of the aborted request.
 */
export function failureOf(error: unknown, name: string, signal: AbortSignal | undefined): Problem {
  if (signal?.aborted && Object.is(error, signal.reason)) throw error;
  if (error instanceof Problem) return error;
  // A failure of the mock itself, or of an override: its message, without the stack.
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return mockDefect(`${name} threw ${what}`, error);
}

/** Counts a failure of the mock itself, and prints it once, because the code under test may catch the error of the client. */
export function reportDefect(
  { journal }: ServiceContext,
  entry: JournalEntry,
  { hint, cause }: Problem,
): void {
  if (!journal.addDefect(entry, hint)) return;
  const message = `petstore-client/mocks: ${hint}. The request was answered 501, and report().mockDefects counts it.`;
  if (cause === undefined) console.error(message);
  else console.error(message, cause);
}

const warned = /* @__PURE__ */ new WeakSet<ServiceContext['clock']>();

/**
 * For a service whose clock no client reads. Prints once that its quota is used up, but that its client does not wait on its virtual clock: the
 * client then waits in real time for a minute that never passes, and a test only runs into its timeout.
 */
export function warnOfUnusedClock(
  { clock }: ServiceContext,
  request: Pick<ServiceRequest, 'headers'>,
  response: Response,
): void {
  if (response.status !== 429 && response.headers.get(headers.remaining) !== '0') return;
  if (!request.headers.get('user-agent')?.startsWith('petstore-client/') || warned.has(clock))
    return;
  warned.add(clock);
  console.warn(
    "petstore-client/mocks: the quota is used up, and this service has clock: 'virtual', but its client waits in real time, in which the " +
      'quota never returns: pass clock: service.clock to the client.',
  );
}
