import {
  ConnectionError,
  PetStoreError,
  RateLimitError,
  RequestValidationError,
  TimeoutError,
} from 'petstore-client';

/** What went wrong, for the reader of the page: what it means, and what to do. */
export function sentenceFor(error: unknown): string {
  if (error instanceof RateLimitError) {
    const time = error.retryAt?.toLocaleString([], {
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
    });
    return `The store takes no more questions for now.${time === undefined ? '' : ` It opens again on ${time}.`}`;
  }
  if (error instanceof RequestValidationError) {
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  }
  if (
    (error instanceof ConnectionError || error instanceof TimeoutError) &&
    error.operation === 'createPet' &&
    error.requestSent !== 'no'
  ) {
    return 'The answer was lost. The pet may be in the store: look before you add it again.';
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return 'The store cannot be reached. Is there a connection?';
  if (error instanceof PetStoreError) return 'The store has a problem of its own.';
  return 'This page has a problem.';
}
