import type * as z from 'zod/mini';
import { toJSONSchema } from 'zod/v4/core';
import { operations } from '../../src/contract/operations.js';
import { plans } from '../../src/contract/rate-limits.js';
import { PetSchema } from '../../src/contract/schemas.js';
import { assumptionsSchema } from '../assumptions/assumptions.js';
import { faultSchema } from '../faults/parse.js';
import { SnapshotSchema } from '../service/snapshot/schema.js';

/** The JSON schema of what a schema accepts. */
export function jsonSchema(schema: z.ZodMiniType): object {
  const { $schema: _, ...made } = toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  return made;
}

/** An object that has all of these fields. It may get more in a later version. */
const object = (properties: Record<string, object>): object => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const list = (items: object): object => ({ type: 'array', items });
const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const number = { type: 'number' };
const time = { type: 'number', description: 'ms since the epoch' };
const orNull = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });
const isoTime = { type: 'string', format: 'date-time' };

const pet = (): object => jsonSchema(PetSchema);
const fault = (): object => jsonSchema(faultSchema);
const shownFault = (): object => object({ id: count, fault: fault(), hits: count });
const usage = object({ limit: count, used: number, remaining: number, resetAt: time });
const key = object({
  key: text,
  plan: { enum: [...Object.keys(plans), 'custom'] },
  quota: object({ perMinute: count, perDay: count }),
  limits: { enum: ['on', 'off'] },
  usage: object({ minute: usage, day: usage }),
  bannedUntil: orNull(time),
  strikes: count,
});
const request = {
  type: 'object',
  required: ['number', 'environment', 'at', 'method', 'path', 'query', 'faults', 'inCoolDown'],
  properties: {
    number: { type: 'integer', minimum: 1 },
    environment: { enum: ['production', 'staging'] },
    at: time,
    answeredAt: time,
    operation: { enum: Object.keys(operations) },
    method: text,
    path: text,
    query: { type: 'object', additionalProperties: text },
    body: {},
    input: { type: 'object' },
    key: text,
    status: count,
    faults: list(text),
    inCoolDown: { type: 'boolean' },
    remaining: number,
  },
};

/** What the bodies and responses of the control API consist of, as JSON schemas. */
export const schemas = {
  assumptions: (): object => jsonSchema(assumptionsSchema),
  clock: (): object => object({ now: isoTime }),
  fault,
  faults: (): object => list(shownFault()),
  key: (): object => key,
  keys: (): object => list(key),
  pet,
  petOrPets: (): object => ({ anyOf: [pet(), list(pet())] }),
  pets: (): object => object({ size: count, pets: list(pet()) }),
  report: (): object =>
    object({
      requests: count,
      forgotten: count,
      duringCoolDown: count,
      rateLimited: count,
      bans: count,
      repeatedPosts: count,
      deprecatedCalls: count,
      unauthorized: count,
      maxInFlight: count,
      mockDefects: count,
      offences: list(text),
    }),
  requests: (): object => list(request),
  shownFault,
  snapshot: (): object => jsonSchema(SnapshotSchema),
  state: (): object =>
    object({
      world: text,
      now: isoTime,
      clock: { enum: ['system', 'virtual'] },
      keys: list(key),
      faults: list(shownFault()),
      pets: object({ size: count, first: list(pet()) }),
    }),
  traffic: (): object => object({ counts: list(count) }),
  worlds: (): object => list(object({ name: text, pets: count, requests: count })),
} as const;
