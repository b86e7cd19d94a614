import { expect, test } from 'vitest';
import * as z from 'zod';
import type { PetStoreClient } from '../../src/index.js';
import { RequestValidationError, type RawRequest } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const client = (reply: Response = json({})) => {
  const fetch = stubFetch(() => reply.clone());
  return { fetch, client: stubClient(fetch) };
};

test('what the caller changes while a request is under way changes nothing', async () => {
  const request: { -readonly [Key in keyof RawRequest]: RawRequest[Key] } = {
    method: 'GET',
    path: '/x',
    schema: z.object({ a: z.number() }),
  };
  const { client: pets } = client(json({ a: 1 }));
  const call = pets.request(request);
  request.schema = z.string();
  request.method = 'POST';
  expect(await call).toEqual({ a: 1 });
});

test('a method that is another one each time it is read is read once: a POST is never sent again', async () => {
  const methods = ['GET', 'POST', 'GET', 'GET'];
  const fetch = stubFetch(() => json({}, { status: 503 }));
  const request = {
    get method() {
      return methods.shift() ?? 'GET';
    },
    path: '/x',
  } as const;
  const error = await rejection<Error>(stubClient(fetch).request(request));
  expect(fetch.sent.map(({ method }) => method)).toEqual(['POST']);
  expect(error.message).toContain('it may have been processed');
});

const trap = (name: string) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw new Error('no such row');
    },
  });

test.each<[string, string, (pets: PetStoreClient) => Promise<unknown>]>([
  ['createPet', 'createPet', (pets) => pets.createPet(trap('name') as never)],
  ['listPets', 'listPets', (pets) => pets.listPets(trap('limit'))],
  ['request', 'request', (pets) => pets.request(trap('path') as never)],
  [
    'request with a method that is no text',
    'an object GET',
    (pets) => pets.request({ method: Object.create(null) as string, path: 'GET' as '/' }),
  ],
])(
  'an argument of %s that cannot be read is refused, and nothing is sent',
  async (_name, _operation, call) => {
    const { fetch, client: pets } = client();
    const error = await rejection<RequestValidationError>(call(pets));
    expect(error).toBeInstanceOf(RequestValidationError);
    expect(error.message).toMatch(/Nothing was sent\.$/);
    expect(fetch.sent).toEqual([]);
  },
);

test('of an argument that cannot be read the error says why', async () => {
  const error = await rejection<RequestValidationError>(
    client().client.createPet(trap('name') as never),
  );
  expect(error.message).toBe(
    'createPet: the arguments cannot be read: no such row. Nothing was sent.',
  );
  expect(error.issues).toEqual([{ path: [], message: 'cannot be read: no such row' }]);
  expect((error.cause as Error).message).toBe('no such row');
  const wordless = {
    get name() {
      throw undefined;
    },
    categoryId: 1,
  };
  expect((await rejection<Error>(client().client.createPet(wordless as never))).message).toContain(
    'cannot be read: no reason given',
  );
});
