// @ts-nocheck
import { beforeEach, expect, test, vi, type MockInstance } from 'vitest';
import { PetStoreClient, ServerError } from '../../../src/index.js';
import { createMockService, explainHeader } from '../../../mocks/index.js';
import { setupMockServer } from '../../../mocks/node.js';
import { call } from '../../support/raw.js';
import { ways } from '../../support/ways.js';
import { rejection, world } from '../../support/world.js';

let printed: MockInstance<typeof console.error>;
beforeEach(() => void (printed = vi.spyOn(console, 'error').mockReturnValue()));

const boom = () => {
  throw new Error('boom');
};

const why = 'the response of listPets breaks the contract';

test.each([
  ['throws', boom, 'listPets threw Error: boom'],
  ['returns a wrong shape', () => [{ id: 1, name: 'Rex' }] as never, `${why}: 0 categoryId`],
  ['returns nothing', () => undefined as never, why],
])(
  'an override that %s fails the call at once, and the error says why',
  async (_, handler, why) => {
    const { service, client } = world({ seed: 1 });
    service.override('listPets', handler, { times: 2 });
    const error = await rejection<ServerError>(client().listPets());
    expect(error).toBeInstanceOf(ServerError);
    expect([error.status, error.code, error.attempts.length]).toEqual([501, 'mock_defect', 1]);
    expect(error.message).toContain(why);
    expect(error.message).toMatch(/; repeating the request does not help$/);
    const { headers, json, text } = await call(service, '/pets');
    expect([json.code, headers.get(explainHeader)]).toEqual([
      'mock_defect',
      expect.stringContaining(why),
    ]);
    expect(text).not.toMatch(/at |\.ts/);
  },
);

test('a failure of the mock is printed once with its cause, and counted each time', async () => {
  const service = createMockService();
  service.override('listPets', boom);
  await call(service, '/pets');
  await call(service, '/pets', { key: 'mock-pro' });
  expect(printed).toHaveBeenCalledTimes(1);
  const [message, cause] = printed.mock.calls[0] as [string, Error];
  expect(message).toContain('listPets threw Error: boom');
  expect(cause.message).toBe('boom');
  const report = service.report();
  expect([report.mockDefects, service.report('mock-free').mockDefects]).toEqual([2, 1]);
  expect(() => report.assertPolite()).toThrow(/2 requests on which the mock itself failed.*boom/);
  report.assertPolite({ mockDefects: 2 });
  service.reset();
  expect(service.report().mockDefects).toBe(0);
  service.override('PUT /x', boom);
  expect((await call(service, '/x', { method: 'PUT', body: 1 })).status).toBe(501);
  expect([service.report().mockDefects, printed.mock.calls.length]).toEqual([1, 2]);
});

test('assertAllHandled fails once for a failure that the code under test has caught', async () => {
  const { service, ...server } = setupMockServer();
  service.override('listPets', boom);
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
  const caught = async () => client.listPets().catch(() => []);
  expect(await caught()).toEqual([]);
  expect(() => server.assertAllHandled()).toThrow('listPets threw Error: boom');
  server.assertAllHandled();
  service.reset();
  service.override('listPets', boom);
  await caught();
  expect(() => server.assertAllHandled()).toThrow('boom');
});

test.each([
  ['threw Error: boom', boom],
  ...(['5', -1, undefined] as const).map((given): [string, () => never] => [
    `must return ms or a text such as '2s', up to 100 years, returned ${given === '5' ? "'5'" : given}`,
    () => given as never,
  ]),
])('a latency function that %s is a failure of the mock, on every way in', async (why, latency) => {
  for (const way of Object.values(ways)) {
    const service = createMockService({ clock: 'virtual', latency });
    const headers = { Authorization: 'Bearer mock-free' };
    const { status, headers: got } = await way(service, (at, send) =>
      send(`${at}/v1/pets`, { headers }),
    );
    expect([status, got.get('X-Mock-Explain')]).toEqual([501, `mock_defect: latency() ${why}`]);
    expect(service.report().mockDefects).toBe(1);
  }
});
