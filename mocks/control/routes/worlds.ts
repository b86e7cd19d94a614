import * as z from 'zod/mini';
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { ControlError, parse } from '../read-body.js';
import type { Routes } from '../route.js';

const assumptionsObject = z.record(z.string(), z.unknown(), {
  error: 'must be an object of assumptions, as in { "retryAfter": "http-date" }',
});

export const worldRoutes: Routes = {
  'GET /worlds': {
    summary:
      'The worlds that requests have named with X-Mock-World; the first one has an empty name',
    run: ({ worlds }) => worlds.list(),
  },
  'DELETE /worlds/{name}': {
    summary: 'Removes a world. The next request that names it creates it anew',
    run({ worlds, params }) {
      if (!worlds.remove(params['name']!))
        throw new ControlError(404, 'not_found', `There is no world ${params['name']}.`);
    },
  },
  'GET /assumptions': {
    summary: 'The assumptions in force. One that is a function or a pattern is shown as text',
    run: ({ service }) =>
      Object.fromEntries(
        Object.entries(service.assumptions).map(([name, value]: [string, unknown]) => [
          name,
          value instanceof RegExp || typeof value === 'function' ? String(value) : value,
        ]),
      ),
  },
  'PUT /assumptions': {
    summary:
      'Sets the assumptions of this world; those left out take their defaults. The journal begins anew, all else goes on',
    body: assumptionsObject,
    run({ worlds, world, body }) {
      worlds.changeAssumptions(world, parse(assumptionsObject, body) as GivenAssumptions);
    },
  },
};
