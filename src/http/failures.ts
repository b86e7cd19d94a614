import type { Issue } from '../errors/issues.js';
import type { RawResponse } from './fetch.js';

/** A function that the caller passed failed: `apiKey`, `headers`, `fetch` or a gate. */
export class CallbackError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** `timeout` or `totalTimeout` has passed. */
export class DeadlineExceeded extends Error {
  readonly option: 'timeout' | 'totalTimeout';
  /** The value of the option, for messages. */
  readonly ms: number;

  constructor(option: 'timeout' | 'totalTimeout', ms: number) {
    super(`${option} passed`);
    this.option = option;
    this.ms = ms;
  }
}

/** The status is a success, but the body does not match the contract. */
export class InvalidBodyFailure extends Error {
  readonly raw: RawResponse;
  readonly issues: readonly Issue[];

  constructor(message: string, raw: RawResponse, issues: readonly Issue[] = []) {
    super(message);
    this.raw = raw;
    this.issues = issues;
  }
}

/** Why there was no response, as a name for attempts and events. */
export function kindOf(failure: unknown): 'connection' | 'timeout' {
  return failure instanceof DeadlineExceeded ? 'timeout' : 'connection';
}

/** No other attempt follows after `totalTimeout`, or after a failure of a function of the caller. */
export function isFinal(failure: unknown): boolean {
  return failure instanceof DeadlineExceeded
    ? failure.option === 'totalTimeout'
    : failure instanceof CallbackError;
}
