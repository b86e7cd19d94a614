import { expect, test } from 'vitest';
import { PetStoreClient, type ServerError } from '../../src/index.js';
import { json, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';
import { leaks } from '../support/leaks.js';

const withheld = '[text withheld: it contains the API key]';

test('keys that rotate are all taken out, also the one that holds another', async () => {
  const keys = ['sk_rotating_key_one', 'sk_rotating_key_one_and_more', 'sk_rotating_key_three'];
  let asked = 0;
  const fetch = stubFetch(() =>
    json({ code: keys.join(' '), message: keys.join(), status: 503 }, { status: 503 }),
  );
  const client = new PetStoreClient({
    apiKey: () => keys[asked++]!,
    fetch,
    clock: quickClock(),
    baseUrl: 'https://pets.test',
  });
  const error = await client.listPets().catch((failure: unknown) => failure);
  expect(fetch.sent.map(({ headers }) => headers.get('authorization'))).toEqual(
    keys.map((key) => `Bearer ${key}`),
  );
  expect((error as { code?: string }).code).toBe(withheld);
  for (const key of keys) expect(leaks([client, error], key)).toEqual([]);
});

test('an error of the key function is shown without the key that it mentions', async () => {
  let asked = 0;
  const key = 'sk_live_of_the_first_time';
  const client = new PetStoreClient({
    apiKey: () => {
      if (asked++ === 0) return key;
      throw new Error(`cannot refresh ${key}`);
    },
    fetch: stubFetch(json({}, { status: 503 })),
    clock: quickClock(),
    baseUrl: 'https://pets.test',
  });
  const error = await client.listPets().catch((failure: unknown) => failure);
  expect((error as Error).message).toBe(
    'listPets on pets.test: the function apiKey failed (Error); its message is not shown, because it may contain the key',
  );
  expect(leaks([error], key)).toEqual([]);
});

test('a key function that takes the file of a key for JSON shows nothing of the key, which nobody knows then', async () => {
  const key = 'sk_live-S3cr3t/Key+9';
  const apiKey = () => Promise.resolve(JSON.parse(key) as string);
  const error = await rejection<Error>(stubClient(stubFetch(), { apiKey }).listPets());
  expect(error.message).toContain('the function apiKey failed (SyntaxError)');
  expect(leaks([error], key)).toEqual([]);
});

test('300 keys in flight stay unseen', async () => {
  const keys = Array.from({ length: 300 }, (_, n) => `sk_live_in_flight_${n}_end`);
  let asked = 0;
  const respond: (() => void)[] = [];
  const fetch = stubFetch(async ({ headers }) => {
    await new Promise<void>((resolve) => respond.push(resolve));
    const message = `not ${headers.get('authorization')}`;
    return json({ code: 'unauthorized', message, status: 401 }, { status: 401 });
  });
  const client = stubClient(fetch, { apiKey: () => keys[asked++]!, gate: false });
  const errors = keys.map(() => rejection<Error>(client.listPets()));
  while (respond.length < keys.length) await new Promise((resolve) => setTimeout(resolve));
  for (const answer of respond) answer();
  for (const error of await Promise.all(errors)) {
    expect(error.message).toContain(withheld);
    expect(leaks([error], 'sk_live_in_flight')).toEqual([]);
  }
});

test('a body that breaks off within the key shows none of it', async () => {
  const key = 'sk_live_0123456789';
  for (const kept of [17, 12, 9]) {
    const text = `{"code":"unauthorized","message":"wrong key ${key.slice(0, kept)}`;
    const error = await rejection<ServerError>(
      stubClient(stubFetch(json(text, { status: 500 })), {
        apiKey: key,
        maxRetries: 0,
      }).listPets(),
    );
    expect(error.body).toBe(withheld);
  }
  const short = await rejection<ServerError>(
    stubClient(stubFetch(json(`wrong key ${key.slice(0, 7)}`, { status: 500 })), {
      apiKey: key,
      maxRetries: 0,
    }).listPets(),
  );
  expect(short.body).toBe('wrong key sk_live');
});
