import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { operations } from '../../src/contract/index.js';
import description from '../../openapi.json' with { type: 'json' };
import { answersFrom } from '../support/openapi.js';

const check = answersFrom(description);
const base = 'https://api.petstore.example/v1';
const key = { Authorization: 'Bearer mock-free' };

async function problemsOf(
  service: { fetch: typeof fetch },
  path: string,
  init: RequestInit = {},
): Promise<readonly string[]> {
  const request = new Request(base + path, init);
  return check(request, await service.fetch(request.clone()));
}

test('openapi.json is what the contract says', () => {
  const script = fileURLToPath(new URL('../../scripts/openapi.mjs', import.meta.url));
  execFileSync(process.execPath, [script, '--check']);
});

test('the description has every operation of the contract, with its statuses and its deprecation', () => {
  const { paths } = description as unknown as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
  };
  for (const { name, path, method, responses, ...row } of Object.values(operations)) {
    const described = paths[path]?.[method.toLowerCase()];
    expect(described?.['operationId']).toBe(name);
    expect(Object.keys(described?.['responses'] as object)).toEqual(Object.keys(responses));
    expect(described?.['deprecated'] ?? false).toBe('deprecated' in row);
  }
  expect(paths['/pets/{petId}']?.['get']).toMatchObject({
    'x-removal-date': '2030-12-05',
    'x-replaced-by': 'listPets',
  });
});

test('ids are int64 in the description, and the limit of a list has its bounds', () => {
  const text = JSON.stringify(description);
  const int64 = { type: 'integer', format: 'int64' };
  expect(description).toMatchObject({
    components: { schemas: { Pet: { properties: { id: int64, categoryId: int64 } } } },
  });
  expect(text).toContain('{"type":"integer","minimum":1,"maximum":100,"default":20}');
});

test('a response that is not as described is found: field, header, status, path', async () => {
  const service = createMockService({ seed: 1 });
  service.faults.add({ drift: 'missing-field', times: 1 });
  expect(await problemsOf(service, '/pets/1', { headers: key })).toEqual([
    expect.stringContaining('must have required property'),
  ]);
  service.faults.add({ 'no-rate-limit-headers': true, times: 1 });
  expect(await problemsOf(service, '/pets', { headers: key })).toContain(
    'header X-RateLimit-Limit is missing',
  );
  service.faults.add({ status: 418, times: 1 });
  expect(await problemsOf(service, '/pets', { headers: key })).toEqual([
    'GET /pets answering 418 is not described',
  ]);
  expect(await problemsOf(service, '/store/orders', { headers: key })).toEqual([
    'GET /store/orders answering 501 is not described',
  ]);
});
