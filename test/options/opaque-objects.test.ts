// Objects without fields of their own, such as an AbortSignal, would pass for an empty object of options.
import { expect, test } from 'vitest';
import { ConfigurationError, PetStoreClient, RequestValidationError } from '../../src/index.js';
import { stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const opaque = {
  AbortSignal: AbortSignal.abort(),
  Headers: new Headers({ limit: '5' }),
  URLSearchParams: new URLSearchParams('limit=5'),
  Map: new Map([['signal', AbortSignal.abort()]]),
  Date: new Date(),
  Array: [],
} as const;

test.each(Object.entries(opaque))(
  'an object of the kind %s in place of options is an error, and nothing is sent',
  async (kind, value) => {
    const fetch = stubFetch();
    const client = stubClient(fetch);
    for (const call of [
      () => client.listPets({}, value as never),
      () => client.createPet({ name: 'Rex', categoryId: 1 }, value as never),
      () => client.request({ method: 'GET', path: '/pets' }, value as never),
    ]) {
      const error = await rejection<ConfigurationError>(call());
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toMatch(
        `the options of the call must be an object, such as { signal, timeout: 5000 }; got ${kind}`,
      );
    }
    expect(fetch.sent).toEqual([]);
    expect(() => new PetStoreClient(value as never)).toThrow(`got ${kind}`);
    expect(() => new PetStoreClient({ apiKey: 'k', retry: value as never })).toThrow(`got ${kind}`);
  },
);

test.each(Object.entries(opaque))(
  'an object of the kind %s in place of a query is an error, and nothing is sent',
  async (kind, value) => {
    const fetch = stubFetch();
    const error = await rejection<RequestValidationError>(
      stubClient(fetch).listPets(value as never),
    );
    expect(error).toBeInstanceOf(RequestValidationError);
    expect(error.message).toMatch(
      `listPets: the argument must be an object of query parameters, got ${kind}: options are the second argument. Nothing was sent.`,
    );
    expect(fetch.sent).toEqual([]);
  },
);

test.each([{ signal: AbortSignal.abort() }, { timeout: 5_000, priority: 'high' }])(
  'options of a call in place of a query are an error that says where they belong, and nothing is sent',
  async (value) => {
    const fetch = stubFetch();
    const { message } = await rejection<Error>(stubClient(fetch).listPets(value as never));
    expect(message).toMatch(
      /^listPets: the argument must be an object of query parameters, got (signal|timeout): options are the second argument\. Nothing was sent\.$/,
    );
    expect(fetch.sent).toEqual([]);
  },
);

test('an AbortController as options cancels the call, because it has a signal', async () => {
  const controller = new AbortController();
  controller.abort('the user left');
  expect(await rejection(stubClient(stubFetch()).listPets({}, controller))).toBe('the user left');
});

test('options without a prototype, of another realm, empty, or of a class with fields are accepted', async () => {
  const client = stubClient(stubFetch());
  class Fields {
    timeout = 5_000;
  }
  class Getters {
    get timeout(): number {
      return 5_000;
    }
  }
  const { runInNewContext } = await import('node:vm');
  for (const options of [
    {},
    Object.create(null) as object,
    runInNewContext('({ timeout: 5000 })') as object,
    runInNewContext('({})') as object,
    new Fields(),
    new Getters(),
  ])
    await expect(client.listPets({}, options)).resolves.toEqual([]);
});
