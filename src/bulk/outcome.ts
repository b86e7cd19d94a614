import type { PetStoreClient } from '../client.js';
import { isInt64 } from '../contract/int64.js';
import { operations } from '../contract/operations.js';
import {
  ApiError,
  ConfigurationError,
  RateLimitError,
  PetStoreError,
  RequestValidationError,
  type RequestSent,
  type ResponseValidationError,
} from '../errors/errors.js';
import { farReset } from '../rate-limit/rules/hold-rule.js';
import type { RateLimit } from '../rate-limit/types.js';
import type { Int64Mode, NewPet, Pet } from '../types.js';
import { throwIfAborted } from '../utils/abort.js';
import { messageOf } from '../utils/safe-reads.js';
import type { BulkState } from './journal/journal.js';
import type { BulkStop } from './report.js';

/**
 * A request waits at most this long, ms, at the gate of the client. Longer waits are made by the run itself: only there can a run be
 * ended without doubt about a row, and shown as held.
 */
export const longestWaitAtGate = 1_000;

/** What became of a row that was to be sent, and what that means for the run. */
export interface Outcome {
  /**
   * `created`: the service has added the pet. `rejected`: it refused the row, and would refuse it again. `unsent`: the row was not
   * processed. `unknown`: the pet may exist.
   */
  readonly state: Exclude<BulkState, 'sending' | 'held'>;
  /** The new pet, if its response could be read. */
  readonly pet?: Pet<Int64Mode> | undefined;
  /** The quota as the response reported it. */
  readonly rateLimit?: RateLimit | undefined;
  /** The `Date` of the response, ms since the epoch; `NaN` if it has none. */
  readonly date?: number;
  /** What failed, and its message. */
  readonly error?: unknown;
  readonly reason?: string | undefined;
}

/**
 * Sends one row, unless `signal` is aborted while it waits at the gate. Never rejects. A test double of the client may return a plain
 * promise, which has no response.
 */
export async function sendRow(
  client: Pick<PetStoreClient, 'createPet'>,
  row: NewPet,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  // The client calls this function right before it sends. If the function throws, the client sends nothing.
  const headers = () => {
    throwIfAborted(signal);
    return {};
  };
  try {
    const promise = client.createPet(row, { maxWait: longestWaitAtGate, headers });
    const plain = { data: promise, rateLimit: undefined, response: undefined };
    const sent = await ((promise as Partial<typeof promise>).withResponse?.() ?? plain);
    const { status = success, headers: received }: Partial<Response> = sent.response ?? {};
    if (status !== success) throw new Error(`the service responded ${status}, not ${success}`);
    const pet = (await sent.data) as Pet<Int64Mode>;
    if (!isInt64((pet as Partial<Pet<Int64Mode>> | undefined)?.id))
      throw new Error('createPet of the client gave no pet with an id');
    const date = Date.parse(String(received?.get('date')));
    return { state: 'created', pet, rateLimit: sent.rateLimit, date };
  } catch (error) {
    // The user of an import has rows, not arguments.
    const reason = messageOf(error).replace(/fix the argument$/, 'fix the row');
    return { state: stateOf(error), error, reason };
  }
}

const { success } = operations.createPet;
/** Statuses that say that this row was refused. The interface defines 400; the others are those of HTTP for such a body. */
const refusedRow: readonly number[] = [400, 409, 413, 422];
/** Statuses that leave open whether the request was processed: 303 is also a usual response to a request that was. */
const unclear: readonly number[] = [0, 303, 408];

function stateOf(error: unknown): Outcome['state'] {
  if (!(error instanceof PetStoreError)) return 'unknown';
  const { status = error.attempts.at(-1)?.status } = error as Partial<ResponseValidationError>;
  // The body of a success cannot be read, or did not arrive in time.
  if (status === success) return 'created';
  if (error instanceof ApiError && refusedRow.includes(error.status)) return 'rejected';
  return wasNotProcessed(error) ? 'unsent' : 'unknown';
}

function wasNotProcessed(error: PetStoreError): boolean {
  if (error instanceof RateLimitError) return error.requestSent !== 'unknown';
  if (error instanceof ApiError) return error.status < 500 && !unclear.includes(error.status);
  // The client refused the arguments or an option itself. An attempt was made if, for example, `fetch` gave no response.
  if (error instanceof ConfigurationError || error instanceof RequestValidationError)
    return error.attempts.every(({ status }) => status === 429);
  return (error as { requestSent?: RequestSent }).requestSent === 'no';
}

/** Whether the service failed, and says how long to wait. */
export const statesWait = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 500 && error.headers.has('retry-after');

/** Why a run ended, and what to do. */
export function describeStop(
  reason: BulkStop['reason'],
  error: unknown,
  delay: number,
  retryAt: Date | undefined,
): string {
  const message = messageOf(error);
  if (reason === 'failure') return message;
  if (reason === 'aborted') return `the run was aborted (${message}): run again to continue`;
  const why = error instanceof RateLimitError ? describeHold(error, delay) : message;
  return `${why}: run again after ${retryAt?.toISOString()}, or set acrossDays: true to wait`;
}

/** Why nothing more can be sent for `delay` ms. A ban and a used-up quota differ only in the message of the service, so it is quoted. */
function describeHold({ code, rateLimit, body }: RateLimitError, delay: number): string {
  const usedUp = `${delay >= farReset ? 'the quota of the day' : 'a quota'} is used up`;
  const what = rateLimit?.remaining === 0 ? usedUp : 'the key is held';
  if (code === undefined) return what;
  return `${what}, or the key is banned (the service: ${code}, "${(body as Error).message}")`;
}
