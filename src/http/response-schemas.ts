import * as z from 'zod/mini';
import * as core from 'zod/v4/core';
import { fastCheck, looseObject, strictObject } from '../contract/schema-builders.js';
import { explainInt64, Int64Schema, isInt64 } from '../contract/int64.js';
import { PetStatus, PetStatusSchema, text } from '../contract/schemas.js';
import type { Validation } from '../options/options.js';
import type { ReportDrift } from '../events/events.js';
import type { Int64Mode } from '../types.js';

/**
 * What a client parses a response with: the schema of the contract, but with ids as the option `int64` wants them, and
 * open to statuses that the contract does not know, or closed to unknown fields where `validation` is `'strict'`.
 */
export function makeResponseSchema(
  schema: core.$ZodType,
  int64: Int64Mode,
  validation: Validation,
): core.$ZodType {
  return derive(schema, int64 === 'bigint' ? bigintId() : numberId(), validation === 'strict');
}

/** The parts of a schema definition that the schemas of the contract use. */
interface SchemaParts {
  readonly element?: core.$ZodType;
  readonly innerType?: core.$ZodType;
  readonly shape?: Readonly<Record<string, core.$ZodType>>;
  readonly error?: () => string;
}

const partsOf = (schema: core.$ZodType) => schema._zod.def as unknown as SchemaParts;

function derive(schema: core.$ZodType, id: core.$ZodType, strict: boolean): core.$ZodType {
  if (schema === Int64Schema) return id;
  if (schema === PetStatusSchema) return strict ? schema : text();
  const { element, innerType, shape, error } = partsOf(schema);
  if (element !== undefined)
    return core.clone(schema, {
      ...schema._zod.def,
      element: derive(element, id, strict),
    } as never);
  if (innerType !== undefined) return z.optional(derive(innerType, id, strict));
  if (shape === undefined) return schema;
  const fields = Object.entries(shape).map(([name, field]) => [name, derive(field, id, strict)]);
  const build = strict ? strictObject : looseObject;
  return build(Object.fromEntries(fields) as core.$ZodLooseShape, (error as () => string)());
}

function numberId(): core.$ZodType {
  return fastCheck({
    accepts: Number.isSafeInteger,
    explain: (value) =>
      isInt64(value)
        ? `is ${value}, which a number cannot hold exactly: set int64: 'bigint' on the client`
        : explainId(value),
  });
}

function bigintId(): core.$ZodType {
  return fastCheck({
    accepts: isInt64,
    explain: explainId,
    convert: (value) => BigInt(value as number | bigint),
  });
}

function explainId(value: unknown): string {
  // JSON has no NaN, so it can represent an integer whose digits the engine does not provide.
  if (Number.isNaN(value))
    return 'is beyond 2^53 - 1, which this JavaScript engine cannot read exactly: use a newer one';
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? 'must be an integer (int64) in plain digits, got one with an exponent or a fraction'
    : explainInt64(value);
}

const knownStatuses = new Set<unknown>(Object.values(PetStatus));

/** Calls `report` for each field and status of a valid response that its schema in the contract does not know. */
export function findDrift(schema: core.$ZodType, data: unknown, report: ReportDrift): void {
  if (schema === PetStatusSchema && !knownStatuses.has(data)) report('status', data as string);
  const { element, innerType, shape } = partsOf(schema);
  if (element !== undefined)
    for (const item of data as readonly unknown[]) findDrift(element, item, report);
  if (innerType !== undefined && data !== undefined) findDrift(innerType, data, report);
  if (shape === undefined) return;
  const fields = data as Readonly<Record<string, unknown>>;
  for (const name in fields) if (!Object.hasOwn(shape, name)) report('field', name);
  for (const [name, field] of Object.entries(shape)) findDrift(field, fields[name], report);
}
