/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-return */
/** The assumptions by the names that the cases of a run have for them, and back. */
import type { Answer, Answers, GivenAnswers, Rule } from '../assumptions/answers.js';
import {
  type Assumptions,
  chooseAssumptions,
  type GivenAssumptions,
} from '../assumptions/assumptions.js';
import { rules } from '../assumptions/answers.js';
import { isRecord } from '../utils/options.js';

type LimitAnswer = 400 | 422 | 'clamp' | 'default';

/** What the cases measure. */
export interface Measurable extends Omit<GivenAssumptions, 'name' | 'ids' | 'answers'> {
  readonly nameLength?: { readonly min: number; readonly max: number };
  readonly nameCharacters?: 'any' | RegExp;
  readonly idAssignment?: 'sequential' | 'random';
  readonly firstId?: number | bigint;
  readonly unknownBodyFields?: 'ignore' | 'reject';
  readonly invalidLimit?:
    | LimitAnswer
    | {
        readonly below?: LimitAnswer;
        readonly above?: LimitAnswer;
        readonly notANumber?: LimitAnswer;
      };
  readonly invalidStatusFilter?: 400 | 422 | 'ignore' | 'match-none';
  readonly unknownQuery?: 'ignore' | 'reject';
  readonly repeatedQuery?: 'first' | 'last' | 'reject';
  readonly invalidPetId?: 404 | 400 | 422;
  readonly otherContentType?: 400 | 415 | 422 | 'accept';
  readonly malformedJson?: 400 | 422;
  readonly bodyTooLarge?: 413 | 400;
  readonly storeOrders?: 501 | 404 | 403;
  readonly removedOperation?: 410 | 404 | 'works';
  readonly codes?: Readonly<Record<string, string>>;
  readonly rateLimitBody?: 'error' | 'none';
  readonly strikeRule?: unknown;
  readonly bannedAnswer?: unknown;
}

/** Rules that a run sees as one. */
const alike: Readonly<Record<string, readonly Rule[]>> = {
  notPublished: ['storeOrders'],
  invalidQuery: [
    'limitBelow',
    'limitAbove',
    'limitNotANumber',
    'invalidStatusFilter',
    'unknownQuery',
    'repeatedQuery',
  ],
  petNotFound: ['petNotFound', 'invalidPetId'],
  invalidBody: ['invalidBody', 'unknownBodyField'],
};
const rulesOf = (name: string): readonly Rule[] => alike[name] ?? [name as Rule];
const namesOfRules = [
  ...Object.keys(alike),
  ...Object.keys(rules).filter(
    (rule) =>
      !Object.values(alike)
        .flat()
        .includes(rule as Rule),
  ),
];

const refused = (status: number | undefined) => status !== undefined && { status };

/** The assumptions of the mock for what was measured. */
export function toAssumptions(measured: Measurable): GivenAssumptions {
  const {
    nameLength,
    nameCharacters = 'any',
    idAssignment,
    firstId,
    unknownBodyFields,
    invalidLimit,
    invalidStatusFilter,
    unknownQuery,
    repeatedQuery,
    invalidPetId,
    otherContentType,
    malformedJson,
    bodyTooLarge,
    storeOrders,
    removedOperation,
    codes = {},
    rateLimitBody,
    strikeRule: _strikes,
    bannedAnswer: _ban,
    ...same
  } = measured;
  const { below, above, notANumber } =
    typeof invalidLimit === 'object'
      ? invalidLimit
      : { below: invalidLimit, above: invalidLimit, notANumber: invalidLimit };
  const given: Record<string, unknown> = {
    limitBelow: answerTo(below, { default: 'ignore' }),
    limitAbove: answerTo(above, { default: 'ignore' }),
    limitNotANumber: answerTo(notANumber, { default: 'ignore', clamp: 'ignore' }),
    invalidStatusFilter: answerTo(invalidStatusFilter, {}),
    unknownQuery: answerTo(unknownQuery, { reject: { status: 400 } }),
    repeatedQuery: answerTo(repeatedQuery, { reject: { status: 400 } }),
    unknownBodyField: answerTo(unknownBodyFields, { reject: { status: 400 } }),
    invalidPetId: refused(invalidPetId),
    contentType: answerTo(otherContentType, { accept: 'ignore' }),
    malformedJson: refused(malformedJson),
    bodyTooLarge: refused(bodyTooLarge),
    storeOrders: storeOrders === 404 ? 'ignore' : refused(storeOrders),
    removed: answerTo(removedOperation, { works: 'ignore' }),
    rateLimited: rateLimitBody === 'none' && { body: false },
  };
  for (const [name, code] of Object.entries(codes))
    for (const rule of rulesOf(name))
      if (isRecord(given[rule]) || (!given[rule] && rules[rule].isRefused))
        given[rule] = { ...(given[rule] as object), code };
  const answers = Object.fromEntries(Object.entries(given).filter(([, answer]) => answer));
  return {
    ...same,
    ...(Object.keys(answers).length > 0 && { answers: answers as GivenAnswers }),
    ...((nameLength?.min || nameLength?.max) && { name: lengthOf(nameLength) }),
    ...(nameCharacters !== 'any' && { name: nameCharacters }),
    ...(firstId !== undefined && { ids: firstId }),
    ...(idAssignment === 'random' && { ids: 'random' as const }),
  };
}

