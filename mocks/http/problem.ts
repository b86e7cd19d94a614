import type { Rule } from '../assumptions/answers.js';

/** Why a request is answered with an error. A value, not an exception, because most problems are ordinary. */
export class Problem {
  readonly rule: Rule;
  /** The status, where it is not that of the rule. */
  readonly status: number | undefined;
  /** The `message` of the Error. */
  readonly message: string;
  /** For the developer of the client: how to fix the request. */
  readonly hint: string;
  /** The end of the wait that `Retry-After` announces, ms since the epoch. */
  readonly retryAt: number | undefined;
  /** For a wrong method: the allowed ones. */
  readonly allow: string | undefined;
  /** What was thrown, where the mock itself failed. */
  readonly cause: unknown;

  constructor(
    rule: Rule,
    message: string,
    hint: string,
    more: { status?: number; retryAt?: number | undefined; allow?: string; cause?: unknown } = {},
  ) {
    this.rule = rule;
    this.message = message;
    this.hint = hint;
    this.status = more.status;
    this.retryAt = more.retryAt;
    this.allow = more.allow;
    this.cause = more.cause;
  }
}

/**
 * A failure of the mock itself, or of a function that the test gave it: 501, which the client does not retry, so that the
 * test sees it.
 */
export function mockDefect(why: string, cause?: unknown): Problem {
  return new Problem('mockDefect', `The mock failed, not the service: ${why}`, why, { cause });
}
