import * as z from 'zod/mini';
import { PetStatusSchema } from '../src/contract/schemas.js';
import { controlKey } from './control-key.js';
import { journal, state } from './control-state.js';
import { readDuration } from './duration.js';
import type { Duration, Fault, MockService, SeedPet } from './types.js';

/** A request that the control side refuses, as the answer says it. */
export class ControlError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

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

const duration = z.union([z.number(), z.string()]);
const quota = z.strictObject({ perMinute: z.int(), perDay: z.int() });
const clock = z.union([z.strictObject({ advance: duration }), z.strictObject({ set: z.union([z.string(), z.number()]) })]);
const int64 = z.union([z.number(), z.bigint()]);
const pet = z.strictObject({ id: z.optional(int64), name: z.string(), categoryId: int64, status: z.optional(PetStatusSchema) });
const pets = z.union([z.strictObject({ seed: z.int() }), z.array(pet), pet]);
const left = z.strictObject({ minute: z.optional(z.int()), day: z.optional(z.int()) });
const fault = z.record(z.string(), z.unknown());

/** A change of one key; all fields together in one request, in this order. */
const keyChange = z.strictObject({
  plan: z.optional(z.union([z.string(), quota])),
  limits: z.optional(z.enum(['on', 'off'])),
  remaining: z.optional(left),
  exhaust: z.optional(z.enum(['minute', 'day'])),
  ban: z.optional(z.union([z.literal(true), duration])),
  unban: z.optional(z.literal(true)),
  revoke: z.optional(z.literal(true)),
});

/** The control side, as data: what it answers, and what its description says. */
export const routes: Readonly<Record<string, Route>> = {
  'GET /state': { summary: 'The clock, the keys and what they have used, the faults, the number of pets and the first 100', run: state },
  'GET /requests': {
    summary: 'The journal, oldest first',
    query: { limit: 'The newest so many; 100 when left out', operation: 'Of one operation', status: 'With one status' },
    run: (service, { query }) => journal(service, query),
  },
  'GET /report': {
    summary: 'How the client behaved: 429s, requests during a cool-down, bans',
    query: { key: 'The requests of one key' },
    run: (service, { query }) => service.report(query.get('key') ?? undefined),
  },
  'POST /reset': { summary: 'Everything as at the start: pets, quotas, bans, clock, faults, journal', run: (service) => service.reset() },
  'POST /clock': {
    summary: 'Moves the clock: by a duration ("61s", or ms), or to a time',
    body: clock,
    run(service, { body }) {
      const change = parse(clock, body);
      if ('advance' in change) service.clock.advance(upToTheLastDate(service, change.advance as Duration));
      else service.clock.set(aDate(change.set));
      return { now: new Date(service.clock.now()).toISOString() };
    },
  },
  'POST /pets': {
    summary: 'Adds a pet, several, or so many made-up ones: {"seed": 20}',
    body: pets,
    run(service, { body }) {
      const wanted = parse(pets, body);
      if (Array.isArray(wanted)) return service.pets.seed(wanted as SeedPet[]);
      return 'seed' in wanted ? service.pets.seed(wanted.seed) : service.pets.add(wanted as SeedPet);
    },
  },
  'POST /faults': {
    summary: 'Adds a fault: {"operation": "listPets", "status": 503, "times": 2}',
    body: fault,
    run: (service, { body }) => service.faults.add(parse(fault, body) as Fault).fault,
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
  if (Number.isNaN(new Date(at).getTime())) throw new RangeError(`${at} is no date, or beyond the year 275760.`);
  return at;
}

function parse<T extends z.ZodMiniType>(schema: T, body: unknown): z.output<T> {
  const result = z.safeParse(schema, body);
  if (result.success) return result.data;
  throw new ControlError(400, 'invalid_value', z.prettifyError(result.error));
}
