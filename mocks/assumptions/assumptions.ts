import type { PetStatus, PlanName, Quota } from '../../src/contract/index.js';

/**
 * How a window counts. `'fixed'`: aligned to the minute (the UTC day), full again at its end. `'from-first'`: begins with
 * the first request. `'sliding'`: the requests of the last minute (24 hours). `'token-bucket'`: refilled evenly.
 */
export type WindowKind = 'fixed' | 'from-first' | 'sliding' | 'token-bucket';

/** What `Retry-After` says of a wait. `now` and `until` are ms since the epoch on the service's clock, `wait` their distance. */
export interface Wait {
  /** The time on the service's clock, ms since the epoch. */
  readonly now: number;
  /** When the limiter would admit a request, ms since the epoch. */
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
  /** So many strikes ban the key; an integer of 1 or more. A strike is a request that arrives during a cool-down. Default 5. */
  readonly strikes: number;
  /** Spares requests of the first ms of a cool-down, which may have been on a network that is not seen here. 0 is strict, 2,000 lenient. Default 0. */
  readonly grace: number;
  /**
   * Requests that had been sent before any 429 of the cool-down was handed back (after the latency of the way back), and
   * so could not know of it: `'spare'` leaves them out of the strikes and out of the report, `'count'` takes them for
   * requests during the cool-down. Default `'spare'`.
   */
  readonly underWay: 'spare' | 'count';
  /** How long a ban lasts, ms. Default 600,000. */
  readonly ban: number;
  /** A cool-down lasts until the limiter would admit a request, or until the moment `Retry-After` told. Default `'admitted'`. */
  readonly until: 'admitted' | 'told';
  /** Strikes are forgotten with the next request that is admitted, never, or so many ms after the last one. Default `'admitted'`. */
  readonly forget: 'admitted' | 'never' | number;
  /** Whether a request during a ban starts the ban anew. Default false. */
  readonly extend: boolean;
}

/** The answer to one kind of invalid `limit`: refused with this status, brought into the bounds, or as if it were left out. */
export type InvalidLimitAnswer = 400 | 422 | 'clamp' | 'default';

/** The answers to an invalid `limit`, where they differ by what is wrong with it. */
export interface InvalidLimit {
  /** Below 1. Default 400. */
  readonly below?: InvalidLimitAnswer;
  /** Above 100. Default 400. */
  readonly above?: InvalidLimitAnswer;
  /** No integer; `'clamp'` takes it as left out. Default 400. */
  readonly notANumber?: InvalidLimitAnswer;
}

/** How a banned key is answered. */
export interface BannedAnswer {
  /** Default 429. */
  readonly status: 429 | 403 | 401 | 503;
  /** Whether there is an Error body. Default true. */
  readonly body: boolean;
  /** Whether `Retry-After` tells the end of the ban. Default true. */
  readonly retryAfter: boolean;
}

