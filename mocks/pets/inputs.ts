import type * as z from 'zod/mini';
import {
  listLimit,
  NewPetSchema,
  PetStatusSchema,
  type OperationName,
  type PetStatus,
} from '../../src/contract/index.js';
import { operations, type Operation } from '../../src/contract/operations.js';
import { canonicalInt64, parseInt64 } from '../../src/contract/int64.js';
import { parseJson } from '../../src/contract/json.js';
import type { Rule } from '../assumptions/answers.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { Problem } from '../http/problem.js';
import { isRecord, meant, nearest } from '../utils/options.js';
import { knownFields, petFields, type PetFields } from './pet.js';

/** A body of `createPet` that the contract accepts: `status` is left out where the request left it out. */
export type CreatePetInput = PetFields;

/** The validated input of each operation. */
export interface Inputs {
  /** The query, with the default `limit`. `status: null`: a filter that no pet matches. */
  listPets: { readonly limit: number; readonly status?: PetStatus | null };
  /** The body. */
  createPet: CreatePetInput;
  /** The path parameter. */
  getPet: { readonly petId: number | bigint };
}

/** The parts of a request that an operation may read. */
export interface Read {
  /** The path parameters, as text. */
  readonly params: readonly string[];
  readonly query: URLSearchParams | undefined;
  /** Undefined when it was too long. */
  readonly body: string | undefined;
  /** `Content-Type`. */
  readonly type: string | null;
  readonly assumptions: Assumptions;
}

const knownQuery = ['limit', 'status'] as const;

/** Reads the query of `listPets`. */
export function readQuery({ query, assumptions }: Read): Inputs['listPets'] | Problem {
  if (!query) return { limit: listLimit.default };
  const { repeatedQuery, invalidStatusFilter } = assumptions.answers;
  const given: { limit?: string; status?: string } = {};
  for (const name of knownQuery) {
    const values = query.getAll(name);
    if (values.length > 1 && typeof repeatedQuery === 'object')
      return invalidQuery(
        'repeatedQuery',
        `${name} was given ${values.length} times`,
        'give it once',
      );
    const value = repeatedQuery === 'last' ? values.at(-1) : values[0];
    if (value !== undefined) given[name] = value;
  }
  const limit = readLimit(given.limit, assumptions);
  if (limit instanceof Problem) return limit;
  if (given.status === undefined) return { limit };
  if (PetStatusSchema.safeParse(given.status).success)
    return { limit, status: given.status as PetStatus };
  if (invalidStatusFilter === 'ignore') return { limit };
  if (invalidStatusFilter === 'match-none') return { limit, status: null };
  return invalidQuery(
    'invalidStatusFilter',
    `status is ${quote(given.status)}`,
    'it must be one of available, pending, sold',
  );
}

/** What to tell of a query that an operation does not read all of, as text where it is ignored; undefined when it reads all of it. */
export function unknownQuery(
  operation: OperationName,
  query: URLSearchParams,
  assumptions: Assumptions,
): Problem | string | undefined {
  const row: Operation = operations[operation];
  const known = Object.keys((row.query as z.ZodMiniObject | undefined)?.shape ?? {});
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const what = `unknown query parameter ${quote(unknown)}`;
  const hint = `known: ${known.length > 0 ? known.join(', ') + meant(unknown, known) : 'none'}`;
  return assumptions.answers.unknownQuery === 'ignore'
    ? `${what} is ignored; ${hint}`
    : invalidQuery('unknownQuery', what, hint);
}

function readLimit(
  text: string | undefined,
  { answers, longestList }: Assumptions,
): number | Problem {
  const { minimum, maximum } = listLimit;
  if (text === undefined) return listLimit.default;
  const limit = /^-?\d+$/.test(text) ? Number(text) : NaN;
  const clamped = Math.min(Math.max(limit, minimum), longestList);
  if (limit >= minimum && limit <= maximum) return clamped;
  const rule = Number.isNaN(limit)
    ? 'limitNotANumber'
    : limit < minimum
      ? 'limitBelow'
      : 'limitAbove';
  const answer = answers[rule];
  if (answer === 'ignore') return listLimit.default;
  if (answer === 'clamp') return clamped;
  return invalidQuery(
    rule,
    `limit is ${quote(text)}`,
    `it must be an integer from ${minimum} to ${maximum}`,
  );
}

