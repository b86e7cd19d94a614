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
import { knownFields, makePet, petFields, type MockPet, type PetFields } from './pet.js';
import type { Store } from './pet-store.js';
import type { Random } from '../utils/random.js';

/** A body of `createPet` that the contract accepts. `status` is absent if the request omits it. */
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

/** Reads the query of `listPets`. */
function readQuery({ query, assumptions }: Read): Inputs['listPets'] | Problem {
  if (!query) return { limit: listLimit.default };
  const { repeatedQuery, invalidStatusFilter } = assumptions.answers;
  const repeated = ['limit', 'status'].find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined && typeof repeatedQuery === 'object') {
    const what = `${repeated} was given ${query.getAll(repeated).length} times`;
    return invalidQuery('repeatedQuery', what, 'give it once');
  }
  const valueOf = (name: string) => query.getAll(name).at(repeatedQuery === 'last' ? -1 : 0);
  const limit = readLimit(valueOf('limit'), assumptions);
  if (limit instanceof Problem) return limit;
  const status = valueOf('status');
  if (status === undefined) return { limit };
  const known = PetStatusSchema.safeParse(status);
  if (known.success) return { limit, status: known.data };
  if (invalidStatusFilter === 'ignore') return { limit };
  if (invalidStatusFilter === 'match-none') return { limit, status: null };
  const hint = 'it must be one of available, pending, sold';
  return invalidQuery('invalidStatusFilter', `status is ${quote(status)}`, hint);
}

/**
 * The problem of an unknown query parameter, or a hint where the parameter is ignored; undefined if the operation knows all
 * of them.
 */
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

/** Reads the `limit` of a query. */
function readLimit(text: string | undefined, { answers }: Assumptions) {
  const { minimum, maximum } = listLimit;
  if (text === undefined) return listLimit.default;
  const limit = /^-?\d+$/.test(text) ? Number(text) : NaN;
  const clamped = Math.min(Math.max(limit, minimum), maximum);
  if (limit === clamped) return limit;
  const beyond = limit < minimum ? 'limitBelow' : 'limitAbove';
  const rule = Number.isNaN(limit) ? 'limitNotANumber' : beyond;
  const answer = answers[rule];
  if (answer === 'ignore') return listLimit.default;
  if (answer === 'clamp') return clamped;
  const hint = `it must be an integer from ${minimum} to ${maximum}`;
  return invalidQuery(rule, `limit is ${quote(text)}`, hint);
}

function invalidQuery(rule: Rule, message: string, hint: string): Problem {
  return new Problem(rule, `The query is invalid: ${message}.`, hint);
}

/** The answer to a body that is longer than the assumption `maxBodyBytes`. */
export function bodyTooLarge({ maxBodyBytes }: Assumptions): Problem {
  const hint = `it may have ${maxBodyBytes} bytes: see maxBodyBytes`;
  return new Problem('bodyTooLarge', 'The body is too large.', hint);
}

/** Reads the path of an operation on one pet. */
function readPetId({ params }: Read): Inputs['getPet'] | Problem {
  const petId = parseInt64(params[0] ?? '');
  if (petId !== undefined) return { petId };
  const hint = 'petId must be an int64: digits, from -9223372036854775808 to 9223372036854775807';
  return new Problem('invalidPetId', 'There is no such pet.', hint);
}

/** The answer of an operation on one pet where the store has none with this id. */
const petNotFound = (petId: number | bigint): Problem =>
  new Problem('petNotFound', 'There is no such pet.', `no pet has the id ${petId}`);

const isJson = /^application\/json\s*(?:;|$)/i;

/** Reads the body of `createPet`. */
function readPet({ body: text, type, assumptions }: Read): CreatePetInput | Problem {
  if (text === undefined) return bodyTooLarge(assumptions);
  if (text === '')
    return new Problem(
      'malformedJson',
      'The body is empty: a pet is required.',
      'the body is empty: send JSON, such as {"name":"Rex","categoryId":1}, with Content-Type: application/json',
    );
  if (assumptions.answers.contentType !== 'ignore' && !isJson.test(type ?? '')) {
    const hint = `send Content-Type: application/json, got ${type === null ? 'none' : quote(type)}`;
    return new Problem('contentType', 'The body must be application/json.', hint);
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
function assumedIssues(pet: Omit<CreatePetInput, 'status'>, { name, categories }: Assumptions) {
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

/** The result of each operation. */
export interface Results {
  /** The pets that match, up to the limit. */
  listPets: readonly MockPet[];
  /** The pet as added. */
  createPet: MockPet;
  /** The pet. */
  getPet: MockPet;
}

/** What the service does for each operation: reads its input, and applies it to the pets, without HTTP, time and quota. */
export const handlers: {
  readonly [Name in OperationName]: {
    readonly read: (read: Read) => Inputs[Name] | Problem;
    readonly run: (
      input: Inputs[Name],
      store: Store,
      assumptions: Assumptions,
      random: Random,
    ) => Results[Name] | Problem;
  };
} = {
  listPets: {
    read: readQuery,
    run: ({ status, limit }, store, { longestList }, random) =>
      status === null ? [] : store.list(status, Math.min(limit, longestList), random),
  },
  createPet: {
    read: readPet,
    run: (pet, store, assumptions, random) =>
      store.put(makePet(store.newId(random), pet, assumptions)),
  },
  getPet: {
    read: readPetId,
    run: ({ petId }, store) => store.get(petId) ?? petNotFound(petId),
  },
};
