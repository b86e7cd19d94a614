import * as z from 'zod';
import { expectTypeOf, test } from 'vitest';
import {
  type ApiError,
  type ConnectionError,
  type GateOptions,
  PetStoreClient,
  type NotFoundError,
  type PetStoreError,
  type RateLimitError,
  type RawRequest,
  type PetStoreClientOptions,
  type Pet,
  type RequestOptions,
  type ResponsePromise,
} from '../../src/index.js';
import {
  createPets,
  type BulkReport,
  type BulkValidationError,
  type JournalInUseError,
} from '../../src/bulk/index.js';
import { createFleetGate, memoryStore, type FleetGateOptions } from '../../src/fleet/index.js';

const byNumber = new PetStoreClient({ apiKey: 'k' });
const byBigint = new PetStoreClient({ apiKey: 'k', int64: 'bigint' });

test('that a request without a response was sent is never certain', () => {
  expectTypeOf<ConnectionError['requestSent']>().toEqualTypeOf<'no' | 'unknown'>();
});

test('the type of ids follows the option int64', () => {
  expectTypeOf(byNumber).toEqualTypeOf<PetStoreClient>();
  expectTypeOf(byBigint).toEqualTypeOf<PetStoreClient<'bigint'>>();
  expectTypeOf(byNumber.getPet(1)).resolves.toHaveProperty('id').toEqualTypeOf<number>();
  expectTypeOf(byBigint.getPet(1n)).resolves.toHaveProperty('id').toEqualTypeOf<bigint>();
  expectTypeOf(byBigint.listPets())
    .resolves.items.toHaveProperty('categoryId')
    .toEqualTypeOf<bigint>();
  expectTypeOf(new PetStoreClient()).toEqualTypeOf<PetStoreClient>();
  expectTypeOf(byNumber.withOptions({ timeout: 5 })).toEqualTypeOf<PetStoreClient>();
  expectTypeOf(byNumber.withOptions({ int64: 'bigint' })).toEqualTypeOf<PetStoreClient<'bigint'>>();
  expectTypeOf(byBigint.withOptions({ timeout: 5 })).toEqualTypeOf<PetStoreClient<'bigint'>>();
});

test('the name of an error is literal, so that it narrows a union of errors', () => {
  const retryAfter = (error: RateLimitError | NotFoundError) =>
    error.name === 'RateLimitError' ? error.retryAfter : error.status;
  expectTypeOf(retryAfter).returns.toEqualTypeOf<number | undefined>();
  expectTypeOf<NotFoundError['name']>().toEqualTypeOf<'NotFoundError'>();
  expectTypeOf<BulkValidationError['name']>().toEqualTypeOf<'BulkValidationError'>();
  expectTypeOf<JournalInUseError['name']>().toEqualTypeOf<'JournalInUseError'>();
  // These two have subclasses with names of their own.
  expectTypeOf<PetStoreError['name']>().toEqualTypeOf<string>();
  expectTypeOf<ApiError['name']>().toEqualTypeOf<string>();
});

test('status is closed in requests and open in answers', () => {
  // @ts-expect-error: no status of the contract
  void byNumber.listPets({ status: 'adopted' });
  // @ts-expect-error: no status of the contract
  void byNumber.createPet({ name: 'x', categoryId: 1, status: 'adopted' });
  type Status = Awaited<ReturnType<typeof byNumber.getPet>>['status'];
  expectTypeOf<'adopted'>().toExtend<Status>();
  expectTypeOf<'sold'>().toExtend<Status>();
});

test('what the contract asks for is asked for by the types', () => {
  // @ts-expect-error: categoryId is missing
  void byNumber.createPet({ name: 'x' });
  // @ts-expect-error: limit is a number
  void byNumber.listPets({ limit: '5' });
  // @ts-expect-error: an unknown option
  new PetStoreClient({ apiKey: 'k', baseURL: 'x' });
  // @ts-expect-error: an unknown environment
  new PetStoreClient({ environment: 'test' });
  // @ts-expect-error: a path begins with a slash
  void byNumber.request({ method: 'GET', path: 'store/orders' });
});

