import * as z from 'zod/mini';
import type * as core from 'zod/v4/core';
import { fastCheck, looseObject, strictObject } from '../contract/schema-builders.js';
import { explainInt64, isInt64 } from '../contract/int64.js';
import { parseJson } from '../contract/json.js';
import { PetStatus, PetStatusSchema, text } from '../contract/schemas.js';
import type { Validation } from '../options/options.js';
import type { Int64Mode } from '../types.js';

/** What the two kinds of answer are checked with. Both differ from the contract's schemas in the type of ids, and in how open they are. */
export interface ResponseSchemas {
  readonly pet: core.$ZodType;
  readonly list: core.$ZodType;
}

const cache = new Map<string, ResponseSchemas>();

/** The schemas of one client, made once for each pair of options. */
export function answerSchemas(int64: Int64Mode, validation: Validation): ResponseSchemas {
  const name = `${int64} ${validation}`;
  const cached = cache.get(name);
  if (cached !== undefined) return cached;
  const id = int64 === 'bigint' ? bigintId() : numberId();
  const strict = validation === 'strict';
  const shape = {
    id,
    name: text(),
    categoryId: id,
    status: z.optional(strict ? PetStatusSchema : text()),
  };
  const pet = (strict ? strictObject : looseObject)(
    shape,
    'must be a pet: an object with id, name and categoryId',
  );
  const schemas = { pet, list: z.array(pet, { error: 'must be an array of pets' }) };
  cache.set(name, schemas);
  return schemas;
}

function numberId(): z.ZodMiniType<number> {
  return fastCheck<number>(Number.isSafeInteger, (input) =>
    isInt64(input)
      ? `is ${input}, which a number cannot hold exactly: set int64: 'bigint' on the client`
      : explainId(input),
  );
}

function bigintId(): z.ZodMiniType<bigint> {
  return fastCheck<bigint>((value) => typeof value === 'bigint' && isInt64(value), explainId);
}

/** JSON has no NaN: it stands for a fraction too small for a number. And what is not safe was no plain row of digits. */
function explainId(value: unknown): string {
  if (Number.isNaN(value)) return 'must be an integer (int64), got a fraction';
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? 'must be an integer (int64) in plain digits, got one with an exponent or a fraction'
    : explainInt64(value);
}

/** Reads an answer in the shape of the contract, its ids exact: as numbers, or all of them as bigint. */
export function readAnswer(text: string, int64: Int64Mode): unknown {
  const value = parseJson(text);
  if (int64 === 'bigint') {
    if (Array.isArray(value)) value.forEach(idsToBigint);
    else idsToBigint(value);
  }
  return value;
}

function idsToBigint(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const ids = value as { id?: unknown; categoryId?: unknown };
  if (Number.isSafeInteger(ids.id)) ids.id = BigInt(ids.id as number);
  if (Number.isSafeInteger(ids.categoryId)) ids.categoryId = BigInt(ids.categoryId as number);
}

const knownFields = new Set(['id', 'name', 'categoryId', 'status']);
const knownStatuses = new Set<unknown>(Object.values(PetStatus));

/** Calls `report` for each field and status of an answer that the contract does not know. */
export function findDrift(
  data: unknown,
  report: (kind: 'field' | 'status', value: string) => void,
): void {
  for (const pet of (Array.isArray(data) ? data : [data]) as Record<string, unknown>[]) {
    for (const field in pet) if (!knownFields.has(field)) report('field', field);
    const status = pet['status'];
    if (typeof status === 'string' && !knownStatuses.has(status)) report('status', status);
  }
}
