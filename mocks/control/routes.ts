import type * as z from 'zod/mini';
import { anObject, clockChange, keyChange, parse, petsToAdd, readPets } from './bodies.js';
import { ControlError } from './bodies.js';
import { controlKey } from './key.js';
import { journal, state } from './state.js';
import { readDuration } from '../clock/duration.js';
import type { Duration, Fault, MockService, SeedPet } from '../service/types.js';

/** What a request of the control side brings. */
interface ControlInput {
  readonly body: unknown;
  readonly query: URLSearchParams;
  /** The path parameter, where the route has one. */
  readonly name: string;
}

/** One thing to do on the control side; its answer is JSON, or 204 where `run` returns nothing. */
export interface Route {
  readonly summary: string;
  readonly body?: z.ZodMiniType;
  readonly query?: Readonly<Record<string, string>>;
  readonly run: (service: MockService, input: ControlInput) => unknown;
}

/** The control side, as data: what it answers, and what its description says. */
export const routes: Readonly<Record<string, Route>> = {
  'GET /state': {
    summary:
      'The clock, the keys and what they have used, the faults, the number of pets and the first 100',
    run: state,
  },
  'GET /requests': {
    summary: 'The journal, oldest first',
    query: {
      limit: 'The newest so many; 100 when left out',
      operation: 'Of one operation',
      status: 'With one status',
    },
    run: (service, { query }) => journal(service, query),
  },
  'GET /report': {
    summary: 'How the client behaved: 429s, requests during a cool-down, bans',
    query: { key: 'The requests of one key' },
    run: (service, { query }) => service.report(query.get('key') ?? undefined),
  },
  'POST /reset': {
    summary: 'Everything as at the start: pets, quotas, bans, clock, faults, journal',
    run: (service) => service.reset(),
  },
  'POST /clock': {
    summary: 'Moves the clock: by a duration ("61s", or ms), or to a time',
    body: clockChange,
    run(service, { body }) {
      const { advance, set } = parse(clockChange, body);
      if ((advance === undefined) === (set === undefined))
        throw new ControlError(
          400,
          'invalid_value',
          'body: must have one of advance and set, as in { "advance": "61s" }',
        );
      if (advance !== undefined)
        service.clock.advance(upToTheLastDate(service, advance as Duration));
      else service.clock.set(aDate(set!));
      return { now: new Date(service.clock.now()).toISOString() };
    },
  },
  'POST /pets': {
    summary: 'Adds a pet, several, or so many made-up ones: {"seed": 20}',
    body: petsToAdd,
    run(service, { body }) {
      const wanted = readPets(body);
      if (Array.isArray(wanted)) return service.pets.seed(wanted as SeedPet[]);
      return 'seed' in wanted
        ? service.pets.seed(wanted.seed)
        : service.pets.add(wanted as SeedPet);
    },
  },
  'POST /faults': {
    summary: 'Adds a fault: {"operation": "listPets", "status": 503, "times": 2}',
    body: anObject,
    run: (service, { body }) => service.faults.add(parse(anObject, body) as Fault).fault,
  },
  'DELETE /faults': { summary: 'Takes all faults away', run: (service) => service.faults.clear() },
  'PUT /keys/{key}': {
    summary: 'Adds a key or changes one: its plan, what it has left, a ban',
    body: keyChange,
    run: (service, { body, name }) => controlKey(service, name, parse(keyChange, body)),
  },
};

/** A clock beyond the last date that there is could not be shown, nor moved back by a duration. */
function upToTheLastDate(service: MockService, by: Duration): Duration {
  aDate(service.clock.now() + readDuration(by));
  return by;
}

function aDate(at: string | number): string | number {
  if (Number.isNaN(new Date(at).getTime()))
    throw new RangeError(`${at} is no date, or beyond the year 275760.`);
  return at;
}
