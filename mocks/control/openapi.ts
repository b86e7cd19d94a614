import { toJSONSchema } from 'zod/v4/core';
import { routes } from './routes.js';

const error = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    status: { type: 'integer' },
  },
};

/** The control side's own OpenAPI description, made from its routes. */
export function controlDescription(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, { summary, body, query }] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ');
    const parameters = [
      ...Object.entries(query ?? {}).map(([name, description]) => ({
        name,
        in: 'query',
        description,
        schema: { type: 'string' },
      })),
      ...(path.includes('{key}')
        ? [{ name: 'key', in: 'path', required: true, schema: { type: 'string' } }]
        : []),
    ];
    (paths[`/_mock${path}`] ??= {})[method.toLowerCase()] = {
      operationId:
        method.toLowerCase() +
        path.replace(
          /[^a-z]+(.)?/gi,
          (_all, letter: string | undefined) => letter?.toUpperCase() ?? '',
        ),
      summary,
      ...(parameters.length > 0 && { parameters }),
      ...(body && {
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: toJSONSchema(body, { unrepresentable: 'any', io: 'input' }),
            },
          },
        },
      }),
      responses: {
        200: { description: 'Done', content: { 'application/json': { schema: {} } } },
        204: { description: 'Done, nothing to tell' },
        '4XX': {
          description: 'Not done: the message says why',
          content: { 'application/json': { schema: error } },
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'petstore-mock: control side',
      version: '1.0.0',
      description: 'For tests and the page at /_mock/. No key is needed.',
    },
    servers: [{ url: '/' }],
    security: [],
    paths,
  };
}