function invalidQuery(rule: Rule, message: string, hint: string): Problem {
  return new Problem(rule, `The query is invalid: ${message}.`, hint);
}

/** The answer to a body that is longer than the assumption `maxBodyBytes`. */
export function bodyTooLarge(assumptions: Assumptions): Problem {
  return new Problem(
    'bodyTooLarge',
    'The body is too large.',
    `it may have ${assumptions.maxBodyBytes} bytes: see maxBodyBytes`,
  );
}

/** Reads the path of an operation on one pet. */
export function readPetId({ params }: Read): Inputs['getPet'] | Problem {
  const petId = parseInt64(params[0] ?? '');
  if (petId !== undefined) return { petId };
  return new Problem(
    'invalidPetId',
    'There is no such pet.',
    'petId must be an int64: digits, from -9223372036854775808 to 9223372036854775807',
  );
}

const isJson = /^application\/json\s*(?:;|$)/i;

/** Reads the body of `createPet`. */
export function readPet({ body: text, type, assumptions }: Read): CreatePetInput | Problem {
  if (text === undefined) return bodyTooLarge(assumptions);
  if (text === '')
    return new Problem(
      'malformedJson',
      'The body is empty: a pet is required.',
      'the body is empty: send JSON, such as {"name":"Rex","categoryId":1}, with Content-Type: application/json',
    );
  if (assumptions.answers.contentType !== 'ignore' && !isJson.test(type ?? '')) {
    const got = type === null ? 'none' : quote(type);
    return new Problem(
      'contentType',
      'The body must be application/json.',
      `send Content-Type: application/json, got ${got}`,
    );
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return new Problem('malformedJson', 'The body is not JSON.', (error as Error).message);
  }
  const { success, data, error } = NewPetSchema.safeParse(value);
  const issues = success
    ? assumedIssues(data, assumptions)
    : error.issues.map(
        ({ path, message }) => [...path, message].join(' ') + misspelt(path[0], value),
      );
  if (issues.length > 0) return invalidPet('invalidBody', issues.join('; '));
  const unknown = Object.keys(data!).filter((field) => !petFields.includes(field));
  if (unknown.length > 0 && assumptions.answers.unknownBodyField !== 'ignore')
    return invalidPet(
      'unknownBodyField',
      `unknown: ${unknown.join(', ')}; known: ${petFields.join(', ')}`,
    );
  return knownFields(data!);
}

/** For a field that is absent: the unknown field that was given in its place, such as `category_id`. */
function misspelt(field: unknown, value: unknown): string {
  if (!isRecord(value) || Object.hasOwn(value, String(field))) return '';
  const given = Object.keys(value).find(
    (name) => !petFields.includes(name) && nearest(name, petFields) === field,
  );
  return given === undefined ? '' : `; ${quote(given)} is unknown: did you mean ${String(field)}?`;
}

function invalidPet(rule: Rule, issues: string): Problem {
  return new Problem(rule, `The body is not a valid pet: ${issues}.`, issues);
}

/** Checks that the assumptions add to those of the contract. */
function assumedIssues(
  pet: Omit<CreatePetInput, 'status'>,
  { name, categories }: Assumptions,
): string[] {
  const issues: string[] = [];
  if (name !== 'any' && !isWhole(name, pet.name)) issues.push(`name must match ${String(name)}`);
  const id = canonicalInt64(pet.categoryId);
  if (categories !== 'any' && !categories.some((one) => canonicalInt64(one) === id))
    issues.push(`categoryId must be a category that exists: ${categories.join(', ')}`);
  return issues;
}

/** Whether the expression matches the whole text. A sticky or global one would keep its position between two texts. */
function isWhole({ source, flags }: RegExp, text: string): boolean {
  const whole = `(?<![\\s\\S])(?:${source})(?![\\s\\S])`;
  return new RegExp(whole, flags.replace(/[gy]/g, '')).test(text);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
