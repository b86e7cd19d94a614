import * as core from 'zod/v4/core';
import {
  environments,
  ErrorSchema,
  headers,
  NewPetSchema,
  operations,
  pathPrefix,
  PetSchema,
  PetStatusSchema,
  plans,
  type Operation,
} from '../../src/contract/index.js';

type Part = Readonly<Record<string, unknown>>;

/** What a status means, unless the row of an operation says otherwise. */
const responseTexts: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created.',
  204: 'Done. The response has no body.',
  400: 'The body misses required fields or contains invalid values.',
  401: 'The API key is missing or invalid.',
  404: 'The requested resource could not be found.',
  429: 'Rate limit exceeded: back off, and retry after the time that `Retry-After` tells. The shape of a body is not published.',
};

const rateLimitHeaders: Readonly<Record<string, string>> = {
  [headers.limit]: 'Limit that applies to the caller.',
  [headers.remaining]: 'Requests remaining in the current window.',
  [headers.reset]: 'Unix timestamp at which the limit resets.',
};
const retryAfterText = 'How long to wait before retrying. Unit and format are not published.';

/**
 * The OpenAPI 3.1 description of the service, version 1.0.0: the operations of the contract, and nothing that the
 * interface does not say. The fields `x-stability`, `x-removal-date` and `x-replaced-by` contain what OpenAPI has no words for.
 *
 * @returns a new plain object, ready for `JSON.stringify`.
 */
export function openApiDocument(): Part {
  const paths: Record<string, Record<string, Part>> = {};
  for (const row of Object.values<Operation>(operations))
    (paths[row.path] ??= {})[row.method.toLowerCase()] = operation(row);
  const planTexts = Object.entries(plans).map(([name, plan]) =>
    plan === 'custom' ? `${name} custom` : `${name} ${plan.perMinute} and ${plan.perDay}`,
  );
  const headerParts: Record<string, Part> = {};
  for (const [name, description] of Object.entries(rateLimitHeaders))
    headerParts[name] = { description, required: true, schema: { type: 'integer' } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Animal Store Service',
      version: '1.0.0',
      summary: 'A store of animals: list them, add one, fetch one.',
      description: `Requests a minute and a day by plan: ${planTexts.join(', ')}. Repeated requests after a 429 may lead to a temporary ban of the API key.`,
    },
    servers: [
      server('base_url', environments.production.placeholder, 'Production'),
      server('staging_base_url', environments.staging.placeholder, 'Staging'),
    ],
    security: [{ apiKey: [] }],
    tags: [{ name: 'pets', description: 'The animals of the store.' }],
    paths,
    components: {
      schemas: componentSchemas(),
      headers: {
        ...headerParts,
        [headers.retryAfter]: { description: retryAfterText, schema: { type: 'string' } },
      },
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

function operation(row: Operation): Part {
  const { deprecated, params = {}, query, body } = row;
  const parametersIn = (where: string, schemas: Readonly<Record<string, core.$ZodType>>) =>
    Object.entries(schemas).map(([name, schema]) => ({
      name,
      in: where,
      required: where === 'path',
      description: row.parameterTexts?.[name],
      schema: schemaOf(schema),
    }));
  const queryShape = (query as core.$ZodObject | undefined)?._zod.def.shape ?? {};
  const parameters = [...parametersIn('path', params), ...parametersIn('query', queryShape)];
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
    ...(body && { requestBody: { required: true, ...jsonOf(body) } }),
    responses: Object.fromEntries(
      Object.entries(row.responses).map(([status, schema]) => [
        status,
        response(row, Number(status), schema),
      ]),
    ),
  };
}

function response(row: Operation, status: number, schema: core.$ZodType | undefined): Part {
  const names = [...Object.keys(rateLimitHeaders), ...(status === 429 ? [headers.retryAfter] : [])];
  const refs = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    description: row.responseTexts?.[status] ?? responseTexts[status] ?? `Status ${status}.`,
    headers: Object.fromEntries(refs),
    ...(schema && jsonOf(schema)),
  };
}

const jsonOf = (schema: core.$ZodType): Part => ({
  content: { 'application/json': { schema: schemaOf(schema) } },
});

/** The schemas under `components`: those that client and service parse with. */
const named = core
  .registry<{ id: string; description: string }>()
  .add(PetStatusSchema, { id: 'PetStatus', description: 'Availability of an animal.' })
  .add(NewPetSchema, { id: 'NewPet', description: 'An animal to add.' })
  .add(PetSchema, {
    id: 'Pet',
    description: 'An animal of the store. `id` is assigned by the service.',
  })
  .add(ErrorSchema, {
    id: 'Error',
    description:
      'What went wrong. `status` repeats the HTTP status code; the set of values of `code` is not published.',
  });

const uri = (id: string) => `#/components/schemas/${id}`;

function componentSchemas(): Part {
  const { schemas } = core.toJSONSchema(named as never, {
    metadata: named as never,
    uri,
    override({ jsonSchema }) {
      // The interface allows further fields.
      delete jsonSchema.additionalProperties;
    },
  });
  for (const schema of Object.values(schemas)) {
    delete schema.$schema;
    delete schema.$id;
    delete schema.id;
  }
  return schemas;
}

/** A reference to a named schema, an array of one, or the schema itself. */
export function schemaOf(schema: core.$ZodType): Part {
  const known = named.get(schema);
  if (known) return { $ref: uri(known.id) };
  const { innerType, element } = schema._zod.def as {
    innerType?: core.$ZodType;
    element?: core.$ZodType;
  };
  if (innerType) return schemaOf(innerType);
  if (element) return { type: 'array', items: schemaOf(element) };
  const plain = schema._zod.toJSONSchema?.() as Part | undefined;
  if (!plain) throw new Error('This schema has no description in OpenAPI yet.');
  return plain;
}
