import * as z from 'zod/mini';
import { stringifyJson } from '../../../src/contract/json.js';
import { readAssumptions, toPlain } from '../../assumptions/file.js';
import { notFound, parse } from '../read-body.js';
import { schemas } from '../json-schemas.js';
import type { Routes } from '../route.js';

const assumptionsObject = z.record(z.string(), z.unknown(), {
  error: 'must be an object of assumptions, as in { "retryAfter": "http-date" }',
});

export const worldRoutes: Routes = {
  'GET /worlds': {
    summary:
      'The worlds that requests have named with X-Mock-World; the first one has an empty name',
    response: schemas.worlds,
    run: ({ worlds }) => worlds.list(),
  },
  'DELETE /worlds/{name}': {
    summary:
      'Removes a world, and breaks the connections of its requests in flight. The next request that names it creates it again',
    run({ worlds, params }) {
      if (!worlds.remove(params['name']!)) throw notFound(`There is no world ${params['name']}.`);
    },
  },
  'GET /assumptions': {
    summary: 'The assumptions in force. One that is a function is shown as text',
    response: schemas.assumptions,
    run: ({ service }) =>
      Object.fromEntries(
        Object.entries(service.assumptions).map(([name, value]: [string, unknown]) => [
          name,
          toPlain(value),
        ]),
      ),
  },
  'PUT /assumptions': {
    summary:
      'Sets the assumptions of this world; those left out take their defaults. The journal and the report start empty; all other state is kept, but not what a request in flight changes',
    body: assumptionsObject,
    bodySchema: schemas.assumptions,
    run({ worlds, world, body }) {
      worlds.changeAssumptions(
        world,
        readAssumptions(stringifyJson(parse(assumptionsObject, body))),
      );
    },
  },
};
