import * as z from 'zod/mini';
import { integer } from '../utils/check.js';
import { mapValues } from '../utils/options.js';

/** The response of a rule that refuses a request. */
const answer = (status: number, code: string) =>
  z.strictObject({
    /** The HTTP status, from 400 to 599. */
    status: z._default(integer(400, 599), status),
    /** The `code` of the Error. */
    code: z._default(z.string(), code),
    /** Whether there is an Error body. */
    body: z._default(z.boolean(), true),
  });

/**
 * The response of a rule that refuses a request. Fields that are left out keep their defaults.
 *
 * @interface
 */
export type Answer = Readonly<z.output<ReturnType<typeof answer>>>;

/** A rule with its response. `candidates`: the values that a verification tries, the default first. */
const row = <Schema extends z.ZodMiniType>(
  schema: Schema,
  candidates: readonly z.input<Schema>[],
) => ({ schema: z.prefault(schema, (candidates[0] ?? {}) as never), candidates });

/** The schema of an answer, or of a word for what is done instead. */
const orWord = <Word extends string>(words: readonly Word[], status: number, code: string) =>
  (words.length > 0
    ? z.union([z.literal(words), answer(status, code)])
    : answer(status, code)) as unknown as z.ZodMiniType<
    Answer | Word,
    z.input<ReturnType<typeof answer>> | Word
  >;

/** Refuses the request. `others`: statuses that are worth trying too; `words`: what may be done instead. */
const refuse = <const Word extends string = never>(
  status: number,
  code: string,
  others: readonly number[] = [],
  ...words: readonly Word[]
) =>
  row(orWord(words, status, code), [
    ...[status, ...others].map((one) => ({ status: one })),
    ...words,
  ]);

/** As {@link refuse}, but the first of the words is the default. */
const allow = <const Word extends string>(words: readonly Word[], status: number, code: string) =>
  row(orWord(words, status, code), [...words, { status }]);

/**
 * Every rule by which the service refuses a request. Types, defaults, checks and, with the comments, the table of
 * `docs/assumptions.md` are made from these rows.
 */
export const rules = {
  /** A request without an API key. */
  missingKey: refuse(401, 'missing_api_key'),
  /** A request with an unknown API key. */
  invalidKey: refuse(401, 'invalid_api_key'),
  /** A request beyond the quota. The body shape of the 429 response is not shown: `{ "body": false }` sends none. */
  rateLimited: row(answer(429, 'rate_limit_exceeded'), [{ status: 429 }, { body: false }]),
  /** A request with a banned key. With `{ "retryAfter": false }`, no `Retry-After` announces the end of the ban. */
  banned: row(
    z.extend(answer(429, 'api_key_banned'), { retryAfter: z._default(z.boolean(), true) }),
    [429, 403, 401, 503].map((status) => ({ status })),
  ),
  /** A path that the interface does not have. */
  unknownPath: refuse(404, 'path_not_found', [403, 400]),
  /** A known path with a method that it does not have. The response has `Allow`. */
  wrongMethod: refuse(405, 'method_not_allowed'),
  /**
   * Store orders: `/store/orders` exists, its shape is not shown. `"ignore"`: like any unknown path.
   * `service.override('GET /store/orders', …)` replaces the response.
   */
  storeOrders: refuse(501, 'not_implemented', [403, 404], 'ignore'),
  /** `getPet` after its removal on 5 December 2030. `"ignore"`: it works as before. */
  removed: refuse(410, 'operation_removed', [404], 'ignore'),
  /** A `limit` below 1. `"ignore"`: as if left out, `"clamp"`: as 1. */
  limitBelow: refuse(400, 'invalid_query', [422], 'clamp', 'ignore'),
  /** A `limit` above 100. `"ignore"`: as if left out, `"clamp"`: as 100. */
  limitAbove: refuse(400, 'invalid_query', [422], 'clamp', 'ignore'),
  /** A `limit` that is no integer. */
  limitNotANumber: refuse(400, 'invalid_query', [422], 'ignore'),
  /** A `status` filter that is not a PetStatus. `"match-none"`: an empty list. */
  invalidStatusFilter: refuse(400, 'invalid_query', [422], 'ignore', 'match-none'),
  /** A query parameter that the operation does not have, such as a page or cursor. */
  unknownQuery: allow(['ignore'], 400, 'invalid_query'),
  /** A repeated query parameter: which value counts. */
  repeatedQuery: allow(['first', 'last'], 400, 'invalid_query'),
  /** A `petId` that is not an int64. */
  invalidPetId: refuse(404, 'pet_not_found', [400, 422]),
  /** A `petId` that no pet has. */
  petNotFound: refuse(404, 'pet_not_found'),
  /** A body whose `Content-Type` is not `application/json`. `"ignore"`: it is read as JSON. */
  contentType: refuse(400, 'unsupported_content_type', [415, 422], 'ignore'),
  /** A body that is not JSON. */
  malformedJson: refuse(400, 'malformed_json', [422]),
  /** A body that is longer than `maxBodyBytes`. */
  bodyTooLarge: refuse(413, 'body_too_large', [400]),
  /** A body that is not a valid pet. */
  invalidBody: refuse(400, 'invalid_body', [422]),
  /** A field of a body that NewPet does not have. `"ignore"`: it is left out of the pet. */
  unknownBodyField: allow(['ignore'], 400, 'invalid_body'),
  /** A fault that you added, which names its own status. */
  fault: row(z.omit(answer(500, 'injected_fault'), { status: true }), []),
  /** An error of the mock itself, or of a function that you passed to it: an override, a latency, a `retryAfter`. */
  mockDefect: refuse(501, 'mock_defect'),
};

/** The name of a rule by which the service refuses a request. */
export type Rule = keyof typeof rules;

/** The response of each rule, or what happens instead of a refusal. */
export type Answers = { readonly [Name in Rule]: z.output<(typeof rules)[Name]['schema']> };

/** {@link Answers} in part: rules, and fields of an answer, that are left out keep their defaults. */
export type GivenAnswers = { readonly [Name in Rule]?: z.input<(typeof rules)[Name]['schema']> };

/** Reads {@link GivenAnswers} as {@link Answers}. */
export const answersSchema = z.prefault(
  z.strictObject(mapValues(rules, ({ schema }) => schema)),
  {},
) as unknown as z.ZodMiniType<Answers, GivenAnswers | undefined>;
