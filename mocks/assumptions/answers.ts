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

/** Refuses the request with a status, or does what a word says instead: the default comes first, then what is worth trying too. */
const refuse = <const Candidates extends readonly (number | string)[]>(
  code: string,
  ...candidates: Candidates
) => {
  type Word = Extract<Candidates[number], string>;
  const isWord = (one: number | string): one is Word => typeof one === 'string';
  const words = candidates.filter(isWord);
  const [status = 500] = candidates.filter((one) => typeof one === 'number');
  const refusal = answer(status, code);
  return row(
    (words.length > 0 ? z.union([z.literal(words), refusal]) : refusal) as unknown as z.ZodMiniType<
      Answer | Word,
      z.input<typeof refusal> | Word
    >,
    candidates.map((one) => (isWord(one) ? one : { status: Number(one) })),
  );
};

/**
 * Every rule by which the service refuses a request. Types, defaults, checks and, with the comments, the table of
 * `docs/assumptions.md` are made from these rows.
 */
export const rules = {
  /** A request without an API key. */
  missingKey: refuse('missing_api_key', 401),
  /** A request with an unknown API key. */
  invalidKey: refuse('invalid_api_key', 401),
  /** A request beyond the quota. The body shape of the 429 response is not shown: `{ "body": false }` sends none. */
  rateLimited: row(answer(429, 'rate_limit_exceeded'), [{ status: 429 }, { body: false }]),
  /** A request with a banned key. With `{ "retryAfter": false }`, no `Retry-After` announces the end of the ban. */
  banned: row(
    z.extend(answer(429, 'api_key_banned'), { retryAfter: z._default(z.boolean(), true) }),
    [429, 403, 401, 503].map((status) => ({ status })),
  ),
  /** A path that the interface does not have. */
  unknownPath: refuse('path_not_found', 404, 403, 400),
  /** A known path with a method that it does not have. The response has `Allow`. */
  wrongMethod: refuse('method_not_allowed', 405),
  /**
   * Store orders: `/store/orders` exists, its shape is not shown. `"ignore"`: like any unknown path.
   * `service.override('GET /store/orders', …)` replaces the response.
   */
  storeOrders: refuse('not_implemented', 501, 403, 404, 'ignore'),
  /** `getPet` after its removal on 5 December 2030. `"ignore"`: it works as before. */
  removed: refuse('operation_removed', 410, 404, 'ignore'),
  /** A `limit` below 1. `"ignore"`: as if left out, `"clamp"`: as 1. */
  limitBelow: refuse('invalid_query', 400, 422, 'clamp', 'ignore'),
  /** A `limit` above 100. `"ignore"`: as if left out, `"clamp"`: as 100. */
  limitAbove: refuse('invalid_query', 400, 422, 'clamp', 'ignore'),
  /** A `limit` that is no integer. */
  limitNotANumber: refuse('invalid_query', 400, 422, 'ignore'),
  /** A `status` filter that is not a PetStatus. `"match-none"`: an empty list. */
  invalidStatusFilter: refuse('invalid_query', 400, 422, 'ignore', 'match-none'),
  /** A query parameter that the operation does not have, such as a page or cursor. */
  unknownQuery: refuse('invalid_query', 'ignore', 400),
  /** A repeated query parameter: which value counts. */
  repeatedQuery: refuse('invalid_query', 'first', 'last', 400),
  /** A `petId` that is not an int64. */
  invalidPetId: refuse('pet_not_found', 404, 400, 422),
  /** A `petId` that no pet has. */
  petNotFound: refuse('pet_not_found', 404),
  /** A body whose `Content-Type` is not `application/json`. `"ignore"`: it is read as JSON. */
  contentType: refuse('unsupported_content_type', 400, 415, 422, 'ignore'),
  /** A body that is not JSON. */
  malformedJson: refuse('malformed_json', 400, 422),
  /** A body that is longer than `maxBodyBytes`. */
  bodyTooLarge: refuse('body_too_large', 413, 400),
  /** A body that is not a valid pet. */
  invalidBody: refuse('invalid_body', 400, 422),
  /** A field of a body that NewPet does not have. `"ignore"`: it is left out of the pet. */
  unknownBodyField: refuse('invalid_body', 'ignore', 400),
  /** A fault that you added, which names its own status. */
  fault: row(z.omit(answer(500, 'injected_fault'), { status: true }), []),
  /** An error of the mock itself, or of a function that you passed to it: an override, a latency, a `retryAfter`. */
  mockDefect: refuse('mock_defect', 501),
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
