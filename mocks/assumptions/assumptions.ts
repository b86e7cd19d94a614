import type { PetStatus, PlanName, Quota } from '../../src/contract/index.js';

/**
 * How a window counts. `'fixed'`: aligned to the minute (the UTC day), full again at its end. `'from-first'`: begins with
 * the first request. `'sliding'`: counts the requests of the last minute (24 hours). `'token-bucket'`: refilled evenly.
 */
export type WindowKind = 'fixed' | 'from-first' | 'sliding' | 'token-bucket';

/** The wait that `Retry-After` announces. `now` and `until` are ms since the epoch on the service's clock, `wait` is their difference. */
export interface Wait {
  /** The time on the service's clock, ms since the epoch. */
  readonly now: number;
  /** When the limiter allows the next request, ms since the epoch. */
  readonly until: number;
  /** How long it is until then, ms. */
  readonly wait: number;
}

/**
 * The form of `Retry-After`. `'seconds'` is rounded up, `'seconds-floored'` down, `'decimal'` has milliseconds; three
 * forms of HTTP date, rounded up to a second; Unix timestamps; a number: the same seconds always; `{ raw }`: the same
 * text always; or a function, where `undefined` leaves the header out.
 */
export type RetryAfterForm =
  | 'seconds'
  | 'seconds-floored'
  | 'decimal'
  | 'milliseconds'
  | 'http-date'
  | 'http-date-rfc850'
  | 'http-date-asctime'
  | 'unix-seconds'
  | 'unix-milliseconds'
  | 'absent'
  | number
  | { readonly raw: string }
  | ((wait: Wait) => string | undefined);

/** When requests after a 429 lead to a ban. */
export interface StrikeRule {
  /** The number of strikes that bans the key; an integer of 1 or more. A strike is a request that arrives during a cool-down. Default 5. */
  readonly strikes: number;
  /** ms at the start of a cool-down in which requests are no strikes, because they may have been sent before the 429 arrived. 0 is strict, 2,000 lenient. Default 0. */
  readonly grace: number;
  /**
   * Requests that were in flight: sent before any 429 of the cool-down was delivered (after its latency). `'ignore'` leaves
   * them out of the strikes and of the report, `'count'` counts them as requests during the cool-down. Default `'ignore'`.
   */
  readonly inFlight: 'ignore' | 'count';
  /** How long a ban lasts, ms, at most 100 years. Default 600,000. */
  readonly ban: number;
  /** When a cool-down ends. `'admitted'`: when the limiter allows a request again; `'retry-after'`: at the time that `Retry-After` announced. Default `'admitted'`. */
  readonly until: 'admitted' | 'retry-after';
  /** When strikes are reset to 0: with the next allowed request (`'admitted'`), never, or this many ms after the last strike. Default `'admitted'`. */
  readonly forget: 'admitted' | 'never' | number;
  /** Whether a request during a ban restarts the ban. Default false. */
  readonly extend: boolean;
}

/** The response to one kind of invalid `limit`: an error with this status, the nearest valid limit, or as if it were left out. */
export type InvalidLimitAnswer = 400 | 422 | 'clamp' | 'default';

/** The responses to an invalid `limit`, one for each kind of error. */
export interface InvalidLimit {
  /** Below 1. Default 400. */
  readonly below?: InvalidLimitAnswer;
  /** Above 100. Default 400. */
  readonly above?: InvalidLimitAnswer;
  /** Not an integer; `'clamp'` treats it as left out. Default 400. */
  readonly notANumber?: InvalidLimitAnswer;
}

/** How a banned key is answered. */
export interface BannedAnswer {
  /** Default 429. */
  readonly status: 429 | 403 | 401 | 503;
  /** Whether there is an Error body. Default true. */
  readonly body: boolean;
  /** Whether `Retry-After` announces the end of the ban. Default true. */
  readonly retryAfter: boolean;
}

