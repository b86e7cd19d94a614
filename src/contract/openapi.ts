import { environments, pathPrefix } from './environments.js';
import { headers, plans } from './rate-limits.js';
import { operations, responseTexts, type Operation, type ResponseStatus } from './operations.js';
import * as core from 'zod/v4/core';
import { ErrorSchema, NewPetSchema, PetSchema, PetStatusSchema } from './schemas.js';

type Part = Readonly<Record<string, unknown>>;

const headerParts: Readonly<Record<string, Part>> = {
  [headers.limit]: {
    description: 'Limit that applies to the caller.',
    required: true,
    schema: { type: 'integer' },
  },
  [headers.remaining]: {
    description: 'Requests remaining in the current window.',
    required: true,
    schema: { type: 'integer' },
  },
  [headers.reset]: {
    description: 'Unix timestamp at which the limit resets.',
    required: true,
    schema: { type: 'integer' },
  },
  [headers.retryAfter]: {
    description: 'How long to wait before retrying. Unit and format are not published.',
    schema: { type: 'string' },
  },
};

const rateLimitHeaders = [headers.limit, headers.remaining, headers.reset];

/**
 * The OpenAPI 3.1 description of the service, version 1.0.0: the operations of the contract, and nothing that the
 * interface does not say. The fields `x-stability`, `x-removal-date` and `x-replaced-by` contain what OpenAPI has no words for.
 *
 * @returns a new plain object, ready for `JSON.stringify`.
 */
export function openApiDocument(): Part {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Animal Store Service',
      version: '1.0.0',
      summary: 'A store of animals: list them, add one, fetch one.',
      description: `Requests a minute and a day by plan: ${planTexts()}. Repeated requests after a 429 may lead to a temporary ban of the API key.`,
    },
    servers: [
      server('base_url', environments.production.placeholder, 'Production'),
      server('staging_base_url', environments.staging.placeholder, 'Staging'),
    ],
    security: [{ apiKey: [] }],
    tags: [{ name: 'pets', description: 'The animals of the store.' }],
    paths: paths(Object.values(operations)),
    components: {
      schemas: componentSchemas(),
      headers: headerParts,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: '`Authorization: Bearer <API_KEY>`',
        },
      },
    },
  };
}

function server(variable: string, placeholder: string, description: string): Part {
  const text =
    'The address of this environment. The default is a placeholder on a reserved domain.';
  return {
    url: `{${variable}}${pathPrefix}`,
    description,
    variables: { [variable]: { default: placeholder, description: text } },
  };
}

function paths(rows: readonly Operation[]): Part {
  const all: Record<string, Record<string, Part>> = {};
  for (const row of rows) (all[row.path] ??= {})[row.method.toLowerCase()] = operation(row);
  return all;
}

function operation(row: Operation): Part {
  const { deprecated } = row;
  const parameters = [
    ...parametersOf(row, row.params ?? {}, 'path'),
    ...parametersOf(row, row.query ? shapeOf(row.query) : {}, 'query'),
  ];
  return {
    operationId: row.name,
    summary: row.summary,
    ...(deprecated && { description: deprecated.advice, deprecated: true }),
    'x-stability': row.stability,
    ...(deprecated && {
      'x-removal-date': deprecated.removedOn,
      'x-replaced-by': deprecated.replacement,
    }),
    tags: ['pets'],
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && { requestBody: { required: true, content: json(schemaOf(row.body)) } }),
    responses: Object.fromEntries(
      Object.keys(row.responses).map((status) => [
        status,
        response(row, Number(status) as ResponseStatus),
      ]),
    ),
  };
}

function parametersOf(
  row: Operation,
  parameters: Readonly<Record<string, Parameters<typeof schemaOf>[0]>>,
  where: 'path' | 'query',
): Part[] {
  return Object.entries(parameters).map(([name, schema]) => ({
    name,
    in: where,
    required: where === 'path',
    description: row.parameterTexts?.[name],
    schema: schemaOf(schema),
  }));
}

function response(row: Operation, status: ResponseStatus): Part {
  const schema = row.responses[status];
  const names = status === 429 ? [...rateLimitHeaders, headers.retryAfter] : rateLimitHeaders;
  return {
    description: row.responseTexts?.[status] ?? responseTexts[status],
    headers: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    ...(schema && { content: json(schemaOf(schema)) }),
  };
}

const json = (schema: JsonSchema): Part => ({ 'application/json': { schema } });

function planTexts(): string {
  return Object.entries(plans)
    .map(([name, plan]) =>
      plan === 'custom' ? `${name} custom` : `${name} ${plan.perMinute} and ${plan.perDay}`,
    )
    .join(', ');
}

/** A JSON Schema (2020-12), as used in an OpenAPI 3.1 description. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const named: readonly (readonly [id: string, schema: core.$ZodType, description: string])[] = [
  ['PetStatus', PetStatusSchema, 'Availability of an animal.'],
  ['NewPet', NewPetSchema, 'An animal to add.'],
  ['Pet', PetSchema, 'An animal of the store. `id` is assigned by the service.'],
  [
    'Error',
    ErrorSchema,
    'What went wrong. `status` repeats the HTTP status code; the set of values of `code` is not published.',
  ],
];

const uri = (id: string) => `#/components/schemas/${id}`;

/** The schemas under `components`, made from those that client and service parse with. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = core.registry<{ id: string }>();
  for (const [id, schema] of named) registry.add(schema, { id });
  const { schemas } = core.toJSONSchema(registry as never, {
    uri,
    override({ jsonSchema }) {
      // The interface does not state the bounds of a double, and it allows further fields.
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
  if (schema instanceof core.$ZodOptional) return schemaOf(schema._zod.def.innerType);
  const items = (schema._zod.def as { element?: core.$ZodType }).element;
  if (items) return { type: 'array', items: schemaOf(items) };
  const plain = schema._zod.toJSONSchema?.() as JsonSchema | undefined;
  if (!plain) throw new Error('This schema has no description in OpenAPI yet.');
  return plain;
}

/** The parameters of an object schema, by their names. */
export function shapeOf(schema: core.$ZodType): Readonly<Record<string, core.$ZodType>> {
  return (schema as core.$ZodObject)._zod.def.shape;
}
