import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  PetStoreError,
  RateLimitError,
  RequestValidationError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
} from '../../src/index.js';
import { stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const newPet = { name: 'Rex', categoryId: 1 };

test('every error class has its literal name, and instanceof follows its ancestors', () => {
  const details = {
    operation: 'listPets',
    attempts: [],
    issues: [],
    requestSent: 'no',
    status: 400,
    code: 'x',
    body: {},
    headers: new Headers(),
    rateLimit: undefined,
  } as const;
  const made = [
    new ConfigurationError('m'),
    new RequestValidationError('m', details),
    new ConnectionError('m', details),
    new TimeoutError('m', details),
    new ApiError('m', details),
    new BadRequestError('m', details),
    new AuthenticationError('m', details),
    new NotFoundError('m', details),
    new ServerError('m', details),
    new RateLimitError('m', { ...details, reason: 'wait', retryAfter: 1, retryAt: new Date(0) }),
    new ResponseValidationError('m', { ...details, text: '' }),
  ];
  const api = new Set([
    'ApiError',
    'BadRequestError',
    'AuthenticationError',
    'NotFoundError',
    'ServerError',
    'RateLimitError',
  ]);
  for (const error of made) {
    for (const { constructor } of made) {
      const type = constructor as typeof PetStoreError;
      expect(error instanceof type, `${error.name} is ${type.kind}`).toBe(
        type.kind === error.name || (type.kind === 'ApiError' && api.has(error.name)),
      );
    }
    expect(error instanceof PetStoreError).toBe(true);
    expect(error.name).toBe((error.constructor as typeof PetStoreError).kind);
  }
  for (const other of [new Error('x'), null, undefined, 'x', {}, { name: 'PetStoreError' }])
    expect((other as unknown) instanceof PetStoreError).toBe(false);
});

test('an error without details has no cause, no attempts and no operation', () => {
  const error = new ConfigurationError('x');
  expect(Object.hasOwn(error, 'cause')).toBe(false);
  expect([error.attempts, error.operation]).toEqual([[], undefined]);
});

test('a class that a user derives has its own instances only', () => {
  class Mine extends ApiError {}
  const details = {
    status: 400,
    code: undefined,
    body: undefined,
    headers: new Headers(),
    rateLimit: undefined,
  };
  const mine = new Mine('m', details);
  expect([
    mine instanceof Mine,
    mine instanceof ApiError,
    new ApiError('m', details) instanceof Mine,
  ]).toEqual([true, true, false]);
});

test('a redirect that a browser hides is refused as one that can be seen', async () => {
  const opaque = () =>
    Object.defineProperties(new Response(null), {
      status: { value: 0 },
      ok: { value: false },
      type: { value: 'opaqueredirect' },
    });
  const error = await rejection<ApiError>(stubClient(stubFetch(opaque)).listPets());
  expect(error).toBeInstanceOf(ApiError);
  expect(error.message).toBe(
    'listPets on pets.test: a redirect; redirects are refused, so that the API key stays with this address: check baseUrl',
  );
});

test('an error of this package that the fetch of a caller throws is the cause of a failed connection, without the key', async () => {
  const key = 'key-of-the-inner-client';
  const thrower = stubFetch(() => {
    throw new ConnectionError(`sent with ${key}`, { requestSent: 'no' });
  });
  const client = stubClient(thrower, { apiKey: key, maxRetries: 0 });
  const error = await rejection<ConnectionError>(client.createPet(newPet));
  expect(error).toMatchObject({ requestSent: 'unknown', operation: 'createPet' });
  expect(error.cause).toMatchObject({
    name: 'ConnectionError',
    message: '[text withheld: it contains the API key]',
  });
  expect(inspect(error) + JSON.stringify(error)).not.toContain(key);
});
