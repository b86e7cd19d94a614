import * as z from 'zod/mini';
import { Int64Schema, listLimit, PetStatusSchema } from '../../src/contract/index.js';
import { fastCheck, strictObject } from '../../src/contract/schema-builders.js';
import {
  mergedAssumptions,
  ruleCodes,
  type Assumptions,
  type GivenAssumptions,
  type RetryAfterForm,
  type StrikeRule,
} from './assumptions.js';

const strikeRule: StrikeRule = {
  strikes: 5,
  grace: 0,
  inFlight: 'ignore',
  ban: 600_000,
  until: 'admitted',
  forget: 'admitted',
  extend: false,
};

/** What the service does by default where its interface is silent. `docs/assumptions.md` gives the reasons. */
export const defaultAssumptions: Assumptions = {
  environments: 'separate',
  omittedStatus: 'available',
  nameLength: { min: 0, max: 0 },
  nameCharacters: 'any',
  categories: 'any',
  unknownBodyFields: 'ignore',
  idAssignment: 'sequential',
  firstId: 1,
  longestList: listLimit.maximum,
  listOrder: 'id-ascending',
  invalidLimit: 400,
  invalidStatusFilter: 400,
  unknownQuery: 'ignore',
  repeatedQuery: 'first',
  invalidPetId: 404,
  otherContentType: 400,
  malformedJson: 400,
  maxBodyBytes: 1_048_576,
  bodyTooLarge: 413,
  unknownPathNeedsKey: true,
  storeOrders: 501,
  removedOperation: 410,
  removedFrom: 'start-of-day',
  codes: ruleCodes,
  countingScope: 'key',
  minuteWindow: 'fixed',
  dayWindow: 'fixed',
  resetMeaning: 'full',
  announcedWindow: 'binding',
  refusedCount: false,
  enterpriseQuota: { perMinute: 1_000_000, perDay: 1_000_000_000 },
  unauthorizedCount: false,
  unauthorizedQuota: 'free',
  retryAfter: 'seconds',
  resetUnit: 'unix-seconds',
  dateHeader: true,
  clockSkew: 0,
  nodes: { remaining: [0, 0], clock: [0, 0] },
  strikeRule,
  bannedAnswer: { status: 429, body: true, retryAfter: true },
  rateLimitBody: 'error',
};

const among = (...values: readonly (string | number)[]) => {
  const listed = values.map((value) => JSON.stringify(value)).join(', ');
  return fastCheck({
    accepts: (given) => values.includes(given as string),
    explain: () => `must be one of ${listed}`,
    jsonSchema: () => ({ enum: [...values] }),
  });
};
const integer = (least: number) =>
  z
    .int({ error: 'must be an integer' })
    .check(z.minimum(least, { error: `must be ${least} or more` }));
/** 100 years of 365.25 days, ms: the longest time that the clock of a service takes. */
const longest = 36_525 * 86_400_000;
/** ms of a clock, ahead or behind. */
const offset = z
  .number({ error: 'must be ms' })
  .check(
    z.minimum(-longest, { error: `must be ${-longest} ms (100 years) or more` }),
    z.maximum(longest, { error: `must be ${longest} ms (100 years) or less` }),
  );
const span = integer(0).check(
  z.maximum(longest, { error: `must be ${longest} ms (100 years) or less` }),
);
const yesOrNo = z.boolean({ error: 'must be true or false' });
const quota = strictObject(
  { perMinute: integer(1), perDay: integer(1) },
  'must be { perMinute, perDay }',
);
const regExp = fastCheck<RegExp>({
  accepts: (value) => value instanceof RegExp,
  explain: () => 'must be a RegExp',
  jsonSchema: () => ({
    type: 'object',
    required: ['pattern'],
    properties: { pattern: { type: 'string' }, flags: { type: 'string' } },
  }),
});
const windowKind = among('fixed', 'from-first', 'sliding', 'token-bucket');
const range = (item: z.ZodMiniType<number>) =>
  z
    .tuple([item, item], { error: 'must be [least, most]' })
    .check(
      z.refine(([least, most]) => least <= most, { error: 'must be [least, most]: least first' }),
    );
const count = z.int({ error: 'must be an integer' });

const invalidLimit = among(400, 422, 'clamp', 'default');

const retryAfterNames = [
  'seconds',
  'seconds-floored',
  'decimal',
  'milliseconds',
  'http-date',
  'http-date-rfc850',
  'http-date-asctime',
  'unix-seconds',
  'unix-milliseconds',
  'absent',
];
const retryAfter = fastCheck<RetryAfterForm>({
  accepts: (form) =>
    typeof form === 'number' ||
    typeof form === 'function' ||
    retryAfterNames.includes(form as string) ||
    typeof (form as { raw?: unknown } | null)?.raw === 'string',
  explain: () =>
    `must be one of ${retryAfterNames.join(', ')}, a number of seconds, { raw: text } or a function`,
  jsonSchema: () => ({
    anyOf: [
      { enum: retryAfterNames },
      { type: 'number' },
      { type: 'object', required: ['raw'], properties: { raw: { type: 'string' } } },
    ],
  }),
});

