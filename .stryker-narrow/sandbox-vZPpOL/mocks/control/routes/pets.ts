// @ts-nocheck
import * as z from 'zod/mini';
import { NewPetSchema, PetSchema, PetStatusSchema } from '../../../src/contract/index.js';
import { Int64Schema, parseInt64 } from '../../../src/contract/int64.js';
import type { MockPet, SeedPet } from '../../pets/pet.js';
import { described, integer, optional } from '../../utils/check.js';
import { type ControlInput, notFound, route } from '../route.js';

/** The default number of pets of a page. */
const pageSize = 50;

/** The fields of a pet, each of which may be left out: it is made up then. */
const pet = { id: Int64Schema, ...NewPetSchema.shape };
const petsToAdd = z.union([
  z.array(optional(pet)),
  optional({ seed: integer(0, 1_000_000), ...pet }).check(
    z.refine(({ seed, ...others }) => seed === undefined || Object.keys(others).length === 0, {
      error: 'must be a pet, or { "seed": 20 } alone',
    }),
  ),
]);

export const petRoutes = {
  'GET /pets': route({
    summary: 'A page of pets, the highest id first, and the number of all that match',
    query: optional({
      limit: described(`The maximum number of pets; ${pageSize} when left out`, integer(1)),
      offset: described('How many pets to skip; 0 when left out', integer(0)),
      status: described('Only pets with this status', PetStatusSchema),
      search: described('Only pets whose id is this text, or whose name contains it', z.string()),
    }),
    response: z.object({ size: integer(0), pets: z.array(PetSchema) }),
    run({ service, query: { limit = pageSize, offset = 0, status, search = '' } }) {
      const wanted = search.toLowerCase();
      const isFound = ({ id, name }: MockPet) =>
        String(id) === search || name.toLowerCase().includes(wanted);
      const listed = service.pets.list({ status });
      const found = search === '' ? listed : listed.filter(isFound);
      const isSorted = !['id-descending', 'shuffled'].includes(service.assumptions.listOrder);
      const ordered = isSorted ? found : found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      // A page is cut out before it is reversed: the list may have a million pets.
      const end = Math.max(0, found.length - offset);
      const pets = ordered.slice(Math.max(0, end - limit), end).toReversed();
      return { size: found.length, pets };
    },
  }),
  'POST /pets': route({
    summary:
      'Adds a pet, an array of pets, or a number of made-up ones: {"seed": 20}. Fields that are left out are made up',
    body: petsToAdd,
    response: z.union([PetSchema, z.array(PetSchema)]),
    run({ service: { pets }, body }) {
      if (Array.isArray(body)) return pets.seed(body as SeedPet[]);
      return body.seed === undefined ? pets.add(body as SeedPet) : pets.seed(body.seed);
    },
  }),
  'DELETE /pets': route({
    summary: 'Removes all pets, and assigns ids from the first again',
    run: ({ service }) => service.pets.clear(),
  }),
  'GET /pets/{id}': route({ summary: 'One pet', response: PetSchema, run: petOf }),
  'PATCH /pets/{id}': route({
    summary: 'Changes fields of a pet: {"status": "sold"}',
    body: optional(NewPetSchema.shape),
    response: PetSchema,
    run: (input) => input.service.pets.update(petOf(input).id, input.body as SeedPet),
  }),
  'DELETE /pets/{id}': route({
    summary: 'Removes a pet',
    run: (input) => void input.service.pets.remove(petOf(input).id),
  }),
};

function petOf({ service, id }: ControlInput): MockPet {
  const petId = parseInt64(id);
  const found = petId === undefined ? undefined : service.pets.get(petId);
  if (found) return found;
  throw notFound(`There is no pet with the id ${id}.`);
}
