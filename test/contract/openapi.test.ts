import { expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { operations } from '../../src/contract/index.js';
import description from '../../openapi.json' with { type: 'json' };
import { answersFrom } from '../support/openapi.js';

test('the description has every operation of the contract, with its statuses and its deprecation, int64 ids, and the bounds of a list', () => {
  const paths = description.paths as Record<string, Record<string, Record<string, unknown>>>;
  for (const { name, path, method, responses, ...row } of Object.values(operations)) {
    const described = paths[path]?.[method.toLowerCase()];
    expect(described?.['operationId']).toBe(name);
    expect(Object.keys(described?.['responses'] as object)).toEqual(Object.keys(responses));
    expect(described?.['deprecated'] ?? false).toBe('deprecated' in row);
    expect(described?.['responses']).toHaveProperty('429');
    expect(described?.['responses']).not.toHaveProperty('429.content');
  }
  const removal = { 'x-removal-date': '2030-12-05', 'x-replaced-by': 'listPets' };
  expect(paths['/pets/{petId}']!['get']).toMatchObject(removal);
  const int64 = { type: 'integer', format: 'int64' };
  const { Pet, NewPet } = description.components.schemas;
  expect(Pet.required).toEqual(['id', 'name', 'categoryId']);
  expect(Pet.properties).toMatchObject({ id: int64, categoryId: int64 });
  expect(NewPet.required).toEqual(['name', 'categoryId']);
  expect(NewPet.properties).toMatchObject({ categoryId: int64 });
  expect(JSON.stringify(description)).toContain(
    '{"type":"integer","minimum":1,"maximum":100,"default":20}',
  );
});

test.each([
  [[{ drift: 'missing-field' }], '/pets/1', /must have required property/],
  [[{ 'no-rate-limit-headers': true }], '/pets', /^header X-RateLimit-Limit is missing,/],
  [[{ status: 418 }], '/pets', /^GET \/pets answering 418 is not described$/],
  [[], '/store/orders', /^GET \/store\/orders answering 501 is not described$/],
])('a response that is not as described is found: %j', async (faults, path, problem) => {
  const { fetch } = createMockService({ seed: 1, faults: faults as never });
  const request = new Request(`https://api.petstore.example/v1${path}`, {
    headers: { Authorization: 'Bearer mock-free' },
  });
  expect(String(await answersFrom(description)(request, await fetch(request.clone())))).toMatch(
    problem,
  );
});
