import { toJSONSchema } from 'zod/v4/core';
import type { Route } from './route.js';
import { routes } from './routes.js';
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

const responses = {
  200: { description: 'Done', content: { 'application/json': { schema: {} } } },
  204: { description: 'Done, without a body' },
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

function describeRoute(method: string, path: string, { summary, body, query = {} }: Route): object {
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
    'application/json': { schema: toJSONSchema(body, { unrepresentable: 'any', io: 'input' }) },
  };
  return {
    operationId: operationId(method, path),
    summary,
    parameters: [worldParameter, ...queryParameters, ...pathParameters],
    ...(content && { requestBody: { required: true, content } }),
    responses,
  };
}

/** `getPets` for GET /pets, `getPetsId` for GET /pets/{id}. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^a-z]+/i).filter((word) => word !== '');
  return (
    method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  );
}
