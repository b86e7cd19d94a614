// @ts-nocheck
import type { Rule } from '../assumptions/answers.js';

/** What only some problems have. */
interface More {
  /** The status, where it is not that of the rule. */
  readonly status?: number;
  /** The end of the wait that `Retry-After` announces, ms since the epoch. */
  readonly retryAt?: number | undefined;
  /** For a wrong method: the allowed ones. */
  readonly allow?: string;
  /** What was thrown, where the mock itself failed. */
  readonly cause?: unknown;
}

/** Why a request is answered with an error. A value, not an exception, because most problems are ordinary. */
export class Problem {
  readonly rule: Rule;
  /** The `message` of the Error. */
  readonly message: string;
  /** For the developer of the client: how to fix the request. */
  readonly hint: string;
  readonly more: More;

  constructor(rule: Rule, message: string, hint: string, more: More = {}) {
    this.rule = rule;
    this.message = message;
    this.hint = hint;
    this.more = more;
  }
}

/**
 * A failure of the mock itself, or of a function that the test gave it: 501, which the client does not retry, so that the
 * test sees it.
 */
export function mockDefect(why: string, cause?: unknown): Problem {
  return new Problem('mockDefect', `The mock failed, not the service: ${why}`, why, { cause });
}