/** The points that the service interface leaves open: see `docs/assumptions.md` for each gap, and {@link defaultAssumptions}. */
export interface Assumptions {
  /**
   * Whether production and staging have pets and quotas of their own. Keys, their plans and their bans are the same in both.
   */
  readonly environments: 'separate' | 'shared';
  /** Status of a pet created without one; `'absent'`: the field is left out. */
  readonly omittedStatus: PetStatus | 'absent';
  /** Length of a name, in UTF-16 units; `max` 0: no limit. */
  readonly nameLength: { readonly min: number; readonly max: number };
  /** Characters of a name: any, or a pattern that the whole name must match. */
  readonly nameCharacters: 'any' | RegExp;
  /** Categories that exist: every int64, or only these. */
  readonly categories: 'any' | readonly (number | bigint)[];
  /** Unknown fields of a body: left out of the pet, or an error. */
  readonly unknownBodyFields: 'ignore' | 'reject';
  /** How ids are assigned: in sequence, or as random safe integers. */
  readonly idAssignment: 'sequential' | 'random';
  /** The first id of a sequence: any int64, also one that a double cannot hold. */
  readonly firstId: number | bigint;
  /**
   * The most pets in a list, whatever `limit` asks for: an integer from 20, the default of `limit`, to 100, its maximum. The
   * client refuses a list of more than 100 pets before it reads one of them.
   */
  readonly longestList: number;
  /** Order of a list. */
  readonly listOrder: 'id-ascending' | 'id-descending' | 'shuffled';
  /** The response to a `limit` that is out of range or not an integer: one for all kinds of error, or one for each. */
  readonly invalidLimit: InvalidLimitAnswer | InvalidLimit;
  /** A `status` filter that is not a PetStatus: an error with this status, as if it were left out, or a filter that no pet matches. */
  readonly invalidStatusFilter: 400 | 422 | 'ignore' | 'match-none';
  /** Query parameters that the operation does not have. */
  readonly unknownQuery: 'ignore' | 'reject';
  /** A known query parameter given more than once. */
  readonly repeatedQuery: 'first' | 'last' | 'reject';
  /** Response to a `petId` that is not an int64. */
  readonly invalidPetId: 404 | 400 | 422;
  /** A body that is not declared as `application/json`: an error with this status, or read as JSON anyway. */
  readonly otherContentType: 400 | 415 | 422 | 'accept';
  /** Response to a body that is not JSON. */
  readonly malformedJson: 400 | 422;
  /** The longest body that is read, in bytes. */
  readonly maxBodyBytes: number;
  /** Response to a longer body. */
  readonly bodyTooLarge: 413 | 400;
  /** Whether the 404 of an unknown path and the 405 of a wrong method need a key and cost quota. */
  readonly unknownPathNeedsKey: boolean;
  /** Response to `GET /store/orders`, which exists, but whose shape is not published. */
  readonly storeOrders: 501 | 404 | 403;
  /** Response to `getPet` after its removal; `'works'`: as before. */
  readonly removedOperation: 410 | 404 | 'works';
  /** Whether it is removed when the day of its removal begins, or when it ends (UTC). */
  readonly removedFrom: 'start-of-day' | 'end-of-day';
  /** Values of `code` in an Error, for each rule that answers with one. */
  readonly codes: Readonly<Record<Rule, string>>;
  /** Which requests share a quota: those of a key, of a key for one operation, or all. */
  readonly countingScope: 'key' | 'key-and-operation' | 'everyone';
  /** How the minute is counted. */
  readonly minuteWindow: WindowKind;
  /** How the day is counted. */
  readonly dayWindow: WindowKind;
  /** Meaning of `X-RateLimit-Reset` with a sliding window or bucket: when the full limit is available again, or when one more request is. */
  readonly resetMeaning: 'full' | 'next-slot';
  /** Which window the headers report: the one with fewer requests left, or always the minute. */
  readonly announcedWindow: 'binding' | 'minute';
  /** Whether a rate-limited request counts against the quota. */
  readonly refusedCount: boolean;
  /** The quota of the Enterprise plan, which is agreed individually. */
  readonly enterpriseQuota: Quota;
  /** Whether requests without a valid key are counted, all together, against `unauthorizedQuota`. */
  readonly unauthorizedCount: boolean;
  /** The quota that the headers of a 401 show. */
  readonly unauthorizedQuota: Exclude<PlanName, 'enterprise'> | Quota;
  /** Unit and form of `Retry-After`. */
  readonly retryAfter: RetryAfterForm;
  /** Unit of `X-RateLimit-Reset`, rounded up; `'seconds-from-now'` is a wait and no timestamp; `'absent'`: the header is missing. */
  readonly resetUnit: 'unix-seconds' | 'unix-milliseconds' | 'seconds-from-now' | 'absent';
  /** Whether responses carry a `Date`. */
  readonly dateHeader: boolean;
  /** The service's clock minus the clock it runs on, ms. */
  readonly clockSkew: number;
  /** Nodes behind one address that disagree: the range of what a response adds to `Remaining`, and to its clock in ms. */
  readonly nodes: {
    readonly remaining: readonly [number, number];
    readonly clock: readonly [number, number];
  };
  /** Which repeated requests after a 429 ban a key, and for how long; `'never'`: no bans. */
  readonly strikeRule: StrikeRule | 'never';
  /** How a banned key is answered. */
  readonly bannedAnswer: BannedAnswer;
  /** Body of a 429: an Error, or none. */
  readonly rateLimitBody: 'error' | 'none';
}

/** Assumptions whose fields may be given in part: the others keep their defaults. */
export const mergedAssumptions = [
  'codes',
  'strikeRule',
  'bannedAnswer',
  'nodes',
  'nameLength',
] as const;
type InPart = (typeof mergedAssumptions)[number];

/** Assumptions as `createMockService` takes them: those that are left out keep their defaults, and so do omitted fields of an object. */
export type GivenAssumptions = Partial<Omit<Assumptions, InPart>> & {
  readonly [Name in InPart]?: Name extends 'strikeRule'
    ? Partial<StrikeRule> | 'never'
    : Partial<Assumptions[Name]>;
};

/** The rules that respond with an Error, and the default `code` of each. */
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

/** The name of a rule of the service that responds with an Error. */
export type Rule = keyof typeof ruleCodes;
