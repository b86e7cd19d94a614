// @ts-nocheck
// Writes openapi.json, the OpenAPI 3.1 description of the service, version 1.0.0: the operations of the contract, and nothing that the
// interface does not say. The fields `x-stability`, `x-removal-date` and `x-replaced-by` contain what OpenAPI has no words for. The
// mock serves the file. `--check` fails instead when it is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';
import { registry, toJSONSchema } from 'zod/v4/core';

const { module: contract } = await runnerImport('src/contract/index.ts', { configFile: false });
const { environments, headers, operations, pathPrefix, plans } = contract;

/** What a status means, unless the row of an operation says otherwise. */
const responseTexts = {
  200: 'OK',
  201: 'Created.',
  204: 'Done. The response has no body.',
  400: 'The body misses required fields or contains invalid values.',
  401: 'The API key is missing or invalid.',
  404: 'The requested resource could not be found.',
  429: 'Rate limit exceeded: back off, and retry after the time that `Retry-After` tells. The shape of a body is not published.',
};

const rateLimitHeaders = {
  [headers.limit]: 'Limit that applies to the caller.',
  [headers.remaining]: 'Requests remaining in the current window.',
  [headers.reset]: 'Unix timestamp at which the limit resets.',
};
const retryAfter = {
  description: 'How long to wait before retrying. Unit and format are not published.',
  schema: { type: 'string' },
};

/** The schemas under `components`: those that client and service parse with. */
const named = registry()
  .add(contract.PetStatusSchema, { id: 'PetStatus', description: 'Availability of an animal.' })
  .add(contract.NewPetSchema, { id: 'NewPet', description: 'An animal to add.' })
  .add(contract.PetSchema, {
    id: 'Pet',
    description: 'An animal of the store. `id` is assigned by the service.',
  })
  .add(contract.ErrorSchema, {
    id: 'Error',
    description:
      'What went wrong. `status` repeats the HTTP status code; the set of values of `code` is not published.',
  });
const uri = (id) => `#/components/schemas/${id}`;

function componentSchemas() {
  const { schemas } = toJSONSchema(named, {
    metadata: named,
    uri,
    override({ jsonSchema }) {
      // The interface allows further fields.
      delete jsonSchema.additionalProperties;
    },
  });
  for (const schema of Object.values(schemas))
    for (const own of ['$schema', '$id', 'id']) delete schema[own];
  return schemas;
}

/** A reference to a named schema, an array of one, or the schema itself. @throws Error for one that has no description yet. */
function schemaOf(schema) {
  const known = named.get(schema);
  if (known) return { $ref: uri(known.id) };
  const { innerType, element, out } = schema._zod.def;
  if (innerType ?? out) return schemaOf(innerType ?? out);
  if (element) return { type: 'array', items: schemaOf(element) };
  const plain = schema._zod.def.jsonSchema?.();
  if (plain) return plain;
  throw new Error('This schema has no description in OpenAPI yet.');
}

const jsonOf = (schema) => ({ content: { 'application/json': { schema: schemaOf(schema) } } });

function server(variable, placeholder, description) {
  const text =
    'The address of this environment. The default is a placeholder on a reserved domain.';
  const variables = { [variable]: { default: placeholder, description: text } };
  return { url: `{${variable}}${pathPrefix}`, description, variables };
}

function operation(row) {
  const { deprecated, params = {}, query, body } = row;
  const parametersIn = (where, schemas) =>
    Object.entries(schemas).map(([name, schema]) => ({
      name,
      in: where,
      required: where === 'path',
      description: row.parameterTexts?.[name],
      schema: schemaOf(schema),
    }));
  const parameters = [
    ...parametersIn('path', params),
    ...parametersIn('query', query?._zod.def.shape ?? {}),
  ];
  const responses = Object.entries(row.responses).map(([status, schema]) => [
    status,
    response(row, status, schema),
  ]);
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
    responses: Object.fromEntries(responses),
  };
}

function response(row, status, schema) {
  const names = [
    ...Object.keys(rateLimitHeaders),
    ...(status === '429' ? [headers.retryAfter] : []),
  ];
  const refs = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    description: row.responseTexts?.[status] ?? responseTexts[status] ?? `Status ${status}.`,
    headers: Object.fromEntries(refs),
    ...(schema && jsonOf(schema)),
  };
}

const paths = {};
for (const row of Object.values(operations))
  (paths[row.path] ??= {})[row.method.toLowerCase()] = operation(row);
const planTexts = Object.entries(plans).map(([name, plan]) =>
  plan === 'custom' ? `${name} custom` : `${name} ${plan.perMinute} and ${plan.perDay}`,
);
const headerParts = Object.entries(rateLimitHeaders).map(([name, description]) => [
  name,
  { description, required: true, schema: { type: 'integer' } },
]);
const document = {
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
    headers: { ...Object.fromEntries(headerParts), [headers.retryAfter]: retryAfter },
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description: '`Authorization: Bearer <API_KEY>`',
      },
    },
  },
};

const file = new URL('../openapi.json', import.meta.url);
const text = `${JSON.stringify(document, null, 2)}\n`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('openapi.json is not what the contract says. Run: npm run openapi');
  process.exitCode = 1;
}
