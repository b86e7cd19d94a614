import * as z from 'zod/mini';
import { stringifyJson } from '../../../src/contract/json.js';
import { PetSchema } from '../../../src/contract/schemas.js';
import { assumptionsSchema } from '../../assumptions/assumptions.js';
import { readAssumptions, toPlain } from '../../assumptions/file.js';
import type { Duration } from '../../clock/duration.js';
import { SnapshotSchema } from '../../service/snapshot.js';
import type { MockService } from '../../service/types.js';
import { integer } from '../../utils/check.js';
import { mapValues } from '../../utils/options.js';
import { duration, checkedByService, notFound, route } from '../route.js';
import { FaultShown, showFault } from './faults.js';
import { KeyShown, showKey } from './keys.js';

/** How many pets the state shows. */
const shownPets = 100;

const time = z.object({ now: z.iso.datetime() });

function timeOf({ clock }: MockService): { now: string } {
  return { now: new Date(clock.now()).toISOString() };
}

/** The routes of the state of a world, and of the worlds. */
export const serviceRoutes = {
  'GET /state': route({
    summary: `The clock, the keys and what they have used, the faults, the number of pets and the first ${shownPets}`,
    response: z.object({
      world: z.string(),
      ...time.shape,
      clock: z.literal(['system', 'virtual']),
      keys: z.array(KeyShown),
      faults: z.array(FaultShown),
      pets: z.object({ size: integer(0), first: z.array(PetSchema) }),
    }),
    run: ({ service, world }) => ({
      world,
      ...timeOf(service),
      clock: service.clock.kind,
      keys: service.keys.list().map(showKey),
      faults: service.faults.list().map(showFault),
      pets: { size: service.pets.size, first: service.pets.list({ limit: shownPets }) },
    }),
  }),
  'POST /reset': route({
    summary: 'Restores the initial state: pets, quotas, bans, clock, faults, journal',
    run: ({ service }) => service.reset(),
  }),
  'GET /clock': route({
    summary: 'The time of the clock',
    response: time,
    run: ({ service }) => timeOf(service),
  }),
  'POST /clock': route({
    summary: 'Moves the clock: by a duration ("61s", or ms), or to a time',
    body: z.strictObject({ advance: z.optional(duration), set: z.optional(duration) }).check(
      z.refine(({ advance, set }) => (advance === undefined) !== (set === undefined), {
        error: 'must have one of advance and set, as in { "advance": "61s" }',
      }),
    ),
    response: time,
    run({ service, body: { advance, set } }) {
      if (advance !== undefined) service.clock.advance(advance as Duration);
      else service.clock.set(set!);
      return timeOf(service);
    },
  }),
  'GET /snapshot': route({
    summary: 'Pets, keys, quotas, strikes, bans, faults and the clock as plain JSON',
    response: SnapshotSchema,
    run: ({ service }) => service.snapshot(),
  }),
  'PUT /snapshot': route({
    summary: 'Restores a response of GET /_mock/snapshot. A system clock keeps its time',
    body: checkedByService('a response of GET /_mock/snapshot', SnapshotSchema),
    run: ({ service, body }) => service.restore(body),
  }),
  'GET /worlds': route({
    summary:
      'The worlds that requests have named with X-Mock-World; the first one has an empty name',
    response: z.array(z.object({ name: z.string(), pets: integer(0), requests: integer(0) })),
    run: ({ worlds }) => worlds.list(),
  }),
  'DELETE /worlds/{name}': route({
    summary: 'Removes a world. The next request that names it creates it again',
    run({ worlds, id }) {
      if (!worlds.remove(id)) throw notFound(`There is no world ${id}.`);
    },
  }),
  'GET /assumptions': route({
    summary: 'The assumptions in force. One that is a function is shown as text',
    response: assumptionsSchema,
    run: ({ service }) => mapValues(service.assumptions, toPlain),
  }),
  'PUT /assumptions': route({
    summary:
      'Sets the assumptions of this world; those left out take their defaults. The journal and the report start empty; all other state is kept, but not overrides, nor what a request in flight changes. A service that was given to serve() no longer is that of the port',
    body: checkedByService('an object of assumptions', assumptionsSchema),
    run({ worlds, world, body }) {
      worlds.changeAssumptions(world, readAssumptions(stringifyJson(body)));
    },
  }),
};
