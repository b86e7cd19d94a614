import { operations } from '../contract/operations.js';
import { ApiError, RateLimitError } from '../errors/api-errors.js';
import {
  ConfigurationError,
  PetStoreError,
  RequestValidationError,
  ResponseValidationError,
  type RequestSent,
} from '../errors/errors.js';

/** What a failed `createPet` means for its row, and for the run. */
export type FailedOutcome =
  /** The service has added the pet; its response could not be read. */
  | { readonly type: 'created' }
  /** The service refused the row, and would refuse it again. */
  | { readonly type: 'rejected'; readonly reason: string }
  /** Not processed. The row can be sent when the rate limit allows it again, in `delay` ms if that is known. */
  | {
      readonly type: 'rate-limited';
      readonly delay: number | undefined;
      /** The wait is longer than the client accepts: a day, or a ban. */
      readonly isLong: boolean;
      /** The quota is exhausted. `false` if the row only waits for other requests in flight. */
      readonly isHeld: boolean;
    }
  /** Not processed, and every other row would fail too. */
  | { readonly type: 'unsent' }
  /** The pet may exist. */
  | { readonly type: 'unknown'; readonly reason: string };

/** Statuses that say that this row was refused. The interface defines 400; the others are those of HTTP for such a body. */
const refusedRow: readonly number[] = [400, 409, 413, 422];
/** Statuses that leave open whether the request was processed: 303 is also a usual response to a request that was. */
const unclear: readonly number[] = [0, 303, 408];

/** Reads what a failure says about the row. `now`: ms since the Unix epoch. */
export function outcomeOf(error: unknown, now: number): FailedOutcome {
  if (error instanceof RateLimitError && error.requestSent !== 'unknown')
    return rateLimited(error, now);
  if (error instanceof ResponseValidationError && error.status === operations.createPet.success)
    return { type: 'created' };
  if (error instanceof ApiError && refusedRow.includes(error.status))
    return { type: 'rejected', reason: rowReason(error) };
  if (error instanceof ApiError && error.status < 500 && !unclear.includes(error.status))
    return { type: 'unsent' };
  return wasNotSent(error) ? { type: 'unsent' } : { type: 'unknown', reason: messageOf(error) };
}

/** `attempts`: the service answered 429 again and again. `hold`: it announced a wait beyond the client's maxHold. */
function rateLimited(error: RateLimitError, now: number): FailedOutcome {
  const { rateLimit, retryAfter, reason } = error;
  const isLong = reason === 'attempts' || reason === 'hold';
  const isExhausted = rateLimit?.remaining === 0 && rateLimit.resetAt.getTime() > now;
  return { type: 'rate-limited', delay: retryAfter, isLong, isHeld: isLong || isExhausted };
}

function wasNotSent(error: unknown): boolean {
  // The client refused the arguments or an option itself. An attempt was made if, for example, `fetch` gave no response.
  if (error instanceof ConfigurationError || error instanceof RequestValidationError)
    return error.attempts.length === 0;
  return (
    error instanceof PetStoreError && (error as { requestSent?: RequestSent }).requestSent === 'no'
  );
}

/** An import has rows, not arguments. */
function rowReason({ message }: ApiError): string {
  return message.replace(/nothing was changed: fix the argument$/, 'fix the row');
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
