// Random requests against the service. FUZZ_RUNS sets the number of runs, FUZZ_SEED repeats one.
import { expect, test } from 'vitest';
import { ErrorSchema, operations, PetListSchema, PetSchema } from '../../../src/contract/index.js';
import { parseJson } from '../../../src/contract/json.js';
import { createMockService, explainHeader, exposedHeaders } from '../../../mocks/index.js';
import { call, quota } from '../../support/raw.js';
import { fc, fuzzRuns } from '../../support/fuzz.js';

const words = ['pets', 'store', 'orders', 'Pets', '1', '2', '%zz', '', '..'];
const ids = ['9223372036854775807', '9223372036854775808'];
const segment = fc.oneof(
  fc.constantFrom(...words, ...ids),
  fc.string({ maxLength: 6 }).map(encodeURIComponent),
);
const path = fc.oneof(
  fc.constantFrom('/v1/pets', '/v1/pets', '/v1/pets/1', '/v1/pets/77', '/v1/store/orders', '/'),
  fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
  fc.array(segment, { maxLength: 3 }).map((parts) => `/v1/${parts.join('/')}`),
);
const value = fc.oneof(
  fc.constantFrom('', '1', '20', '100', '101', '-1', 'sold', 'lost', '1e2', '٣'),
  fc.string({ maxLength: 5 }),
);
const names = ['limit', 'status', 'page', '__proto__', '🐶\né'];
const parameter = fc.tuple(fc.constantFrom(...names), value);
const query = fc.oneof(
  fc.constant(''),
  fc.array(parameter, { maxLength: 3 }).map((pairs) => `?${new URLSearchParams(pairs)}`),
);
const int64 = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n });
const pet = '{"name":"Rex","categoryId":1,"status":"sold"}';
const body = fc.oneof(
  fc.json(),
  fc.string({ maxLength: 20 }),
  fc
    .tuple(fc.string({ maxLength: 10 }), int64)
    .map(([name, id]) => `{"name":${JSON.stringify(name)},"categoryId":${id}}`),
  fc.constantFrom(pet, pet.replace('{', '{"__proto__":{"id":7},'), 'null', '[]', '"'),
);
const known = fc.constantFrom('Bearer mock-free', 'Bearer mock-pro', 'bearer mock-enterprise');
const wrong = fc.constantFrom('Bearer', 'Basic x', '', 'Bearer unknown', 'Bearer  mock-free');
const jsonTypes = ['application/json', 'application/json; charset=utf-8'];
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'] as const;
const request = fc.record({
  path,
  query,
  body,
  authorization: fc.oneof({ weight: 8, arbitrary: known }, wrong),
  type: fc.constantFrom(...jsonTypes, 'text/plain', 'application/jsonp'),
  method: fc.constantFrom('GET', 'POST', ...methods),
  wait: fc.integer({ min: 0, max: 3_000 }),
});

/** Whether the request is for the list of pets: the URL standard resolves `/v1/pets/../pets` before it is sent. */
const isList = (path: string) => new URL(path, 'https://x.example').pathname === '/v1/pets';

type Sent = Readonly<Record<'method' | 'path' | 'query', string>>;

/** A success names a query parameter that it has ignored; only a list has any. */
const ignoresQuery = (status: number, { method, path, query }: Sent) => {
  const known = isList(path) && method !== 'POST' ? ['limit', 'status'] : [];
  return (
    status < 300 && [...new URLSearchParams(query).keys()].some((name) => !known.includes(name))
  );
};

/** The headers that a page of another origin may read. */
const exposed = exposedHeaders.map((name) => name.toLowerCase());

/** Statuses of the interface, and those of assumptions that answer what it does not name. */
const successes: number[] = Object.values(operations).map(({ success }) => success);
const documented = [...new Set([...successes, 400, 401, 404, 405, 429, 501])].toSorted(
  (a, b) => a - b,
);

test('whatever is sent, the answer has a documented status, the three headers, and a body of the contract', async () => {
  const service = createMockService({ clock: 'virtual', seed: 30 });
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 5, maxLength: 20 }), async (requests) => {
      for (const sent of requests) {
        service.clock.advance(sent.wait);
        const init: RequestInit = {
          method: sent.method,
          headers: { authorization: sent.authorization, 'content-type': sent.type },
        };
        if (sent.method === 'POST' || sent.method === 'PUT') init.body = sent.body;
        const response = await service.fetch(`https://x.example${sent.path}${sent.query}`, init);
        const { status, headers } = response;
        seen.add(status);
        expect(documented).toContain(status);
        const { limit, remaining, reset } = quota(headers);
        expect([60, 1_000, 300, 10_000, 1_000_000, 1_000_000_000]).toContain(limit);
        expect(Number.isInteger(remaining) && remaining >= 0 && remaining <= limit).toBe(true);
        expect(reset * 1_000).toBeGreaterThan(service.clock.now());
        expect(headers.has('retry-after')).toBe(status === 429);
        expect(headers.get(explainHeader) ?? 'none').toMatch(/^[\x20-\x7e]{1,300}$/);
        expect(headers.has(explainHeader)).toBe(status >= 400 || ignoresQuery(status, sent));
        const own = [...headers.keys()].filter((name) => !/^(?:content-type|access-)/.test(name));
        expect(exposed).toEqual(expect.arrayContaining(own));
        const text = await response.text();
        if (sent.method === 'HEAD' || status === 204) {
          expect(text).toBe('');
          continue;
        }
        const parsed = parseJson(text);
        if (status >= 400) expect(ErrorSchema.parse(parsed).status).toBe(status);
        else if (status === 201 || !isList(sent.path)) PetSchema.parse(parsed);
        else PetListSchema.parse(parsed);
      }
    }),
    { numRuns: fuzzRuns(300, 2_000) },
  );
  expect([...seen].sort()).toEqual(documented);
  expect((await call(service, '/pets', { key: 'mock-business' })).status).toBe(200);
});
