import type { ControlRoute } from './route.js';
import { routes } from './routes.js';
import { jsonSchema } from './json-schemas.js';
import { worldHeader } from './worlds.js';

const error = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    status: { type: 'integer' },
  },
};

const worldParameter = {
  name: worldHeader,
  in: 'header',
  description: 'The name of the world; the first world when left out',
  schema: { type: 'string', pattern: '^[\\w.-]{1,64}$' },
};

const rejected = {
  '4XX': {
    description: 'Rejected; nothing was changed, and the message says why',
    content: { 'application/json': { schema: error } },
  },
};

/** The OpenAPI description of the control API, made from its routes. */
export function controlDescription(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const [method = '', path = ''] = name.split(' ');
    (paths[`/_mock${path}`] ??= {})[method.toLowerCase()] = describeRoute(method, path, route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'petstore-mock: control API',
      version: '1.0.0',
      description: 'For tests and the page at /_mock/. No key is needed.',
    },
    servers: [{ url: '/' }],
    security: [],
    paths,
  };
}

function describeRoute(method: string, path: string, route: ControlRoute): object {
  const { summary, body, bodySchema, response, query = {} } = route;
  const queryParameters = Object.entries(query).map(([name, { description, schema }]) => ({
    name,
    in: 'query',
    description,
    schema,
  }));
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const content = body && {
    'application/json': { schema: bodySchema?.() ?? jsonSchema(body) },
  };
  return {
    operationId: operationId(method, path),
    summary,
    parameters: [worldParameter, ...queryParameters, ...pathParameters],
    ...(content && { requestBody: { required: true, content } }),
    responses: {
      ...(response
        ? { 200: { description: summary, content: { 'application/json': { schema: response() } } } }
        : { 204: { description: 'Done, without a body' } }),
      ...rejected,
    },
  };
}

/** `getPets` for GET /pets, `getPetsId` for GET /pets/{id}. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^a-z]+/i).filter((word) => word !== '');
  return (
    method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  );
}
