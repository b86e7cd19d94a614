import * as z from 'zod/mini';
import { strictObject } from '../../src/contract/schema-builders.js';
import { Int64Schema, PetStatusSchema } from '../../src/contract/index.js';

/** The most made-up pets that one request may ask for: as many as its answer can hold. */
const mostSeeded = 1_000_000;

const duration = z.union([z.number(), z.string()], {
  error: "must be ms, or a text such as '61s'",
});
const whole = (least: number) => {
  const error = `must be an integer of ${least} or more`;
  return z.int({ error }).check(z.minimum(least, { error }));
};
const oneOf = <const Values extends readonly string[]>(...values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });
const onlyTrue = z.literal(true, { error: 'must be true, or left out' });

/** What `POST /clock` takes: one of the two. */
export const clockChange = strictObject(
  {
    advance: z.optional(duration),
    set: z.optional(
      z.union([z.string(), z.number()], { error: 'must be an ISO text, or ms since the epoch' }),
    ),
  },
  'must be { "advance": "61s" } or { "set": "2030-12-05" }',
);

const pet = strictObject(
  {
    id: z.optional(Int64Schema),
    name: z.string({ error: 'must be a text' }),
    categoryId: Int64Schema,
    status: z.optional(PetStatusSchema),
  },
  'must be a pet { "name", "categoryId" }, an array of pets, or { "seed": 20 }',
);
const pets = z.array(pet);
const seedError = `must be an integer from 0 to ${mostSeeded}`;
const seeding = strictObject(
  {
    seed: z
      .int({ error: seedError })
      .check(z.minimum(0, { error: seedError }), z.maximum(mostSeeded, { error: seedError })),
  },
  'must be { "seed": 20 }',
);
/** What `POST /pets` takes. */
export const petsToAdd = z.union([seeding, pets, pet]);

/** Reads what `POST /pets` takes by the one of its shapes that was meant, so that a mistake is told of that one. */
export function readPets(body: unknown): z.output<typeof petsToAdd> {
  if (Array.isArray(body)) return parse(pets, body);
  return typeof body === 'object' && body !== null && 'seed' in body
    ? parse(seeding, body)
    : parse(pet, body);
}

/** What `POST /faults` takes: the service itself says what is wrong with a fault. */
export const anObject = z.record(z.string(), z.unknown(), {
  error: 'must be a fault, as in { "status": 503, "times": 2 }',
});

const quota = strictObject(
  { perMinute: whole(1), perDay: whole(1) },
  'must be the name of a plan, or { "perMinute", "perDay" }',
);
const planName = z.string({ error: 'must be the name of a plan, or { "perMinute", "perDay" }' });

/** A change of one key; all fields together in one request, in this order. */
export const keyChange = strictObject(
  {
    plan: z.optional(
      z.union([planName, quota], {
        error: 'must be the name of a plan, or { "perMinute": 10, "perDay": 500 }',
      }),
    ),
    limits: z.optional(oneOf('on', 'off')),
    remaining: z.optional(
      strictObject(
        { minute: z.optional(whole(0)), day: z.optional(whole(0)) },
        'must be { "minute", "day" }',
      ),
    ),
    exhaust: z.optional(oneOf('minute', 'day')),
    ban: z.optional(
      z.union([z.literal(true), duration], { error: "must be true, ms, or a text such as '10m'" }),
    ),
    unban: z.optional(onlyTrue),
    revoke: z.optional(onlyTrue),
  },
  'must be an object of changes, as in { "plan": "pro" }',
);

/** @throws ControlError that names the field, and what is known. */
export function parse<T extends z.ZodMiniType>(schema: T, body: unknown): z.output<T> {
  const { success, data, error } = z.safeParse(schema, body);
  if (success) return data;
  const issues = error.issues.map(
    ({ path, message }) => `${path.length === 0 ? 'body' : path.join('.')}: ${message}`,
  );
  throw new ControlError(400, 'invalid_value', issues.join('; '));
}

/** A request that the control side refuses, as the answer says it. */
export class ControlError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The longest body that the control side reads, in bytes: its own, whatever the service is assumed to read. */
export const controlBodyLimit = 16 * 1_048_576;
