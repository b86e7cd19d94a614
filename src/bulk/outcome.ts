import type { PetStoreClient, ResponsePromise } from '../client.js';
import { isInt64 } from '../contract/int64.js';
import { operations } from '../contract/operations.js';
import {
  ApiError,
  ConfigurationError,
  RateLimitError,
  PetStoreError,
  RequestValidationError,
  ResponseValidationError,
  type RequestSent,
} from '../errors/errors.js';
import type { RateLimit } from '../rate-limit/types.js';
import type { NewPet } from '../types.js';
import type { AnyPet } from './report.js';

/**
 * A row waits at most this long, ms, at the gate of the client. Longer waits are made by the run itself: only there can a run be
 * ended without doubt about a row, and shown as held.
 */
const longestWaitAtGate = 1_000;

/**
 * Sends one row. A test double of the client may return a plain promise, which has no response.
 *
 * @returns the pet, and the quota as the response reported it.
 */
export async function sendRow(
  client: Pick<PetStoreClient, 'createPet'>,
  pet: NewPet,
): Promise<{ data: AnyPet; rateLimit?: RateLimit | undefined }> {
  const { success } = operations.createPet;
  const promise = client.createPet(pet, { maxWait: longestWaitAtGate }) as Promise<AnyPet> &
    Partial<ResponsePromise<AnyPet>>;
  const { data, rateLimit, response } = (await promise.withResponse?.()) ?? { data: await promise };
  if ((response?.status ?? success) !== success)
    throw new Error(`the service responded ${response?.status}, not ${success}`);
  if (!isInt64((data as Partial<AnyPet> | undefined)?.id))
    throw new Error('createPet of the client gave no pet with an id');
  return { data, rateLimit };
}

/** What a failed `createPet` means for its row, and for the run. */
export interface FailedOutcome {
  /**
   * `created`: the service has added the pet; its response could not be read. `rejected`: it refused the row, and would refuse it
   * again. `unsent`: the row was not processed. `unknown`: the pet may exist.
   */
  readonly state: 'created' | 'rejected' | 'unsent' | 'unknown';
  /** Why the row was not added. */
  readonly reason: string;
  /** The wait for the rate limit after which the row can be sent. Without it, every other row would fail as an `unsent` one did. */
  readonly wait?: {
    /** ms. */
    readonly delay: number;
    /** The wait is longer than the client accepts: a day, or a ban. */
    readonly isLong: boolean;
    /** The quota is exhausted. `false` if the row only waits for other requests in flight. */
    readonly isHeld: boolean;
  };
}

/** ms to wait if no response says how long. */
const defaultDelay = 1_000;
/** Statuses that say that this row was refused. The interface defines 400; the others are those of HTTP for such a body. */
const refusedRow: readonly number[] = [400, 409, 413, 422];
/** Statuses that leave open whether the request was processed: 303 is also a usual response to a request that was. */
const unclear: readonly number[] = [0, 303, 408];

/** Reads what a failure says about the row. `now`: ms since the Unix epoch. */
export function outcomeOf(error: unknown, now: number): FailedOutcome {
  const reason = messageOf(error);
  if (error instanceof RateLimitError && error.requestSent !== 'unknown')
    return { state: 'unsent', reason, wait: waitOf(error, now) };
  if (error instanceof ResponseValidationError && error.status === operations.createPet.success)
    return { state: 'created', reason };
  // An import has rows, not arguments.
  if (error instanceof ApiError && refusedRow.includes(error.status))
    return {
      state: 'rejected',
      reason: reason.replace(/nothing was changed: fix the argument$/, 'fix the row'),
    };
  return { state: wasNotProcessed(error) ? 'unsent' : 'unknown', reason };
}

/** `attempts`: the service answered 429 again and again. `hold`: it announced a wait beyond the client's maxHold. */
function waitOf({ rateLimit, retryAfter, reason }: RateLimitError, now: number) {
  const isLong = reason === 'attempts' || reason === 'hold';
  const isExhausted = rateLimit?.remaining === 0 && rateLimit.resetAt.getTime() > now;
  return { delay: retryAfter ?? defaultDelay, isLong, isHeld: isLong || isExhausted };
}

function wasNotProcessed(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500 && !unclear.includes(error.status);
  // The client refused the arguments or an option itself. An attempt was made if, for example, `fetch` gave no response.
  if (error instanceof ConfigurationError || error instanceof RequestValidationError)
    return error.attempts.length === 0;
  return (
    error instanceof PetStoreError && (error as { requestSent?: RequestSent }).requestSent === 'no'
  );
}

/** Whether the service itself said that the key is held. */
export function hasResponse(error: unknown): boolean {
  return error instanceof RateLimitError && error.code !== undefined;
}

/** Why nothing more can be sent for long. A ban and a used-up quota look alike but for the words of the service, so it is quoted. */
export function describeHold(error: unknown): string {
  if (!(error instanceof RateLimitError)) return messageOf(error);
  const { code, rateLimit, body } = error;
  const what = rateLimit?.remaining === 0 ? 'the quota of the day is used up' : 'the key is held';
  if (code === undefined) return what;
  const { message } = body as { message: string };
  return `${what}, or the key is banned (the service: ${code}, "${message}")`;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
