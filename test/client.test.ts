import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { PetStoreClient, type ApiError } from '../src/index.js';
import { unhandledDuring } from './support/listeners.js';
import { json, pet, quickClock, stubClient, stubFetch, quotaHeaders } from './support/stub.js';
import { rejection, world } from './support/world.js';

test('withResponse gives the data together with the answer, the quota and the attempts', async () => {
  const { client } = world({ seed: 1, faults: [{ status: 503, times: 1 }] });
  const call = client().listPets();
  const { data, response, rateLimit, attempts } = await call.withResponse();
  expect(data).toBe(await call);
  expect([response.status, response.bodyUsed]).toEqual([200, true]);
  expect(rateLimit).toMatchObject({ limit: 60, remaining: 58, resetAt: expect.any(Date) });
  expect(attempts.map(({ status }) => status)).toEqual([503, 200]);
  expect(attempts[1]!.waited).toBeGreaterThanOrEqual(0);
  expect(attempts[1]!.at.getTime()).toBeGreaterThanOrEqual(attempts[0]!.at.getTime());
});

const failing = () => stubClient(stubFetch(json({}, { status: 404 }))).getPet(1);

test('withResponse rejects as the call does, and leaves no rejection that nobody handles', async () => {
  const [first, second, unawaited] = [failing(), failing(), failing()];
  const unhandled = await unhandledDuring(async () => {
    expect(await rejection(first.withResponse())).toBe(await rejection(first));
    await rejection(second.withResponse());
    void unawaited.withResponse();
    await rejection(unawaited);
  });
  // That of one which nobody awaits is not hidden.
  expect(unhandled).toEqual([await rejection(unawaited)]);
});

test('rateLimit is what the newest answer reported, and stays when an answer says nothing', async () => {
  const [before, after] = [9, 7].map((left) => quotaHeaders(60, left, 1_900_000_000));
  const missing = json({}, { status: 404, headers: after! });
  const fetch = stubFetch(json([], { headers: before! }), json([]), missing);
  const client = stubClient(fetch, { clock: quickClock() });
  expect(client.rateLimit).toBeUndefined();
  await client.listPets();
  const resetAt = new Date(1_900_000_000_000);
  expect(client.rateLimit).toEqual({ limit: 60, remaining: 9, resetAt });
  const { rateLimit } = await client.listPets().withResponse();
  expect([rateLimit, client.rateLimit?.remaining]).toEqual([undefined, 9]);
  const error = await rejection<ApiError>(client.listPets());
  expect([error.rateLimit?.remaining, client.rateLimit?.remaining]).toEqual([7, 7]);
  expect(JSON.parse(JSON.stringify(client))).toEqual({
    baseUrl: 'https://pets.test/v1',
    rateLimit: { limit: 60, remaining: 7, resetAt: '2030-03-17T17:46:40.000Z' },
  });
});

test('the times of a call, of its attempts and responses, and of the waits before them are those of the clock', async () => {
  const { client, service, events } = world({ latency: 250 });
  service.keys.get('mock-free').exhaust('minute');
  const began = service.clock.now();
  const { attempts } = await client().listPets().withResponse();
  const waited = attempts[1]!.waited;
  expect(attempts[0]!.waited).toBe(0);
  expect(waited).toBeGreaterThan(1_000);
  expect(attempts.map(({ took, at }) => [took, at.getTime() - began])).toEqual([
    [250, 0],
    [250, 250 + Math.floor(waited)],
  ]);
  expect(events.flatMap((event) => ('took' in event ? [[event.type, event.took]] : []))).toEqual([
    ['response', 250],
    ['response', 250],
    ['call-end', 500 + waited],
  ]);
  const later = await client().listPets().withResponse();
  expect(later.attempts).toMatchObject([{ took: 250, waited: 0 }]);
});

test('a client of a subclass or with frozen options is a client like any other, and a client prints its address and nothing of the key', async () => {
  class Mine extends PetStoreClient {}
  const options = { apiKey: 'k-mine', fetch: stubFetch(json(pet())), baseUrl: 'https://pets.test' };
  const mine = new Mine(Object.freeze(options));
  expect(await mine.getPet(1)).toEqual(pet());
  expect(inspect(mine)).toBe("PetStoreClient { baseUrl: 'https://pets.test/v1' }");
  expect(JSON.stringify(mine)).toBe('{"baseUrl":"https://pets.test/v1"}');
});

test('a method that is called without its client, or on another object, says how to pass it on', () => {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- what this test is about
  const { listPets, createPet, getPet, request } = world().client();
  for (const call of [
    () => listPets(),
    () => createPet({ name: 'Rex', categoryId: 1 }),
    () => getPet(1),
    () => request({ method: 'GET', path: '/pets' }),
    () => listPets.call({} as never),
  ])
    expect(call).toThrow(
      new TypeError(
        'a method of PetStoreClient was called without its client: pass a function that calls it, such as (pet) => client.createPet(pet)',
      ),
    );
});

test('a method can be stubbed on a client, and on the class after its clients were made', async () => {
  const { client } = world();
  const pets = client();
  vi.spyOn(pets, 'listPets').mockResolvedValue([] as never);
  expect(await pets.listPets()).toEqual([]);
  vi.restoreAllMocks();
  vi.spyOn(PetStoreClient.prototype, 'listPets').mockResolvedValue('stubbed' as never);
  expect(await pets.listPets()).toBe('stubbed');
});
