/** The rules that answer with an Error, and the value of `code` each has unless assumed otherwise. */
export const ruleCodes = {
  missingKey: 'missing_api_key',
  invalidKey: 'invalid_api_key',
  rateLimited: 'rate_limit_exceeded',
  banned: 'api_key_banned',
  unknownPath: 'path_not_found',
  wrongMethod: 'method_not_allowed',
  notPublished: 'not_implemented',
  removed: 'operation_removed',
  invalidQuery: 'invalid_query',
  contentType: 'unsupported_content_type',
  bodyTooLarge: 'body_too_large',
  malformedJson: 'malformed_json',
  invalidBody: 'invalid_body',
  petNotFound: 'pet_not_found',
  fault: 'injected_fault',
  mockDefect: 'mock_defect',
} as const;

/** The name of a rule of the service that answers with an Error. */
export type Rule = keyof typeof ruleCodes;

/** Why a request is not answered with what it asked for. A value, not an exception: most are ordinary. */
export class Problem {
  readonly rule: Rule;
  readonly status: number;
  /** For the person behind the client: the `message` of the Error. */
  readonly message: string;
  /** For the author of the client: what to do about it. */
  readonly hint: string;
  /** Until when to wait, ms since the epoch: what `Retry-After` tells. */
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
