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

  constructor(
    rule: Rule,
    status: number,
    message: string,
    hint: string,
    more: { until?: number | undefined; allow?: string } = {},
  ) {
    this.rule = rule;
    this.status = status;
    this.message = message;
    this.hint = hint;
    this.until = more.until;
    this.allow = more.allow;
  }
}
