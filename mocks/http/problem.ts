import type { Rule } from '../assumptions/assumptions.js';

/** Why a request is answered with an error. A value, not an exception, because most problems are ordinary. */
export class Problem {
  readonly rule: Rule;
  readonly status: number;
  /** The `message` of the Error. */
  readonly message: string;
  /** For the developer of the client: how to fix the request. */
  readonly hint: string;
  /** The end of the wait that `Retry-After` announces, ms since the epoch. */
  readonly until: number | undefined;
  /** For a wrong method: the allowed ones. */
  readonly allow: string | undefined;
  /** What was thrown, where the mock itself failed. */
  readonly cause: unknown;

  constructor(
    rule: Rule,
    status: number,
    message: string,
    hint: string,
    more: { until?: number | undefined; allow?: string; cause?: unknown } = {},
  ) {
    this.rule = rule;
    this.status = status;
    this.message = message;
    this.hint = hint;
    this.until = more.until;
    this.allow = more.allow;
    this.cause = more.cause;
  }
}

/**
 * A failure of the mock itself, or of a function that the test gave it: 501, which the client does not retry, so that the
 * test sees it.
 */
export function mockDefect(why: string, cause?: unknown): Problem {
  return new Problem('mockDefect', 501, `The mock failed, not the service: ${why}`, why, { cause });
}