/** What each assumption may be. The OpenAPI description of the control API is made from it. */
export const assumptionSchemas: Readonly<Record<keyof Assumptions, z.ZodMiniType>> = {
  environments: among('separate', 'shared'),
  omittedStatus: z.union([PetStatusSchema, z.literal('absent')], {
    error: 'must be available, pending, sold or absent',
  }),
  nameLength: strictObject({ min: integer(0), max: integer(0) }, 'must be { min, max }'),
  nameCharacters: z.union([z.literal('any'), regExp], {
    error: "must be 'any' or a RegExp",
  }),
  categories: z.union([z.literal('any'), z.array(Int64Schema)], {
    error: "must be 'any' or an array of int64",
  }),
  unknownBodyFields: among('ignore', 'reject'),
  idAssignment: among('sequential', 'random'),
  firstId: Int64Schema,
  longestList: integer(listLimit.default).check(
    z.maximum(listLimit.maximum, { error: `must be ${listLimit.maximum} or less` }),
  ),
  listOrder: among('id-ascending', 'id-descending', 'shuffled'),
  invalidLimit: z.union(
    [
      invalidLimit,
      strictObject(
        {
          below: z.optional(invalidLimit),
          above: z.optional(invalidLimit),
          notANumber: z.optional(invalidLimit),
        },
        'must be an object',
      ),
    ],
    { error: 'must be 400, 422, "clamp", "default" or { below, above, notANumber } of these' },
  ),
  invalidStatusFilter: among(400, 422, 'ignore', 'match-none'),
  unknownQuery: among('ignore', 'reject'),
  repeatedQuery: among('first', 'last', 'reject'),
  invalidPetId: among(404, 400, 422),
  otherContentType: among(400, 415, 422, 'accept'),
  malformedJson: among(400, 422),
  maxBodyBytes: integer(0),
  bodyTooLarge: among(413, 400),
  unknownPathNeedsKey: yesOrNo,
  storeOrders: among(501, 404, 403),
  removedOperation: among(410, 404, 'works'),
  removedFrom: among('start-of-day', 'end-of-day'),
  codes: strictObject(
    Object.fromEntries(Object.keys(ruleCodes).map((rule) => [rule, z.string()])),
    'must be an object of rules',
  ),
  countingScope: among('key', 'key-and-operation', 'everyone'),
  minuteWindow: windowKind,
  dayWindow: windowKind,
  resetMeaning: among('full', 'next-slot'),
  announcedWindow: among('binding', 'minute'),
  refusedCount: yesOrNo,
  enterpriseQuota: quota,
  unauthorizedCount: yesOrNo,
  unauthorizedQuota: z.union([among('free', 'pro', 'business'), quota], {
    error: 'must be free, pro, business or { perMinute, perDay }',
  }),
  retryAfter,
  resetUnit: among('unix-seconds', 'unix-milliseconds', 'seconds-from-now', 'absent'),
  dateHeader: yesOrNo,
  clockSkew: offset,
  nodes: strictObject(
    { remaining: range(count), clock: range(offset) },
    'must be { remaining: [least, most], clock: [least, most] }',
  ),
  // 'never' is checked apart, so that the error names the field of an object.
  strikeRule: strictObject(
    {
      strikes: integer(1),
      grace: span,
      inFlight: among('ignore', 'count'),
      ban: span,
      until: among('admitted', 'retry-after'),
      forget: z.union([among('admitted', 'never'), span], {
        error: `must be "admitted", "never", or ms from 0 to ${longest} (100 years)`,
      }),
      extend: yesOrNo,
    },
    "must be 'never' or { strikes, grace, inFlight, ban, until, forget, extend }",
  ),
  bannedAnswer: strictObject(
    { status: among(429, 403, 401, 503), body: yesOrNo, retryAfter: yesOrNo },
    'must be { status, body, retryAfter }',
  ),
  rateLimitBody: among('error', 'none'),
};

/**
 * The assumptions of a service: the given ones merged into the defaults.
 *
 * @throws TypeError that names the assumption that does not exist, or that has an invalid value.
 */
export function chooseAssumptions(given: GivenAssumptions): Assumptions {
  const chosen: Record<string, unknown> = { ...defaultAssumptions, ...given };
  for (const name of mergedAssumptions) {
    const value = chosen[name];
    if (typeof value === 'object' && value !== null)
      chosen[name] = { ...(defaultAssumptions[name] as object), ...value };
  }
  for (const [name, value] of Object.entries(chosen)) {
    const schema = (assumptionSchemas as Readonly<Record<string, z.ZodMiniType | undefined>>)[name];
    if (!schema)
      throw new TypeError(
        `There is no assumption ${name}; there are: ${Object.keys(assumptionSchemas).join(', ')}`,
      );
    if (name === 'strikeRule' && value === 'never') continue;
    const { success, error } = schema.safeParse(value);
    if (!success)
      throw new TypeError(
        `assumptions.${[name, ...error.issues[0]!.path].join('.')} ${error.issues[0]!.message}`,
      );
  }
  return Object.freeze(chosen) as unknown as Assumptions;
}
