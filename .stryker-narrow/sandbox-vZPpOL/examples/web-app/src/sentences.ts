// @ts-nocheck
import {
  ConnectionError,
  PetStoreError,
  RateLimitError,
  RequestValidationError,
  TimeoutError,
} from 'petstore-client';

/** Explains an error to the user of the page, and what to do. */
export function sentenceFor(error: unknown): string {
  if (error instanceof RateLimitError) {
    const time = error.retryAt?.toLocaleString([], {
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
    });
    return `The request limit is reached.${time === undefined ? '' : ` Try again on ${time}.`}`;
  }
  if (error instanceof RequestValidationError) {
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  }
  if (
    (error instanceof ConnectionError || error instanceof TimeoutError) &&
    error.operation === 'createPet' &&
    error.requestSent !== 'no'
  ) {
    return 'The response was lost. The pet may have been added: check the list before you add it again.';
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return 'The store is not available. Check your connection.';
  if (error instanceof PetStoreError) return 'The store has a problem. Try again later.';
  return 'An error occurred in this page.';
}
