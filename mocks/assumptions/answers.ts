import * as z from 'zod/mini';
import { among, integer, strict } from '../utils/check.js';

/** The response of a rule that refuses a request. Fields that are left out keep their defaults. */
export interface Answer {
  /** The HTTP status, from 400 to 599. */
  readonly status: number;
  /** The `code` of the Error. */
  readonly code: string;
  /** Whether there is an Error body. */
  readonly body: boolean;
}

/** One rule of the service, with its response by default. */
interface RuleRow {
  /** When the rule applies. */
  readonly about: string;
  readonly status: number | undefined;
  readonly code: string;
  /** What may be done instead of refusing the request. The first one is the default where `isRefused` is false. */
  readonly words: readonly string[];
  /** Statuses that are worth trying when a service is measured. */
  readonly statuses: readonly number[];
  readonly isRefused: boolean;
}

const refuse = <const Word extends string = never>(
  status: number | undefined,
  code: string,
  about: string,
  { words = [], statuses = [] }: { words?: readonly Word[]; statuses?: readonly number[] } = {},
) => ({
  about,
  status,
  code,
  words,
  statuses: [...(status === undefined ? [] : [status]), ...statuses],
  isRefused: true,
});

/** As {@link refuse}, but the first of the words is the default. */
const allow = <const Word extends string>(
  words: readonly Word[],
  status: number,
  code: string,
  about: string,
) => ({ about, status, code, words, statuses: [status], isRefused: false });

/** Every rule by which the service refuses a request. Types, defaults, checks and the documentation are made from these rows. */
export const rules = {
  missingKey: refuse(401, 'missing_api_key', 'A request without an API key'),
  invalidKey: refuse(401, 'invalid_api_key', 'A request with an unknown API key'),
  rateLimited: refuse(
    429,
    'rate_limit_exceeded',
    'A request beyond the quota. The body shape of the 429 response is not shown: `{ "body": false }` sends none',
  ),
  banned: refuse(
    429,
    'api_key_banned',
    'A request with a banned key. With `{ "retryAfter": false }`, no `Retry-After` announces the end of the ban',
    { statuses: [403, 401, 503] },
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
  fault: refuse(undefined, 'injected_fault', 'A fault that you added, which names its own status'),
  mockDefect: refuse(
    501,
    'mock_defect',
    'An error of the mock itself, or of a function that you gave it: an override, a latency',
  ),
};

/** The name of a rule by which the service refuses a request. */
export type Rule = keyof typeof rules;

/** What each rule answers, or does instead of refusing the request. */
export type Answers = {
  readonly [Name in Rule]:
    | (Name extends 'banned'
        ? Answer & { readonly retryAfter: boolean }
        : Name extends 'fault'
          ? Omit<Answer, 'status'>
          : Answer)
    | (typeof rules)[Name]['words'][number];
};

/** {@link Answers} in part: rules, and fields of an answer, that are left out keep their defaults. */
export type GivenAnswers = {
  readonly [Name in Rule]?: Answers[Name] extends infer Given
    ? Given extends string
      ? Given
      : Partial<Given>
    : never;
};

const schemaOf = (name: string, { status, code, words, isRefused }: RuleRow): z.ZodMiniType => {
  const answer = strict({
    ...(status !== undefined && { status: z._default(integer(400, 599), status) }),
    code: z._default(z.string(), code),
    body: z._default(z.boolean(), true),
    ...(name === 'banned' && { retryAfter: z._default(z.boolean(), true) }),
  });
  const schema = words.length > 0 ? z.union([among(...words), answer]) : answer;
  return z.prefault(schema, isRefused ? {} : words[0]!);
};

const shape = Object.fromEntries(
  Object.entries(rules).map(([name, row]) => [name, schemaOf(name, row)]),
);

/** Reads {@link GivenAnswers} as {@link Answers}. */
export const answersSchema = z.prefault(strict(shape), {}) as unknown as z.ZodMiniType<
  Answers,
  GivenAnswers | undefined
>;

/** Of each rule the values that are worth trying when a service is measured, the default first. */
export const answerCandidates = Object.fromEntries(
  Object.entries(rules).map(([name, { words, statuses, isRefused }]) => {
    const bodies = name === 'rateLimited' ? [{ body: false }] : [];
    const refusals = [...statuses.map((status) => ({ status })), ...bodies];
    return [name, isRefused ? [...refusals, ...words] : [...words, ...refusals]];
  }),
) as unknown as { readonly [Name in Rule]: readonly NonNullable<GivenAnswers[Name]>[] };
