import type { Rule } from '../assumptions/assumptions.js';

/** Why a request is not answered with what it asked for. A value, not an exception: most are ordinary. */
export class Problem {
  readonly rule: Rule;
  readonly status: number;
  /** The `message` of the Error. */
  readonly message: string;
  /** For the author of the client: what to do about it. */
  readonly hint: string;
  /** Until when to wait, ms since the epoch: what `Retry-After` announces. */
  readonly until: number | undefined;
  /** For a wrong method: those that are right. */
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
