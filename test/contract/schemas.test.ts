import Ajv2020 from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import * as z from 'zod';
import { expect, test } from 'vitest';
import {
  ErrorSchema,
  Int64Schema,
  ListPetsQuerySchema,
  NewPetSchema,
  PetListSchema,
  PetStatusSchema,
} from '../../src/contract/index.js';
import { ResponseValidationError } from '../../src/index.js';
import { json, pet, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

test('the JSON Schema of a new pet, and of each other schema, accepts and refuses what the schema does, as a tool of a language model is called', () => {
  const ajv = new Ajv2020.default();
  formats.default(ajv);
  const rex = { name: 'Rex', categoryId: 1 };
  const error = { code: 'x', message: 'y', status: 404 };
  const samples: [z.core.$ZodType, unknown[]][] = [
    [NewPetSchema, [rex, { ...rex, status: 'sold', chip: 7 }, { ...rex, status: 'lost' }, []]],
    [NewPetSchema, [{ name: 'Rex' }, { ...rex, name: 5 }, { ...rex, categoryId: 1.5 }]],
    [NewPetSchema, [{ ...rex, categoryId: '1' }, { categoryId: 1 }]],
    [PetListSchema, [[], [pet()], [rex], {}]],
    [ErrorSchema, [error, { ...error, status: 4.5 }, { ...error, code: undefined }]],
    [ListPetsQuerySchema, [{}, { limit: 100, status: 'sold' }, { limit: 0 }, { limit: 101 }]],
    [ListPetsQuerySchema, [{ Limit: 5 }, { status: 'lost' }]],
  ];
  for (const [schema, values] of samples) {
    const validate = ajv.compile(z.toJSONSchema(schema));
    for (const value of values)
      expect(validate(value), JSON.stringify(value)).toBe(z.safeParse(schema, value).success);
  }
});

test('a copy of a schema with a description has the JSON Schema of the schema, with the description', () => {
  const described = (schema: z.core.$ZodType) =>
    z.toJSONSchema(z.object({ field: z.optional(schema).check(z.describe('what it is')) }))
      .properties;
  const field = { description: 'what it is' };
  expect(described(Int64Schema.check(z.describe('an id')))).toEqual({
    field: { ...field, type: 'integer', format: 'int64' },
  });
  expect(described(PetStatusSchema.check(z.refine(() => true)))).toEqual({
    field: { ...field, type: 'string', enum: ['available', 'pending', 'sold'] },
  });
});

test.each(['404', 4.5, 2 ** 53, NaN, null])('the status of an error is never %s', (status) => {
  const { error } = ErrorSchema.safeParse({ code: 'x', message: 'y', status });
  expect(error?.issues).toMatchObject([
    { path: ['status'], message: expect.stringMatching(/^must be an integer, got /) },
  ]);
});

test.each([101, 2_000_001])(
  'a list of %i items, more than 100, is refused before its items are parsed',
  async (count) => {
    const many = json(`[${'1,'.repeat(count - 1)}1]`);
    const error = await rejection(stubClient(stubFetch(many)).listPets(), ResponseValidationError);
    const message = `must have at most 100 items, got ${count}`;
    expect(error.issues).toEqual([{ path: [], message }]);
  },
);

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
  expect(error.message).toContain('"f19" and 30 more (known: id, name, ');
});