/** What the service interface leaves open: see `docs/assumptions.md` for the gap behind each, and {@link defaultAssumptions}. */
export interface Assumptions {
  /**
   * Whether production and staging have pets and quotas of their own. Keys, their plans and their bans are the same in both.
   */
  readonly environments: 'separate' | 'shared';
  /** Status of a pet created without one; `'absent'`: the field is left out. */
  readonly omittedStatus: PetStatus | 'absent';
  /** Length of a name, in UTF-16 units; `max` 0: no bound. */
  readonly nameLength: { readonly min: number; readonly max: number };
  /** Characters of a name: any, or what the whole name must match. */
  readonly nameCharacters: 'any' | RegExp;
  /** Categories that exist: any int64, or these. */
  readonly categories: 'any' | readonly (number | bigint)[];
  /** Fields of a body that the contract does not know: left out of the pet, or refused. */
  readonly unknownBodyFields: 'ignore' | 'reject';
  /** Ids given one after the other, or random safe integers. */
  readonly idAssignment: 'sequential' | 'random';
  /** The first id of a sequence: any int64, also one that a double cannot hold. */
  readonly firstId: number | bigint;
  /** Order of a list. */
  readonly listOrder: 'id-ascending' | 'id-descending' | 'shuffled';
  /** A `limit` out of bounds, or no integer: one answer for all, or one for each kind. */
  readonly invalidLimit: InvalidLimitAnswer | InvalidLimit;
  /** A `status` filter that is no PetStatus: refused with this status, as if it were left out, or matched by no pet. */
  readonly invalidStatusFilter: 400 | 422 | 'ignore' | 'match-none';
  /** Query parameters that the contract does not know. */
  readonly unknownQuery: 'ignore' | 'reject';
  /** A known query parameter given more than once. */
  readonly repeatedQuery: 'first' | 'last' | 'reject';
  /** Answer to a `petId` that is no int64. */
  readonly invalidPetId: 404 | 400 | 422;
  /** A body that is not declared `application/json`: refused with this status, or read all the same. */
  readonly otherContentType: 400 | 415 | 422 | 'accept';
  /** Answer to a body that is no JSON. */
  readonly malformedJson: 400 | 422;
  /** The longest body that is read, in bytes. */
  readonly maxBodyBytes: number;
  /** Answer to a longer one. */
  readonly bodyTooLarge: 413 | 400;
  /** Whether an unknown path or a wrong method needs a key, and spends quota, before it is told so. */
  readonly unknownPathNeedsKey: boolean;
  /** Answer to `GET /store/orders`, which exists, but whose shape is not published. */
  readonly storeOrders: 501 | 404 | 403;
  /** What `getPet` answers after its removal; `'works'`: as before. */
  readonly removedOperation: 410 | 404 | 'works';
  /** Whether it is gone when the day of its removal begins, or when it ends (UTC). */
  readonly removedFrom: 'start-of-day' | 'end-of-day';
  /** Values of `code` in an Error, for each rule that answers with one. */
  readonly codes: Readonly<Record<Rule, string>>;
  /** What is counted together: the requests of a key, of a key for one operation, or of everybody. */
  readonly countingScope: 'key' | 'key-and-operation' | 'everyone';
  /** How the minute is counted. */
  readonly minuteWindow: WindowKind;
  /** How the day is counted. */
  readonly dayWindow: WindowKind;
  /** `X-RateLimit-Reset` of a sliding window or bucket: when all is free again, or one request more. */
  readonly resetMeaning: 'full' | 'next-slot';
  /** Which window the headers report: the one with fewer requests left, or always the minute. */
  readonly announcedWindow: 'binding' | 'minute';
  /** Whether a refused request counts against the quota. */
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
  /** Whether answers carry a `Date`. */
  readonly dateHeader: boolean;
  /** The service's clock minus the clock it runs on, ms. */
  readonly clockSkew: number;
  /** Nodes behind one address that disagree: what each answer adds to `Remaining`, and to its clock in ms. */
  readonly nodes: {
    readonly remaining: readonly [number, number];
    readonly clock: readonly [number, number];
  };
  /** Which repeated requests after a 429 ban a key, and for how long; `'never'`: none. */
  readonly strikeRule: StrikeRule | 'never';
  /** How a banned key is answered. */
  readonly bannedAnswer: BannedAnswer;
  /** Body of a 429: an Error, or none. */
  readonly rateLimitBody: 'error' | 'none';
}

/** Assumptions that may be given in part: what is left out keeps its default. */
type InPart = 'nameLength' | 'codes' | 'nodes' | 'strikeRule' | 'bannedAnswer';

/** Assumptions as `createMockService` takes them: those that are left out keep their default, and so does what is left out of an object. */
export type GivenAssumptions = Partial<Omit<Assumptions, InPart>> & {
  readonly [Name in InPart]?: Name extends 'strikeRule'
    ? Partial<StrikeRule> | 'never'
    : Partial<Assumptions[Name]>;
};

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
