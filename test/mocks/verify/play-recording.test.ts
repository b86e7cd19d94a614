import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { PetStoreClient } from '../../../src/index.js';
import { createMockService, type Fault, type MockService } from '../../../mocks/index.js';
import {
  recordedPets,
  verifyService,
  withRecording,
  type Recording,
} from '../../../mocks/verify/index.js';
import { serve } from '../../../mocks/server.js';
import { call } from '../../support/raw.js';
import { control, json } from '../../support/control.js';

const service = createMockService({ clock: 'virtual', seed: 3 });
const { recording } = await verifyService({
  baseUrl: 'https://staging.petstore.example',
  apiKey: 'mock-free',
  fetch: service.fetch,
  clock: service.clock,
});
const mock = () => createMockService({ clock: 'virtual', seed: recordedPets(recording) });
const replayed = () => withRecording(mock(), recording);

/** The recorded answer to GET /pets. */
const other: Recording = {
  ...recording,
  exchanges: [1, 2].map((id) => ({
    method: 'GET',
    path: '/pets',
    key: 'own',
    sentAt: 0,
    receivedAt: 0,
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: `[{"id":${id},"name":"Recorded","categoryId":1}]`,
  })),
};

const outcome: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>(
    { status: 503 },
    { status: 200, body: [] },
    { 'network-error': true },
    { 'network-error': 'after' },
    { 'drop-body': true },
    { 'slow-body': 100 },
    { 'malformed-json': true },
    { 'empty-body': true },
    { html: true },
    { 'retry-after': 'soon' },
    { 'no-rate-limit-headers': true },
    { 'clock-skew': 5_000 },
    { delay: 100 },
    { status: 502, html: true },
  ),
  fc
    .constantFrom('unknown-status' as const, 'extra-field' as const, 'huge-id' as const)
    .map((drift) => ({ drift })),
);

test('a service with a recording of itself is that service, whatever faults and overrides it has', async () => {
  const request = fc.constantFrom('/pets', '/pets?limit=1', '/pets/1', '/pets/2', '/pets/99', '/x');
  const setup = fc.record({
    faults: fc.array(
      fc.tuple(outcome, fc.integer({ min: 1, max: 2 })).map(([one, times]) => ({ ...one, times })),
      { maxLength: 3 },
    ),
    overridden: fc.constantFrom(undefined, 'listPets' as const, 'getPet' as const),
    remaining: fc.constantFrom(60, 2),
    key: fc.constantFrom('mock-free', 'wrong', null),
  });
  await fc.assert(
    fc.asyncProperty(
      setup,
      fc.array(request, { minLength: 1, maxLength: 4 }),
      async (given, requests) => {
        const seen = async (one: MockService) => {
          for (const fault of given.faults) one.faults.add(fault);
          if (given.overridden === 'listPets') one.override('listPets', () => [], { times: 1 });
          if (given.overridden === 'getPet')
            one.override('getPet', () => ({ id: 5, name: 'Over', categoryId: 1 }), { times: 1 });
          one.keys.get('mock-free').setRemaining(given.remaining);
          const answers = [];
          for (const path of requests)
            answers.push(
              await call(one, path, { key: given.key }).then(
                ({ status, text, headers }) => [status, text, headers.get('retry-after')],
                String,
              ),
            );
          return { answers, journal: one.requests.map((r) => [r.status, r.faults, r.operation]) };
        };
        expect(await seen(replayed())).toEqual(await seen(mock()));
      },
    ),
    { numRuns: 150 },
  );
});

test('the journal has the status that the client received', async () => {
  const service = replayed();
  service.pets.clear();
  const { status } = await call(service, '/pets/1');
  expect([status, service.requests[0]!.status]).toEqual([200, 200]);
});

test('answers of one request come in turn, the last one stays, and reset() starts again', async () => {
  const service = withRecording(createMockService({ seed: 1 }), other);
  const id = async () => (await call(service, '/pets')).json[0]!.id;
  service.faults.add({ status: 503, times: 1 });
  expect((await call(service, '/pets')).status).toBe(503);
  expect([await id(), await id(), await id()]).toEqual([1, 2, 2]);
  service.reset();
  expect(await id()).toBe(1);
});

test('a service with a recording has the gates of its service, and serves on a port', async () => {
  const service = replayed();
  const client = () => new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
  const mark = Symbol.for('petstore-client.scope') as unknown as keyof typeof fetch;
  const before = service.fetch[mark];
  service.reset();
  expect(before).toBeDefined();
  expect(service.fetch[mark]).not.toBe(before);
  expect(await client().listPets()).toHaveLength(3);
  const { ask } = control({}, '127.0.0.1', replayed());
  expect(await json(ask('GET', '/_mock/snapshot'))).toMatchObject({ version: 1 });
});

test('a service of one copy of the package is replayed and served by another copy, as CommonJS entries are', async () => {
  vi.resetModules();
  const copy = await import('../../../mocks/verify/index.js');
  expect(copy.withRecording).not.toBe(withRecording);
  const service = copy.withRecording(createMockService({ seed: 1 }), other);
  expect((await call(service, '/pets')).json[0]!.name).toBe('Recorded');
  const { serve: serveCopy } = await import('../../../mocks/server.js');
  const server = await serveCopy(service);
  expect((await fetch(`${server.url}/_mock/snapshot`)).status).toBe(200);
  await server.close();
});

test.each([{}, undefined, { handle: () => undefined }])(
  'withRecording refuses %j, which is no service',
  (given) => {
    expect(() => withRecording(given as never, other)).toThrow(
      /withRecording takes a service that createMockService made, got (?:an object|undefined)/,
    );
  },
);

test.each([
  ['header', { headers: { 'content-type': 'text/plain\nX: y' } }],
  ['status', { status: 1 }],
])(
  'a recorded %s that cannot be sent is answered 500 on a port, which goes on',
  async (_what, part) => {
    const exchanges = other.exchanges.map((one) => ({ ...one, ...part }));
    const broken = withRecording(createMockService({ seed: 1 }), { ...other, exchanges });
    const server = await serve(broken);
    try {
      const headers = { Authorization: 'Bearer mock-free' };
      const answers = [];
      for (const path of ['/v1/pets', '/v1/pets', '/v1/pets/1'])
        answers.push((await fetch(server.url + path, { headers })).status);
      expect(answers).toEqual([500, 500, 200]);
    } finally {
      await server.close();
    }
  },
);
