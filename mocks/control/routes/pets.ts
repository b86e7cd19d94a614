import * as z from 'zod/mini';
import { NewPetSchema, PetStatus } from '../../../src/contract/index.js';
import { Int64Schema, parseInt64 } from '../../../src/contract/int64.js';
import { strictObject } from '../../../src/contract/schema-builders.js';
import type { MockPet, SeedPet } from '../../pets/pet.js';
import type { MockService } from '../../service/types.js';
import { notFound, parse } from '../read-body.js';
import { schemas } from '../json-schemas.js';
import { choiceParameter, integerParameter, textParameter, type Routes } from '../route.js';

/** The maximum number of made-up pets of one request. */
const maxSeed = 1_000_000;

/** The default number of pets of a page. */
const pageSize = 50;

const optionalFields = Object.fromEntries(
  Object.entries(NewPetSchema.shape).map(([name, schema]) => [name, z.optional(schema)]),
);

const petError = 'must be a pet { "name", "categoryId" }, an array of pets, or { "seed": 20 }';

/** A pet of a file: as in the contract, with an optional id. */
export const petOfFile = strictObject(
  { id: z.optional(Int64Schema), ...NewPetSchema.shape },
  petError,
);

/** A pet as `service.pets.add` takes it: fields that are left out are made up. */
const petToAdd = strictObject({ id: z.optional(Int64Schema), ...optionalFields }, petError);
const petArray = z.array(petToAdd);
const seedError = `must be an integer from 0 to ${maxSeed}`;
const seeding = strictObject(
  {
    seed: z
      .int({ error: seedError })
      .check(z.minimum(0, { error: seedError }), z.maximum(maxSeed, { error: seedError })),
  },
  'must be { "seed": 20 }',
);
const petsToAdd = z.union([seeding, petArray, petToAdd]);

const petChange = strictObject(
  optionalFields,
  'must be an object of fields to change, as in { "status": "sold" }',
);

export const petRoutes: Routes = {
  'GET /pets': {
    summary: 'A page of pets, the highest id first, and the number of all that match',
    query: {
      limit: integerParameter(`The maximum number of pets; ${pageSize} when left out`, 1),
      offset: integerParameter('How many pets to skip; 0 when left out', 0),
      status: choiceParameter('Only pets with this status', Object.values(PetStatus)),
      search: textParameter('Only pets whose id is this text, or whose name contains it'),
    },
    response: schemas.pets,
    run: ({ service, query }) => pageOfPets(service, query),
  },
  'POST /pets': {
    summary:
      'Adds a pet, an array of pets, or a number of made-up ones: {"seed": 20}. Fields that are left out are made up',
    body: petsToAdd,
    response: schemas.petOrPets,
    run: ({ service, body }) => addPets(service, body),
  },
  'DELETE /pets': {
    summary: 'Removes all pets, and assigns ids from the first again',
    run: ({ service }) => service.pets.clear(),
  },
  'GET /pets/{id}': {
    summary: 'One pet',
    response: schemas.pet,
    run: ({ service, params }) => needPet(service, params['id']!),
  },
  'PATCH /pets/{id}': {
    summary: 'Changes fields of a pet: {"status": "sold"}',
    body: petChange,
    response: schemas.pet,
    run: ({ service, params, body }) =>
      service.pets.update(needPet(service, params['id']!).id, parse(petChange, body)),
  },
  'DELETE /pets/{id}': {
    summary: 'Removes a pet',
    run({ service, params }) {
      service.pets.remove(needPet(service, params['id']!).id);
    },
  },
};

/** Validates the body by the schema that it is closest to, so that a message names a field of that schema. */
function addPets(service: MockService, body: unknown): MockPet | readonly MockPet[] {
  if (Array.isArray(body)) return service.pets.seed(parse(petArray, body) as SeedPet[]);
  if (typeof body === 'object' && body !== null && 'seed' in body)
    return service.pets.seed(parse(seeding, body).seed);
  return service.pets.add(parse(petToAdd, body) as SeedPet);
}

function needPet(service: MockService, id: string): MockPet {
  const petId = parseInt64(id);
  const pet = petId === undefined ? undefined : service.pets.get(petId);
  if (pet) return pet;
  throw notFound(`There is no pet with the id ${id}.`);
}

interface PetQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly status?: PetStatus;
  readonly search?: string;
}

function pageOfPets(service: MockService, query: PetQuery): { size: number; pets: MockPet[] } {
  const { limit = pageSize, offset = 0, status, search = '' } = query;
  const found = search
    ? findPets(service, search).filter((pet) => status === undefined || pet.status === status)
    : service.pets.list({ status });
  const isAscending = found.length > 1 && found[0]!.id < found.at(-1)!.id;
  if (!isAscending) return { size: found.length, pets: found.slice(offset, offset + limit) };
  const end = Math.max(0, found.length - offset);
  return { size: found.length, pets: found.slice(Math.max(0, end - limit), end).reverse() };
}

function findPets(service: MockService, search: string): readonly MockPet[] {
  const wanted = search.toLowerCase();
  return service.pets
    .list()
    .filter(({ id, name }) => String(id) === search || name.toLowerCase().includes(wanted));
}
