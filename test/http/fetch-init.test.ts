import { expect, test } from 'vitest';
import { PetStoreClient } from '../../src/index.js';
import { json, pet, stubFetch } from '../support/stub.js';

test('cookies are never sent, redirects are never followed, and the key goes in the one header', async () => {
  const fetch = stubFetch(json([], { headers: { 'Set-Cookie': 'session=1' } }));
  const client = new PetStoreClient({
    apiKey: 'k-once',
    fetch,
    baseUrl: 'https://pets.test',
    headers: { 'X-Mine': '1' },
  });
  await client.listPets();
  await client.listPets();
  for (const { headers, redirect, credentials } of fetch.sent) {
    expect(Object.fromEntries(headers)).toEqual({
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^petstore-client\/\d/) as string,
      authorization: 'Bearer k-once',
      'x-mine': '1',
    });
    expect([redirect, credentials]).toEqual(['manual', 'omit']);
  }
});

test('a fetch of one’s own gets the key with redirects refused and cookies left out, and not in the address', async () => {
  const seen: Parameters<typeof globalThis.fetch>[] = [];
  const fetch: typeof globalThis.fetch = (...given) => {
    seen.push(given);
    return Promise.resolve(json([]));
  };
  await new PetStoreClient({ apiKey: 'k-alone', fetch, baseUrl: 'https://pets.test' }).listPets();
  const [url, init] = seen[0]!;
  expect(url).toBe('https://pets.test/v1/pets');
  expect(init).toMatchObject({
    method: 'GET',
    redirect: 'manual',
    credentials: 'omit',
    headers: { authorization: 'Bearer k-alone' },
  });
});

test('a body goes to fetch as text, so that its length is known before it is sent', async () => {
  const seen: (RequestInit | undefined)[] = [];
  const fetch: typeof globalThis.fetch = (_url, init) => {
    seen.push(init);
    return Promise.resolve(json(pet(), { status: 201 }));
  };
  const client = new PetStoreClient({ apiKey: 'k-body', fetch, baseUrl: 'https://pets.test' });
  await client.createPet({ name: 'Rex', categoryId: 1 });
  expect(seen[0]).toMatchObject({ method: 'POST', body: '{"name":"Rex","categoryId":1}' });
});
