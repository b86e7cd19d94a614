import { expect, test } from 'vitest';
import { stringifyJson } from '../../../src/contract/json.js';
import { createMockService } from '../../../mocks/index.js';
import { readRecording, verifyService } from '../../../mocks/verify/index.js';

const seed = [3, 9007199254740993n, 12].map((id, index) => ({
  id,
  name: `Secret ${index}`,
  categoryId: index + 1,
}));

/** A run against a service with pets of its own and other answers than the mock's default. */
async function recorded() {
  const service = createMockService({
    clock: 'virtual',
    seed,
    assumptions: {
      answers: { limitBelow: { status: 422 }, petNotFound: { code: 'E404' } },
      listOrder: 'id-descending',
    },
  });
  const { recording } = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'mock-free',
    fetch: service.fetch,
    clock: service.clock,
  });
  return readRecording(stringifyJson(recording));
}

test('a recording holds no key and no name of a pet', async () => {
  expect(stringifyJson(await recorded())).not.toMatch(/mock-free|Secret/);
});

test.for([
  ['', /no JSON/],
  ['{}', /format "petstore-recording\/1"/],
  ['{"format":"petstore-recording/1"}', /origin, basePath and exchanges/],
  [
    '{"format":"petstore-recording/1","origin":"","basePath":"","exchanges":[{}]}',
    /exchanges\[0\]/,
  ],
] as const)('a recording that is %j is refused with the reason', ([text, message]) => {
  expect(() => readRecording(text)).toThrow(TypeError);
  expect(() => readRecording(text)).toThrow(message);
});
