import * as core from 'zod/v4/core';
import { Int64Schema } from './int64.js';
import { ErrorSchema, listLimit, ListPetsQuerySchema, NewPetSchema, PetSchema, PetStatusSchema } from './schemas.js';

/** A JSON Schema (2020-12), as it stands in an OpenAPI 3.1 description. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const named: readonly (readonly [id: string, schema: core.$ZodType, description: string])[] = [
  ['PetStatus', PetStatusSchema, 'Availability of an animal.'],
  ['NewPet', NewPetSchema, 'An animal to add.'],
  ['Pet', PetSchema, 'An animal of the store. `id` is assigned by the service.'],
  ['Error', ErrorSchema, 'What went wrong. `status` repeats the HTTP status code; the set of values of `code` is not published.'],
];

const uri = (id: string) => `#/components/schemas/${id}`;

/** What Zod cannot say of its custom schemas. */
const described = new Map<core.$ZodType, JsonSchema>([
  [Int64Schema, { type: 'integer', format: 'int64' }],
  [ListPetsQuerySchema.shape.limit, { type: 'integer', ...listLimit }],
]);

/** The schemas under `components`, made from those that client and service parse with. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = core.registry<{ id: string }>();
  for (const [id, schema] of named) registry.add(schema, { id });
  const { schemas } = core.toJSONSchema(registry as never, {
    uri,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      Object.assign(jsonSchema, described.get(zodSchema));
      // The bounds of a double are no fact of the interface, nor is it closed to further fields.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
        delete jsonSchema.minimum;
        delete jsonSchema.maximum;
      }
      delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(
    named.map(([id, , description]) => {
      const { $schema: _dialect, $id: _id, ...schema } = schemas[id] as Record<string, unknown>;
      return [id, { description, ...schema }];
    }),
  );
}

/** A reference to a named schema, an array of one, or the schema itself. */
export function schemaOf(schema: core.$ZodType): JsonSchema {
  const known = named.find(([, each]) => each === schema);
  if (known) return { $ref: uri(known[0]) };
  if (schema instanceof core.$ZodOptional) return described.get(schema) ?? schemaOf(schema._zod.def.innerType);
  const items = (schema._zod.def as { element?: core.$ZodType }).element;
  if (items) return { type: 'array', items: schemaOf(items) };
  const plain = described.get(schema);
  if (!plain) throw new Error('This schema has no description in OpenAPI yet.');
  return plain;
}

/** The parameters of an object schema, by their names. */
export function shapeOf(schema: core.$ZodType): Readonly<Record<string, core.$ZodType>> {
  return (schema as core.$ZodObject)._zod.def.shape;
}
