import Ajv2020 from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { expect, test } from 'vitest';
import {
  ErrorSchema,
  ListPetsQuerySchema,
  NewPetSchema,
  PetListSchema,
} from '../../src/contract/index.js';
import { ResponseValidationError } from '../../src/index.js';
import { json, pet, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const int64 = { type: 'integer', format: 'int64' };
const status = { type: 'string', enum: ['available', 'pending', 'sold'] };

test.each([
  ['zod', z.toJSONSchema],
  ['zod/mini', mini.toJSONSchema],
] as const)('every schema of the contract converts to JSON Schema with %s', (_name, convert) => {
  expect(convert(NewPetSchema)).toMatchObject({
    type: 'object',
    properties: { name: { type: 'string' }, categoryId: int64, status },
    required: ['name', 'categoryId'],
  });
  expect(convert(PetListSchema)).toMatchObject({
    type: 'array',
    items: { properties: { id: int64 }, required: ['id', 'name', 'categoryId'] },
  });
  expect(convert(ErrorSchema)).toMatchObject({
    properties: { status: { type: 'integer' } },
    required: ['code', 'message', 'status'],
  });
  expect(convert(ListPetsQuerySchema)).toMatchObject({
    properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status },
    additionalProperties: false,
  });
});

test('the JSON Schema of a new pet accepts and refuses what the schema does, as a tool of a language model is called', () => {
  const ajv = new Ajv2020.default();
  formats.default(ajv);
  const validate = ajv.compile(z.toJSONSchema(NewPetSchema));
  for (const value of [
    { name: 'Rex', categoryId: 1 },
    { name: 'Rex', categoryId: 1, status: 'sold', chip: 7 },
    { name: 'Rex' },
    { name: 5, categoryId: 1 },
    { name: 'Rex', categoryId: 1.5 },
    { name: 'Rex', categoryId: '1' },
    { name: 'Rex', categoryId: 1, status: 'lost' },
    [],
  ])
    expect(validate(value), JSON.stringify(value)).toBe(NewPetSchema.safeParse(value).success);
});

test.each(['404', 4.5, 2 ** 53, NaN, null])('the status of an error is never %s', (status) => {
  const { error } = ErrorSchema.safeParse({ code: 'x', message: 'y', status });
  expect(error?.issues).toMatchObject([
    { path: ['status'], message: expect.stringMatching(/^must be an integer, got /) },
  ]);
});

test('a list of more than 100 items is refused before its items are parsed', async () => {
  let read = 0;
  const items = Array.from({ length: 101 }, () =>
    Object.defineProperty(pet(), 'id', { get: () => (read += 1), enumerable: true }),
  );
  const result = PetListSchema.safeParse(items);
  expect(read).toBe(0);
  expect(result.error!.issues.map(({ message }) => message)).toEqual([
    'must have at most 100 items, got 101',
  ]);
  const many = json(`[${'1,'.repeat(2_000_000)}1]`);
  const error = await rejection(stubClient(stubFetch(many)).listPets(), ResponseValidationError);
  expect(error.issues).toEqual([{ path: [], message: 'must have at most 100 items, got 2000001' }]);
  expect(PetListSchema.safeParse(items.slice(1)).success).toBe(true);
  expect(read).toBeGreaterThanOrEqual(100);
});

test('an error lists the first 20 issues of a response, and how many more there are', async () => {
  const pets = json(Array.from({ length: 100 }, () => ({})));
  const error = await rejection<ResponseValidationError>(stubClient(stubFetch(pets)).listPets());
  expect(error.issues).toHaveLength(21);
  expect(error.issues.at(-1)).toEqual({ path: [], message: 'has further issues: 280' });
  expect(error.message).toContain('; and many more');
});

test('of many unknown fields a strict client names the first 20', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, n]));
  const client = stubClient(stubFetch(json(pet(unknown))), { validation: 'strict' });
  const error = await rejection<ResponseValidationError>(client.getPet(1));
  expect(error.message).toContain('has unknown fields "f0", "f1"');
  expect(error.message).toContain('"f19" and 30 more (known: id, name, categoryId, status)');
});
