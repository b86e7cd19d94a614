import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
} from '../errors/api-errors.js';
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
  | { readonly type: 'rate-limited'; readonly delay: number | undefined; readonly isLong: boolean }
  /** Not processed, and every other row would fail too. */
  | { readonly type: 'unsent' }
  /** The pet may exist. */
  | { readonly type: 'unknown'; readonly reason: string };

/** Reads what a failure says about the row. */
export function outcomeOf(error: unknown): FailedOutcome {
  if (error instanceof ResponseValidationError) return { type: 'created' };
  if (error instanceof BadRequestError || error instanceof RequestValidationError)
    return { type: 'rejected', reason: error.message };
  if (error instanceof RateLimitError && error.requestSent !== 'unknown') {
    // `attempts`: the service answered 429 again and again. `hold`: it announced a wait beyond the client's maxHold.
    return {
      type: 'rate-limited',
      delay: error.retryAfter,
      isLong: error.reason === 'attempts' || error.reason === 'hold',
    };
  }
  if (
    error instanceof AuthenticationError ||
    error instanceof NotFoundError ||
    error instanceof ConfigurationError ||
    (error instanceof PetStoreError &&
      (error as { requestSent?: RequestSent }).requestSent === 'no')
  )
    return { type: 'unsent' };
  return { type: 'unknown', reason: error instanceof Error ? error.message : String(error) };
}
