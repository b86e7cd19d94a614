import * as z from 'zod/mini';
import { among, integer, strict } from '../utils/check.js';

/** The response of a rule that refuses a request. */
const answer = (status: number, code: string) =>
  strict({
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

/**
 * A rule: when it applies, and what it answers. `candidates`: what is worth trying when a service is measured, the default
 * first.
 */
const row = <Schema extends z.ZodMiniType>(
  about: string,
  schema: Schema,
  candidates: readonly z.input<Schema>[],
) => ({ about, schema: z.prefault(schema, (candidates[0] ?? {}) as never), candidates });

/** The schema of an answer, or of a word for what is done instead. */
const orWord = <Word extends string>(words: readonly Word[], status: number, code: string) =>
  (words.length > 0
    ? z.union([among(...words), answer(status, code)])
    : answer(status, code)) as unknown as z.ZodMiniType<
    Answer | Word,
    z.input<ReturnType<typeof answer>> | Word
  >;

/** Refuses the request. `words`: what may be done instead. */
const refuse = <const Word extends string = never>(
  status: number,
  code: string,
  about: string,
  { words = [], statuses = [] }: { words?: readonly Word[]; statuses?: readonly number[] } = {},
) =>
  row(about, orWord(words, status, code), [
    ...[status, ...statuses].map((one) => ({ status: one })),
    ...words,
  ]);

/** As {@link refuse}, but the first of the words is the default. */
const allow = <const Word extends string>(
  words: readonly Word[],
  status: number,
  code: string,
  about: string,
) => row(about, orWord(words, status, code), [...words, { status }]);

/** Every rule by which the service refuses a request. Types, defaults, checks and the documentation are made from these rows. */
export const rules = {
  missingKey: refuse(401, 'missing_api_key', 'A request without an API key'),
  invalidKey: refuse(401, 'invalid_api_key', 'A request with an unknown API key'),
  rateLimited: row(
    'A request beyond the quota. The body shape of the 429 response is not shown: `{ "body": false }` sends none',
    answer(429, 'rate_limit_exceeded'),
    [{ status: 429 }, { body: false }],
  ),
  banned: row(
    'A request with a banned key. With `{ "retryAfter": false }`, no `Retry-After` announces the end of the ban',
    z.extend(answer(429, 'api_key_banned'), { retryAfter: z._default(z.boolean(), true) }),
    [429, 403, 401, 503].map((status) => ({ status })),
  ),
  unknownPath: refuse(404, 'path_not_found', 'A path that the interface does not have'),
  wrongMethod: refuse(405, 'method_not_allowed', 'Another method on a known path; with `Allow`'),
  storeOrders: refuse(
    501,
    'not_implemented',
    'Operations for store orders: `/store/orders` exists, its shape is not shown. `"ignore"`: as any unknown path. `service.override(\'GET /store/orders\', …)` answers it',
    { words: ['ignore'], statuses: [403, 404] },
  ),
  removed: refuse(
    410,
    'operation_removed',
    '`getPet` after its removal on 5 December 2030. `"ignore"`: it works as before',
    { words: ['ignore'], statuses: [404] },
  ),
  limitBelow: refuse(
    400,
    'invalid_query',
    'A `limit` below 1. `"ignore"`: as if left out, `"clamp"`: as 1',
    { words: ['clamp', 'ignore'], statuses: [422] },
  ),
  limitAbove: refuse(
    400,
    'invalid_query',
    'A `limit` above 100. `"ignore"`: as if left out, `"clamp"`: as 100',
    { words: ['clamp', 'ignore'], statuses: [422] },
  ),
  limitNotANumber: refuse(400, 'invalid_query', 'A `limit` that is no integer', {
    words: ['ignore'],
    statuses: [422],
  }),
  invalidStatusFilter: refuse(
    400,
    'invalid_query',
    'A `status` filter that is not a PetStatus. `"match-none"`: an empty list',
    { words: ['ignore', 'match-none'], statuses: [422] },
  ),
  unknownQuery: allow(
    ['ignore'],
    400,
    'invalid_query',
    'A query parameter that the operation does not have, such as a page or cursor',
  ),
  repeatedQuery: allow(
    ['first', 'last'],
    400,
    'invalid_query',
    'A query parameter that is given more than once: which value counts',
  ),
  invalidPetId: refuse(404, 'pet_not_found', 'A `petId` that is not an int64', {
    statuses: [400, 422],
  }),
  petNotFound: refuse(404, 'pet_not_found', 'A `petId` that no pet has'),
  contentType: refuse(
    400,
    'unsupported_content_type',
    'A body that is not declared as `application/json`. `"ignore"`: it is read as JSON',
    { words: ['ignore'], statuses: [415, 422] },
  ),
  malformedJson: refuse(400, 'malformed_json', 'A body that is not JSON', { statuses: [422] }),
  bodyTooLarge: refuse(413, 'body_too_large', 'A body that is longer than `maxBodyBytes`', {
    statuses: [400],
  }),
  invalidBody: refuse(400, 'invalid_body', 'A body that is not a valid pet', { statuses: [422] }),
  unknownBodyField: allow(
    ['ignore'],
    400,
    'invalid_body',
    'A field of a body that NewPet does not have. `"ignore"`: it is left out of the pet',
  ),
  fault: row(
    'A fault that you added, which names its own status',
    z.omit(answer(500, 'injected_fault'), { status: true }),
    [],
  ),
  mockDefect: refuse(
    501,
    'mock_defect',
    'An error of the mock itself, or of a function that you gave it: an override, a latency',
  ),
};

/** The name of a rule by which the service refuses a request. */
export type Rule = keyof typeof rules;

/** What each rule answers, or does instead of refusing the request. */
export type Answers = { readonly [Name in Rule]: z.output<(typeof rules)[Name]['schema']> };

/** {@link Answers} in part: rules, and fields of an answer, that are left out keep their defaults. */
export type GivenAnswers = { readonly [Name in Rule]?: z.input<(typeof rules)[Name]['schema']> };

/** Reads {@link GivenAnswers} as {@link Answers}. */
export const answersSchema = z.prefault(
  strict(Object.fromEntries(Object.entries(rules).map(([name, { schema }]) => [name, schema]))),
  {},
) as unknown as z.ZodMiniType<Answers, GivenAnswers | undefined>;
