// @ts-nocheck
import { createRequire } from 'node:module';
import { beforeAll, expect, test, vi } from 'vitest';
import * as source from '../../src/index.js';
import { buildClient } from '../support/builds.js';
import { json, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

type Copy = typeof source;
let copies: Record<string, Copy>;

beforeAll(async () => {
  const [first, second] = [await buildClient(), await buildClient()];
  const require = createRequire(import.meta.url);
  copies = {
    source,
    'ES modules': (await import(/* @vite-ignore */ first.esm)) as Copy,
    CommonJS: require(first.cjs) as Copy,
    'another copy of the ES modules': (await import(/* @vite-ignore */ second.esm)) as Copy,
    'another copy in CommonJS': require(second.cjs) as Copy,
  };
});

const kinds = [
  ...(['PetStoreError', 'ApiError', 'NotFoundError', 'ServerError'] as const),
  'RequestValidationError' as const,
];

test('instanceof holds between any two builds and copies of the package, whose errors keep their names', async () => {
  expect(new Set(Object.values(copies).map(({ ApiError }) => ApiError)).size).toBe(5);
  for (const [thrower, { PetStoreClient }] of Object.entries(copies)) {
    const fetch = stubFetch(json({}, { status: 404 }));
    const address = { apiKey: 'k', baseUrl: 'https://pets.test' };
    const client = new PetStoreClient({ ...address, fetch, gate: false });
    const notFound = await rejection<source.ApiError>(client.listPets());
    const invalid = await rejection<source.RequestValidationError>(client.listPets({ limit: 0 }));
    expect(invalid.name).toBe('RequestValidationError');
    expect(String(invalid)).toMatch(
      /^RequestValidationError: listPets on pets\.test: limit must be/,
    );
    for (const [catcher, copy] of Object.entries(copies)) {
      const kindsOf = (error: unknown) =>
        kinds.filter((name) => error instanceof (copy[name] as typeof source.PetStoreError));
      expect([notFound, invalid, new Error('x')].map(kindsOf), `${thrower} to ${catcher}`).toEqual([
        ['PetStoreError', 'ApiError', 'NotFoundError'],
        ['PetStoreError', 'RequestValidationError'],
        [],
      ]);
    }
  }
});

test('all builds and copies share one gate a key, whose refusal is a RateLimitError in each, count their calls together, and warn once of a deprecated operation', async () => {
  const fetch = stubFetch(json({}, { status: 429, headers: { 'Retry-After': '600' } }));
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const calls = new Set<number>();
  const onEvent = (event: source.PetStoreEvent) => {
    if (event.type === 'call-end') calls.add(event.call);
  };
  const options = { apiKey: 'shared-by-copies', baseUrl: 'https://pets.test', fetch, onEvent };
  for (const { PetStoreClient, RateLimitError } of Object.values(copies)) {
    const error = await rejection(new PetStoreClient(options).getPet(1), RateLimitError);
    expect(error.reason).toBe('hold');
  }
  expect([fetch.sent.length, calls.size, warn.mock.calls.length]).toEqual([1, 5, 1]);
});
