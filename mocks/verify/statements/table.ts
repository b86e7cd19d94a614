/** The statements of the interface, with their sections and titles. `asks.ts` lists the requests that show them. */
import { allAsks } from '../asks.js';
import * as must from './judges.js';

/** By section of the interface, and by name: what stands before the dot is a group. */
const table: Readonly<Record<string, Readonly<Record<string, readonly [string, must.Judge]>>>> = {
  'List animals': {
    reach: ['GET /pets returns 200 with a JSON array of pets', must.beReached],
  },
  'Authentication, 3': {
    'auth.missing-401': ['A request without a key gets status 401', must.get(401)],
    'auth.invalid-401': ['A request with an invalid key gets status 401', must.get(401)],
    'auth.create-401': ['A POST of a pet without a key gets status 401', must.get(401)],
  },
  'Rate limit headers': {
    'answer.rate-limit-headers': [
      'Every answer has the three rate-limit headers',
      must.holdNumbers,
    ],
    'answer.reset-timestamp': ['X-RateLimit-Reset is a Unix timestamp', must.beATimestamp],
    'answer.remaining-within-limit': ['X-RateLimit-Remaining is within the limit', must.beWithin],
  },
  'What the service does': {
    'answer.json': ['Bodies are JSON, and declared so', must.beJson],
  },
  'Errors, 1': {
    'error.shape': ['An error has code, message and status', must.haveTheShapeOfAnError],
    'error.status-repeats': ['status repeats the HTTP status', must.repeatTheStatus],
  },
  'Resources and their fields: Pet': {
    'list.array': ['A list is a JSON array of pets with id, name and categoryId', must.beAnArray],
    'answer.int64': ['id and categoryId are int64, written as numbers', must.beExact],
    'list.id-unique': ['Each pet of a list has an id of its own', must.haveUniqueIds],
    'create.id-unique': ['Each pet gets an id of its own', must.getUniqueIds],
  },
  'Resources and their fields: NewPet, format int64': {
    'create.int64-exact': ['A categoryId that is larger than 2^53 is kept exactly', must.keepInt64],
  },
  'List animals: limit': {
    'list.limit-100': ['A limit of 100 returns at most 100 pets', must.allow100],
    'list.default-20': ['Without a limit a list has 20 pets, or all', must.have20],
    'list.limit': ['A list has no more pets than its limit', must.keepToIt],
  },
  'List animals: status': {
    'list.status-filter': ['A filter returns all pets of a status, and no others', must.filter],
  },
  'Get an animal': {
    'get.200': ['GET of a pet of the list returns the same pet', must.returnTheListedPet],
    'get.404': ['An id that no pet has gets status 404', must.get(404)],
    'get.int64': ['An id beyond 2^53 works like any other', must.get(404)],
    'create.read-back': ['GET of a new pet returns it as it was added', must.returnTheNewPet],
  },
  'Add an animal: 400': {
    'create.400-missing': ['A body without name or categoryId gets status 400', must.get(400)],
    'create.400-type': ['A name or categoryId of another type gets status 400', must.get(400)],
    'create.400-status': ['A status that is no PetStatus gets status 400', must.get(400)],
  },
  'Add an animal: 201': {
    'create.201-echo': ['A new pet gets status 201, and is as it was sent', must.echo],
  },
  'Behaviour at the limit, 1': {
    'limit.429': ['A request beyond the limit gets status 429', must.refuse],
  },
  'Behaviour at the limit, 2': {
    'limit.retry-after': ['A 429 has Retry-After', must.announceAWait],
    'limit.true': [
      'After the longest wait that a 429 announces, a request is allowed',
      must.keepItsWord,
    ],
  },
};

/** Every statement, in the order of the report. */
export const statements = Object.entries(table).flatMap(([section, rows]) =>
  Object.entries(rows).map(([id, [title, judge]]) => ({ id, title, section, judge })),
);

/** One sentence of the interface. */
export type Statement = (typeof statements)[number];

/** True for what every answer shows: the clock, and the statements that no planned request shows alone. */
export const isShownByAll = (name: string): boolean =>
  name === 'clockSkew' ||
  (statements.some(({ id }) => id === name) && !allAsks.some(({ shows }) => shows?.includes(name)));
