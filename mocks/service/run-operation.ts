import type { OperationName } from '../../src/contract/index.js';
import { problem, success, type ResponseParts } from '../http/response.js';
import type { ServiceContext } from './context.js';
import { readInput, type Read } from '../pets/inputs.js';
import type { OpenRecord } from '../inspect/journal.js';
import { Problem } from '../http/problem.js';
import { resolvers } from '../pets/resolvers.js';
import { untilAborted } from '../utils/abort.js';

/** Reads what an operation is given, does it (or lets an override), and makes its answer. */
export async function runOperation(
  context: ServiceContext,
  operation: OperationName,
  read: Read,
  record: OpenRecord,
  signal: AbortSignal | undefined,
): Promise<ResponseParts | Response> {
  const { assumptions, overrides } = context;
  const input = readInput[operation](read);
  if (input instanceof Problem) return problem(input, assumptions);
  record.input = input as unknown as Readonly<Record<string, unknown>>;
  const key = record.key!;
  try {
    const live = () => resolvers[operation](input as never, context.storeOf(key), assumptions);
    const overridden = overrides.run(operation, input, key, live);
    const result: unknown = overridden ? await untilAborted(overridden, signal) : live();
    if (result instanceof Response) return result;
    return result instanceof Problem
      ? problem(result, assumptions)
      : success(operation, result, assumptions);
  } catch (error) {
    if (signal?.aborted && error === signal.reason) throw error;
    if (error instanceof Problem) return problem(error, assumptions);
    // A failure of the mock itself, or of an override: said plainly, without the stack.
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return problem(
      new Problem(
        'mockDefect',
        500,
        'The mock failed, not the service.',
        `${operation} threw ${what}`,
      ),
      assumptions,
    );
  }
}
