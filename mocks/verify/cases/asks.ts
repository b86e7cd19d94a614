/** The requests of the cases, by name: a request that several cases need is the same object. */
import type { Ask } from '../ask/request.js';
import { answerOf, createdId, type Known, petsOf, type SeenPet } from '../case.js';

export const get = (path: string, more: Partial<Ask> = {}): Ask => ({
  method: 'GET',
  path,
  key: 'own',
  ...more,
});
const post = (body: string, more: Partial<Ask> = {}): Ask => ({
  method: 'POST',
  path: '/pets',
  key: 'own',
  body,
  ...more,
});

/** The name that every pet of a run begins with. */
const petName = 'petstore-verify';

export const list = get('/pets');
export const wholeList = get('/pets?limit=100');
export const wholeListAgain = get('/pets?limit=100', { nth: 2 });
export const wholeListThird = get('/pets?limit=100', { nth: 3 });
/** Asked when pets were created: what there is now, and in which order. */
export const listAfterCreation = get('/pets?limit=100', { nth: 4 });
export const listOfOne = get('/pets?limit=1');
export const statuses = ['available', 'pending', 'sold'] as const;
export const listOf = (status: string, nth = 1): Ask =>
  get(`/pets?limit=100&status=${status}`, { nth });
/** A list for each status. */
export const filteredLists = statuses.map((status) => listOf(status));

/** Ids that no service has given by chance: one that a double holds, and one that only an int64 does. */
export const missingPet = get('/pets/9007199254740881');
export const missingPetAgain = get('/pets/9007199254740881', { nth: 2 });
export const missingInt64Pet = get('/pets/9223372036854775783');

export const withoutKey = get('/pets', { key: 'none' });
export const withoutKeyAgain = get('/pets', { key: 'none', nth: 2 });
export const withoutKeyThird = get('/pets', { key: 'none', nth: 3 });
export const invalidKey = get('/pets', { key: 'invalid' });
export const petWithoutKey = get('/pets/1', { key: 'none' });
export const petWithInvalidKey = get('/pets/1', { key: 'invalid' });

export const unknownPath = get('/petstore-verify/unknown');
export const unknownPathWithoutKey = get('/petstore-verify/unknown', { key: 'none' });
export const storeOrders = get('/store/orders');

export const limitBelow = get('/pets?limit=0');
export const limitAbove = get('/pets?limit=101');
export const limitNotANumber = get('/pets?limit=abc');
export const unknownStatus = get('/pets?limit=100&status=petstore-verify');
export const unknownQuery = get('/pets?limit=1&petstore_verify=1');
export const repeatedLimit = get('/pets?limit=1&limit=2');
export const petIdText = get('/pets/abc');
export const petIdTooLarge = get('/pets/9223372036854775808');

/** Bodies that a service must refuse. */
export const withoutName = post('{"categoryId":1}');
export const withoutNameAgain = post('{"categoryId":1}', { nth: 2 });
export const withoutCategory = post(`{"name":"${petName}"}`);
export const nameNumber = post('{"name":7,"categoryId":1}');
export const categoryText = post(`{"name":"${petName}","categoryId":"1"}`);
export const statusUnknown = post(`{"name":"${petName}","categoryId":1,"status":"${petName}"}`);
export const postWithoutKey = post('{}', { key: 'none' });
export const brokenJson = post('{');
export const asText = post('{"categoryId":1}', { type: 'text/plain' });
/** Sizes of a body that are tried, in bytes, the smallest first. */
export const sizes = [1_024, 65_536, 1_048_577] as const;
/** Incomplete pets of exactly these sizes. */
export const padded: readonly Ask[] = sizes.map((bytes) =>
  post(`{"categoryId":1,"padding":"${'x'.repeat(bytes - 29)}"}`),
);

/** Pets that are created, the most important first. */
export const controlPet = post(`{"name":"${petName} 1","categoryId":1}`, { creates: true });
export const exactPet = post(
  `{"name":"${petName} 2","categoryId":9007199254740993,"status":"sold"}`,
  {
    creates: true,
  },
);
export const unknownFieldPet = post(
  `{"name":"${petName} 3","categoryId":1,"status":"pending","petstoreVerify":true}`,
  { creates: true },
);
/** As long as the names of the pets before it: where it is refused, its length is not the reason. */
export const specialNamePet = post(
  JSON.stringify({ name: `verify é犬🐕'"\\<&;`, categoryId: 1, status: 'sold' }),
  { creates: true },
);
export const emptyNamePet = post('{"name":"","categoryId":1,"status":"sold"}', { creates: true });
/** The length of the names that are accepted before longer ones are tried. */
export const shortLength = `${petName} 1`.length;
/** The lengths of a name that are tried, the longest first: the usual limits, below one that is as good as none. */
export const nameLengths = [
  10_001, 1_024, 1_000, 500, 256, 255, 200, 128, 100, 64, 50, 40, 30, 20,
] as const;
/** Pets with names of these lengths. At most one is created: the search ends at the first that is accepted. */
export const longNamePets: readonly Ask[] = nameLengths.map((length) =>
  post(JSON.stringify({ name: `${petName} `.padEnd(length, 'x'), categoryId: 1, status: 'sold' }), {
    creates: true,
  }),
);
/** All pets that may be created, in the order in which they are. */
export const newPets: readonly Ask[] = [
  controlPet,
  exactPet,
  unknownFieldPet,
  specialNamePet,
  emptyNamePet,
  longNamePets[0]!,
];

/** The request for a new pet, if so many pets may be created. */
export function ifAllowed(known: Known, ask: Ask): readonly Ask[] {
  return newPets.indexOf(ask) < known.maxPets ? [ask] : [];
}

/** What the cases about new pets share: the level, the case before them, and requests for as many of the pets as are allowed. */
export const ofNewPets = (...pets: readonly Ask[]) =>
  ({
    level: 'create',
    after: ['create.201-echo'],
    requests: (known: Known): readonly Ask[] => pets.flatMap((pet) => ifAllowed(known, pet)),
  }) as const;

/** The pets of the whole list, where they are known. */
export function listedPets(known: Known): readonly SeenPet[] | undefined {
  return petsOf(answerOf(known, wholeList)) ?? petsOf(answerOf(known, list));
}

/** The request for the first pet of the list. */
export function firstPet(known: Known): Ask | undefined {
  const [pet] = listedPets(known) ?? [];
  return pet && get(`/pets/${pet.id}`);
}

/** The request for a pet that was created. */
export function readBack(known: Known, created: Ask): Ask | undefined {
  const id = createdId(answerOf(known, created));
  return id === undefined ? undefined : get(`/pets/${id}`);
}