function answerTo(value: number | string | undefined, words: Readonly<Record<string, unknown>>) {
  if (typeof value === 'number') return { status: value };
  return value === undefined ? undefined : (words[value] ?? value);
}

function lengthOf({ min, max }: { readonly min: number; readonly max: number }): RegExp {
  return new RegExp(`[^]{${min},${max === 0 ? '' : max}}`);
}

/** What the cases would measure on a mock with these assumptions. */
export function toMeasurable(given: GivenAssumptions): Required<Measurable> {
  const { name, ids, answers, ...same } = chooseAssumptions(given);
  const length = name === 'any' ? null : /^\[\^\]\{(\d+),(\d*)\}$/.exec(name.source);
  const of = (rule: Rule, words: Readonly<Record<string, unknown>> = {}): any => {
    const answer = answers[rule] as Answer | string;
    return typeof answer === 'string' ? (words[answer] ?? answer) : answer.status;
  };
  const orReject = (rule: Rule) =>
    (typeof answers[rule] === 'string' ? answers[rule] : 'reject') as never;
  const [below, above, notANumber] = (['limitBelow', 'limitAbove', 'limitNotANumber'] as const).map(
    (rule) => of(rule, { ignore: 'default' }),
  );
  const kinds = { below, above, notANumber } as unknown as NonNullable<Measurable['invalidLimit']>;
  return {
    ...(same as Omit<Assumptions, 'name' | 'ids' | 'answers'>),
    nameLength: { min: Number(length?.[1] ?? 0), max: Number(length?.[2] ?? 0) },
    nameCharacters: length ? 'any' : name,
    idAssignment: ids === 'random' ? 'random' : 'sequential',
    firstId: ids === 'random' ? 1 : ids,
    unknownBodyFields: orReject('unknownBodyField'),
    invalidLimit:
      below === above && (notANumber === above || (above === 'clamp' && notANumber === 'default'))
        ? below!
        : kinds,
    invalidStatusFilter: of('invalidStatusFilter'),
    unknownQuery: orReject('unknownQuery'),
    repeatedQuery: orReject('repeatedQuery'),
    invalidPetId: of('invalidPetId'),
    otherContentType: of('contentType', { ignore: 'accept' }),
    malformedJson: of('malformedJson'),
    bodyTooLarge: of('bodyTooLarge'),
    storeOrders: of('storeOrders', { ignore: 404 }),
    removedOperation: of('removed', { ignore: 'works' }),
    codes: codesOf(answers),
    rateLimitBody: (answers.rateLimited as Answer).body ? 'error' : 'none',
    strikeRule: 'never',
    bannedAnswer: answers.banned,
  };
}

function codesOf(answers: Answers | GivenAnswers): Record<string, string> {
  return Object.fromEntries(
    namesOfRules.flatMap((name) => {
      const found = rulesOf(name).flatMap(
        (rule) => (answers[rule] as Partial<Answer> | undefined)?.code ?? [],
      );
      return found.length > 0 ? [[name, found[0]!]] : [];
    }),
  );
}

/** The names of what the cases measure. */
export type MeasurableName = keyof Measurable;

/** What the cases would measure on a mock as it is by default. */
export const defaultMeasurable: Required<Measurable> = toMeasurable({});

/** The values of a file, without those that have their defaults. */
export function measurableOf(given: GivenAssumptions): Measurable {
  const all = { ...toMeasurable(given), codes: codesOf(given.answers ?? {}) };
  const namesOf = (rule: string): readonly string[] => measuredBy[rule as Rule] ?? [];
  const named = [
    ...Object.keys(given),
    ...(given.name === undefined ? [] : ['nameLength', 'nameCharacters']),
    ...(given.ids === undefined
      ? []
      : ['idAssignment', ...(given.ids === 'random' ? [] : ['firstId'])]),
    ...Object.entries(given.answers ?? {}).flatMap(([rule, answer]) => [
      ...(typeof answer === 'string' || 'status' in answer || 'body' in answer
        ? namesOf(rule)
        : []),
      ...(typeof answer === 'object' && 'code' in answer ? ['codes'] : []),
    ]),
  ];
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => named.includes(name)),
  ) as Measurable;
}

const measuredBy: Readonly<Partial<Record<Rule, readonly MeasurableName[]>>> = {
  limitBelow: ['invalidLimit'],
  limitAbove: ['invalidLimit'],
  limitNotANumber: ['invalidLimit'],
  invalidStatusFilter: ['invalidStatusFilter'],
  unknownQuery: ['unknownQuery'],
  repeatedQuery: ['repeatedQuery'],
  unknownBodyField: ['unknownBodyFields'],
  invalidPetId: ['invalidPetId'],
  contentType: ['otherContentType'],
  malformedJson: ['malformedJson'],
  bodyTooLarge: ['bodyTooLarge'],
  storeOrders: ['storeOrders'],
  removed: ['removedOperation'],
  rateLimited: ['rateLimitBody'],
};
