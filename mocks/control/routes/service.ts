import * as z from 'zod/mini';
import { strictObject } from '../../../src/contract/schema-builders.js';
import type { Duration } from '../../clock/duration.js';
import type { MockService } from '../../service/types.js';
import { invalidValue, parse } from '../read-body.js';
import { schemas } from '../json-schemas.js';
import type { ControlInput, Routes } from '../route.js';
import { duration } from './fields.js';
import { showFault } from './faults.js';
import { showKey } from './keys.js';

/** How many pets the state shows. */
const shownPets = 100;

/** Exactly one field is given. */
const clockChange = strictObject(
  {
    advance: z.optional(duration),
    set: z.optional(
      z.union([z.string(), z.number()], { error: 'must be an ISO text, or ms since the epoch' }),
    ),
  },
  'must be { "advance": "61s" } or { "set": "2030-12-05" }',
);

export const serviceRoutes: Routes = {
  'GET /state': {
    summary: `The clock, the keys and what they have used, the faults, the number of pets and the first ${shownPets}`,
    response: schemas.state,
    run: state,
  },
  'POST /reset': {
    summary: 'Restores the initial state: pets, quotas, bans, clock, faults, journal',
    run: ({ service }) => service.reset(),
  },
  'GET /clock': {
    summary: 'The time of the clock',
    response: schemas.clock,
    run: ({ service }) => timeOf(service),
  },
  'POST /clock': {
    summary: 'Moves the clock: by a duration ("61s", or ms), or to a time',
    body: clockChange,
    response: schemas.clock,
    run: ({ service, body }) => moveClock(service, parse(clockChange, body)),
  },
};

function state({ service, world }: ControlInput): object {
  return {
    world,
    ...timeOf(service),
    clock: service.clock.kind,
    keys: service.keys.list().map(showKey),
    faults: service.faults.list().map(showFault),
    pets: { size: service.pets.size, first: service.pets.list({ limit: shownPets }) },
  };
}

function moveClock(
  { clock }: MockService,
  { advance, set }: z.output<typeof clockChange>,
): { now: string } {
  if ((advance === undefined) === (set === undefined))
    throw invalidValue('body: must have one of advance and set, as in { "advance": "61s" }');
  if (advance !== undefined) clock.advance(advance as Duration);
  else clock.set(set!);
  return timeOf({ clock });
}

function timeOf({ clock }: Pick<MockService, 'clock'>): { now: string } {
  return { now: new Date(clock.now()).toISOString() };
}
