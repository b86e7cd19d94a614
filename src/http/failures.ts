import type { Issue } from '../errors/issues.js';
import type { RawResponse } from './fetch.js';

/** A function of the caller's own failed: the one that gives the key, or a gate. */
export class CallbackError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** The service answered, and not with success. */
export class HttpStatusFailure extends Error {
  readonly answer: RawResponse;

  constructor(answer: RawResponse) {
    super('refused');
    this.answer = answer;
  }
}

/** The answer says success, and its body is not what the contract says. */
export class InvalidBodyFailure extends Error {
  readonly answer: RawResponse;
  readonly issues: readonly Issue[];

  constructor(message: string, answer: RawResponse, issues: readonly Issue[] = []) {
    super(message);
    this.answer = answer;
    this.issues = issues;
  }
}
