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

test('every error class has its literal name, and instanceof follows its ancestors', () => {
  const made = [
    ...[ConfigurationError, RequestValidationError, ConnectionError, TimeoutError],
    ...[ApiError, BadRequestError, AuthenticationError, NotFoundError, ServerError],
    ...[RateLimitError, ResponseValidationError],
  ].map((type) => new type('m'));
  const api = [BadRequestError, AuthenticationError, NotFoundError, ServerError, RateLimitError];
  for (const error of made) {
    for (const { constructor } of made) {
      const type = constructor as typeof PetStoreError;
      expect(error instanceof type, `${error.name} is ${type.kind}`).toBe(
        type.kind === error.name ||
          (type === ApiError && api.some(({ kind }) => kind === error.name)),
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
  const all = [new Mine('m') instanceof Mine, new Mine('m') instanceof ApiError];
  expect([...all, (new ApiError('m') as unknown) instanceof Mine]).toEqual([true, true, false]);
});
