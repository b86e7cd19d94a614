import * as z from 'zod/mini';
import { fastCheck, objectError, responseObject } from './schema-builders.js';
import { Int64Schema } from './int64.js';
import { kindOf, describeValue } from './json.js';

/** The availability of a pet. Service interface: "PetStatus (string enumeration)". */
export const PetStatus = { available: 'available', pending: 'pending', sold: 'sold' } as const;
/** One of the three values of {@link PetStatus}. */
export type PetStatus = (typeof PetStatus)[keyof typeof PetStatus];

const statuses: readonly unknown[] = Object.values(PetStatus);

/** Schema of {@link PetStatus}: `available`, `pending` or `sold`. In a response, a tolerant client accepts any text. */
export const PetStatusSchema: z.ZodMiniType<PetStatus, PetStatus> = /* @__PURE__ */ fastCheck({
  read: (value, { validation, onDrift }) => {
    if (statuses.includes(value)) return value as PetStatus;
    if (validation !== 'tolerant' || typeof value !== 'string') return undefined;
    onDrift?.('status', value);
    return value as PetStatus;
  },
  explain: (value) =>
    `must be one of ${statuses.join(', ')}, got ${typeof value === 'string' && value.length <= 40 ? `"${value}"` : kindOf(value)}`,
  jsonSchema: () => ({ type: 'string', enum: statuses }),
});

/** A string, with our own message for other values. */
const text = /* @__PURE__ */ z.string({
  error: ({ input }) =>
    input === undefined ? 'is required: a string' : `must be a string, got ${kindOf(input)}`,
});

/** An integer, of a range if there is one. Not `z.int`, which would bring all number formats of Zod into every client. */
function integer(range?: typeof listLimit): z.ZodMiniType<number, number> {
  const { minimum = -Infinity, maximum = Infinity } = range ?? {};
  const within = range === undefined ? '' : ` from ${minimum} to ${maximum}`;
  const isValid = (value: unknown): value is number =>
    Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  return fastCheck({
    read: (value) => (isValid(value) ? value : undefined),
    explain: (value) => `must be an integer${within}, got ${describeValue(value)}`,
    jsonSchema: () => ({ type: 'integer', ...range }),
  });
}

/** Smallest, largest and default value of the query parameter `limit` of `listPets`. */
export const listLimit = { minimum: 1, maximum: 100, default: 20 } as const;

/** The fields of a new pet. The field names of a pet are defined only here: all other schemas and types are derived from them. */
const newPetShape = {
  /** The animal's name. */
  name: text,
  /** Identifier of the category: an int64. */
  categoryId: Int64Schema,
  /** `available`, `pending` or `sold`. */
  status: /* @__PURE__ */ z.optional(PetStatusSchema),
};
const petShape = () => ({ id: Int64Schema, ...newPetShape });

/**
 * Body of `createPet`. Service interface: "NewPet (request body for creation)". `name` has no known bound; `categoryId` is an int64, as a safe
 * integer or a bigint. Fields that the contract does not know are kept.
 */
export const NewPetSchema = /* @__PURE__ */ z.looseObject(
  newPetShape,
  'must be an object with name and categoryId',
);

/**
 * A pet in a response of the service. Service interface: "Pet (response representation)". `id` and `categoryId` are int64: a safe integer or a
 * bigint. Fields that the contract does not know are kept.
 */
export const PetSchema = /* @__PURE__ */ responseObject(
  /* @__PURE__ */ petShape(),
  'must be a pet: an object with id, name and categoryId',
);

const countOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);

/**
 * Response of `listPets`: a JSON array of pets. An array with more than 100 items, the maximum of `limit`, is refused
 * before its items are parsed.
 */
export const PetListSchema: z.ZodMiniType<
  z.output<typeof PetSchema>[],
  z.input<typeof PetSchema>[]
> = /* @__PURE__ */ z.pipe(
  /* @__PURE__ */ fastCheck<z.input<typeof PetSchema>[]>({
    read: (value) => (countOf(value) > listLimit.maximum ? undefined : ((value ?? null) as never)),
    explain: (value) => `must have at most ${listLimit.maximum} items, got ${countOf(value)}`,
    jsonSchema: () => ({ type: 'array', maxItems: listLimit.maximum }),
  }),
  /* @__PURE__ */ z.array(PetSchema, { error: () => 'must be an array of pets' }),
);

/** Body of an error response. Service interface: "Error". `status` repeats the HTTP status code. */
export const ErrorSchema = /* @__PURE__ */ z.looseObject(
  { code: text, message: text, status: /* @__PURE__ */ integer() },
  'must be an error: an object with code, message and status',
);

/** Query of `listPets`: `limit` 1 to 100 (the service uses 20 if it is absent), and `status`. */
export const ListPetsQuerySchema = /* @__PURE__ */ z.strictObject(
  {
    limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ integer(listLimit)),
    status: /* @__PURE__ */ z.optional(PetStatusSchema),
  },
  /* @__PURE__ */ objectError('must be an object with limit and status', 'query parameter'),
);
