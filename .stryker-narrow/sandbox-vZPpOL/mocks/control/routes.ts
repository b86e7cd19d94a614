// @ts-nocheck
import * as z from 'zod/mini';
import { jsonSchema, type ControlRoute } from './route.js';
import { faultRoutes } from './routes/faults.js';
import { keyRoutes } from './routes/keys.js';
import { petRoutes } from './routes/pets.js';
import { requestRoutes } from './routes/requests.js';
import { serviceRoutes } from './routes/service.js';
import { worldHeader } from './worlds.js';

/** The routes of the control API. Checks, messages and its OpenAPI description are made from them. */
export const routes: Readonly<Record<string, ControlRoute>> = {
  ...serviceRoutes,
  ...petRoutes,
  ...keyRoutes,
  ...faultRoutes,
  ...requestRoutes,
};

/** The same as a list. The parameter at the end of a path takes the rest of it, because a key may contain a slash. */
export const routeList = Object.entries(routes).map(([name, route]) => {
  const [method = '', path = ''] = name.split(' ');
  const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
  return {
    method,
    path,
    parameter,
    pattern: new RegExp(`^${path.replace(/\{.+/, '(.+)')}$`),
    route,
  };
});

const asJson = (schema: z.ZodMiniType) => ({ 'application/json': { schema: jsonSchema(schema) } });

const worldParameter = {
  name: worldHeader,
  in: 'header',
  description: 'The name of the world; the first world when left out',
  schema: { type: 'string', pattern: '^[\\w.-]{1,64}$' },
};

/** The OpenAPI description of the control API, made from its routes. */
export function controlDescription(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const row of routeList)
    (paths[`/_mock${row.path}`] ??= {})[row.method.toLowerCase()] = describeRoute(row);
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

function describeRoute({ method, path, parameter, route }: (typeof routeList)[number]): object {
  const { summary, body, query = z.object({}), response } = route;
  const { properties = {} } = jsonSchema(query);
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }));
  const inPath = { name: parameter, in: 'path', required: true, schema: { type: 'string' } };
  const error = z.object({ code: z.string(), message: z.string(), status: z.int() });
  return {
    operationId: operationId(method, path),
    summary,
    parameters: [worldParameter, ...inQuery, ...(parameter === undefined ? [] : [inPath])],
    ...(body && { requestBody: { required: true, content: asJson(body) } }),
    responses: {
      ...(response
        ? { 200: { description: summary, content: asJson(response) } }
        : { 204: { description: 'Done, without a body' } }),
      '4XX': {
        description: 'Rejected; nothing was changed, and the message says why',
        content: asJson(error),
      },
    },
  };
}

/** `getPets` for GET /pets, `getPetsId` for GET /pets/{id}. */
const operationId = (method: string, path: string) =>
  method.toLowerCase() +
  path.replaceAll(/[^a-z]+([a-z]?)/gi, (_match, letter: string) => letter.toUpperCase());