test('request() is what its schema makes of it, what its caller says, or unknown', () => {
  expectTypeOf(byNumber.request({ method: 'GET', path: '/x' })).resolves.toEqualTypeOf<unknown>();
  // @ts-expect-error: nobody says that these are pets
  const pets: Promise<Pet[]> = byNumber.request({ method: 'GET', path: '/x' });
  const said = byNumber.request<Pet[]>({ method: 'GET', path: '/x' });
  expectTypeOf(said).resolves.toEqualTypeOf<Pet[]>();
  const wrapped = <T>(request: RawRequest<T>): ResponsePromise<T> => byNumber.request(request);
  expectTypeOf(wrapped<Pet>).returns.resolves.toEqualTypeOf<Pet>();
  const schema = z.array(z.object({ id: z.string() }));
  expectTypeOf(byNumber.request({ method: 'GET', path: '/x', schema })).resolves.toEqualTypeOf<
    { id: string }[]
  >();
  // @ts-expect-error: the schema makes something else of it
  void byNumber.request<Pet[]>({ method: 'GET', path: '/x', schema });
  expectTypeOf(pets).toBeObject();
});

test('ids are bigint only where the option int64 says so', () => {
  // @ts-expect-error: without int64: 'bigint', ids are numbers
  new PetStoreClient<'bigint'>({ apiKey: 'k' });
  // @ts-expect-error: without int64: 'bigint', ids are numbers
  new PetStoreClient<'bigint'>();
  const make = (options?: PetStoreClientOptions): PetStoreClient => new PetStoreClient(options);
  type AnyOptions = PetStoreClientOptions<'number' | 'bigint'>;
  // @ts-expect-error: the options may hold int64: 'bigint'
  const makeWrong = (options: AnyOptions): PetStoreClient => new PetStoreClient(options);
  const makeAny = (options: AnyOptions) => new PetStoreClient(options);
  expectTypeOf(makeAny({}).getPet(1))
    .resolves.toHaveProperty('id')
    .toEqualTypeOf<number | bigint>();
  // @ts-expect-error: its ids may be bigint
  expectTypeOf<Pet<'number' | 'bigint'>>().toExtend<Pet>();
  const int64 = 'bigint';
  expectTypeOf(new PetStoreClient<'bigint'>({ int64 })).toEqualTypeOf<PetStoreClient<'bigint'>>();
  expectTypeOf([make, makeWrong]).toBeArray();
});

test('the pets of an import have the ids of its client', () => {
  const idOf = ({ created: [row] }: BulkReport) => row!.pet!.id;
  const exactIdOf = ({ created: [row] }: BulkReport<'bigint'>) => row!.pet!.id;
  expectTypeOf(createPets(byNumber, []).then(idOf)).resolves.toEqualTypeOf<number>();
  expectTypeOf(createPets(byBigint, []).then(exactIdOf)).resolves.toEqualTypeOf<bigint>();
});

test('an option may be given as undefined, whatever exactOptionalPropertyTypes says', () => {
  const maxWait = undefined as number | undefined;
  expectTypeOf<Required<RequestOptions>['maxWait']>().toEqualTypeOf<number | undefined>();
  expectTypeOf({ maxRetries: maxWait, maxWait, maxHold: maxWait }).toExtend<RequestOptions>();
  expectTypeOf({ gate: undefined, signal: undefined }).toExtend<PetStoreClientOptions>();
  expectTypeOf({ clock: undefined, random: undefined }).toExtend<GateOptions>();
  const others = { name: undefined, storeTimeout: maxWait, fallback: undefined, clock: undefined };
  const fleet = { store: memoryStore(), perDay: maxWait, onEvent: undefined, ...others };
  expectTypeOf(fleet).toExtend<FleetGateOptions>();
});

test('a store of one’s own may tell its time', () => {
  const now = () => Promise.resolve(Date.now());
  const texts = new Map<string, string>();
  createFleetGate({
    store: {
      now,
      async update(key, change) {
        texts.set(key, change(texts.get(key), await now()));
      },
    },
  });
});
