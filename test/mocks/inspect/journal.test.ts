import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createMockService, findRequests, matchers } from '../../../mocks/index.js';
import { call, rex } from '../../support/raw.js';
import { fc } from '../../support/fuzz.js';

test('the journal records what came, what the service read of it, and how it was answered, and cannot be changed', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1, latency: 10 });
  await call(service, '/pets?limit=5&status=sold&x=1');
  await call(service, '/pets', { body: rex });
  await call(service, '/pets/1');
  await call(service, '/pets', { key: null });
  const [list, create, get, nobody] = service.requests;
  expect(list).toEqual({
    number: 1,
    environment: 'production',
    at: Date.UTC(2026, 0, 1) + 5,
    answeredAt: Date.UTC(2026, 0, 1) + 10,
    operation: 'listPets',
    method: 'GET',
    path: '/v1/pets',
    query: { limit: '5', status: 'sold', x: '1' },
    body: undefined,
    input: { limit: 5, status: 'sold' },
    key: 'mock-free',
    status: 200,
    faults: [],
    inCoolDown: false,
    remaining: 59,
  });
  expect(create).toMatchObject({ operation: 'createPet', body: rex, input: rex, status: 201 });
  expect(get).toMatchObject({ operation: 'getPet', input: { petId: 1 } });
  const unread = { key: undefined, status: 401, input: undefined };
  expect(nobody).toMatchObject({ operation: 'listPets', ...unread });
  await call(service, '/pets', { body: '{"name":' });
  const broken = { body: '{"name":', input: undefined, status: 400 };
  expect(service.requests.at(-1)).toMatchObject(broken);
  await call(service, '/pets', { method: 'POST' });
  expect(service.requests.at(-1)!.body).toBeUndefined();
  service.faults.add({ 'network-error': true });
  await call(service, '/pets').catch(() => 'broken');
  const parts = service.requests.flatMap((record) => [record, record.input]);
  expect(parts.map((part) => Object.isFrozen(part))).toEqual(Array(14).fill(true));
});

test('an unknown key is never kept, but can be recognised', async () => {
  const service = createMockService();
  const secret = 'sk-live-a-real-key';
  await call(service, '/pets', { key: secret });
  await call(service, '/pets', { key: `${secret}2` });
  await call(service, '/pets', { key: secret });
  expect(JSON.stringify([service.requests, service.report()])).not.toContain('sk-live');
  const keys = service.requests.map(({ key }) => key);
  expect(keys[0]).toMatch(/^unknown-[0-9a-f]{8}$/);
  expect([keys[2] === keys[0], keys[1] === keys[0]]).toEqual([true, false]);
});

test('findRequests filters the journal', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1 });
  await call(service, '/pets');
  service.clock.advance('1s');
  const since = service.clock.now();
  service.faults.add({ status: 500, operation: 'createPet', times: 1 });
  await call(service, '/pets', { body: rex });
  await call(service, '/pets', { body: rex, key: 'mock-pro' });
  const numbers = (filter: Parameters<typeof findRequests>[1]) =>
    findRequests(service, filter).map(({ number }) => number);
  expect(numbers({})).toEqual([1, 2, 3]);
  expect(numbers({ key: 'mock-free', method: 'POST' })).toEqual([2]);
  expect(numbers({ fault: 'status' })).toEqual([2]);
  expect(numbers({ since })).toEqual([2, 3]);
  expect(numbers({ inCoolDown: true })).toEqual([]);
});

test('the journal keeps the newest requests and no more, and the report does not vouch for a client that it forgot in part', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(5), fc.nat(12), async (journalLimit, sent) => {
      const service = createMockService({ journalLimit, limits: 'off' });
      for (let count = 0; count < sent; count++) await call(service, '/pets/1');
      const held = Math.min(sent, journalLimit);
      const numbers = Array.from({ length: held }, (_, index) => sent - held + index + 1);
      expect(service.requests.map(({ number }) => number)).toEqual(numbers);
      const counts = { requests: held, deprecatedCalls: held, forgotten: sent - held };
      expect(service.report()).toMatchObject(counts);
      const vouch = () => service.report('mock-free').assertPolite();
      const matcher = () => matchers.toHaveRespectedRateLimit(service);
      for (const judge of [vouch, matcher])
        if (sent === held) expect(judge).not.toThrow();
        else
          expect(judge).toThrow(
            `the journal holds only the newest ${held} of ${sent} requests since the last reset(). Set a higher journalLimit`,
          );
      service.reset();
      expect([service.report().forgotten, service.requests]).toEqual([0, []]);
    }),
  );
});

test('the journal keeps at most 16 Mi characters, but always the newest request', async () => {
  const service = createMockService({ assumptions: { maxBodyBytes: 20_000_000 }, limits: 'off' });
  const post = (size: number) => call(service, '/pets', { body: 'x'.repeat(size) });
  const kept = () => service.requests.map(({ number }) => number);
  for (let sent = 0; sent < 40; sent++) await post(1_000_000);
  expect(kept()).toEqual(Array.from({ length: 16 }, (_, index) => 25 + index));
  await post(17_000_000);
  expect(kept()).toEqual([41]);
});

test('JSON of any depth can be read from the journal and written as JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 20_000 }), fc.boolean(), async (depth, isObject) => {
      const service = createMockService();
      const [open, value, close] = isObject ? ['{"a":', '1', '}'] : ['[', '"]"', ']'];
      const body = open.repeat(depth) + value + close.repeat(depth);
      await call(service, '/pets', { body });
      const read = service.requests[0]!.body;
      expect(read).toEqual(depth <= 100 ? JSON.parse(body) : body);
      expect(JSON.parse(JSON.stringify(service.requests))).toHaveLength(1);
    }),
    { numRuns: 30, examples: [3_000, 100, 101].map((depth) => [depth, depth === 3_000]) },
  );
});

test('a body in chunks of one byte takes no more than ten times its size while it is read, and keeps no block that they are views of', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const memory = () => {
    collectGarbage();
    return process.memoryUsage();
  };
  const service = createMockService();
  const size = 200_000;
  let sent = 0;
  const taken: NodeJS.MemoryUsage[] = [];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 0 || sent === size) taken.push(memory());
      if (sent++ < size) controller.enqueue(new Uint8Array(1_024).fill(120, 0, 1).subarray(0, 1));
      else controller.close();
    },
  });
  expect((await call(service, '/pets', { body })).status).toBe(400);
  expect(service.requests[0]!.body).toBe('x'.repeat(size));
  const [before, after] = taken as [NodeJS.MemoryUsage, NodeJS.MemoryUsage];
  expect(after.heapUsed - before.heapUsed).toBeLessThan(10 * size);
  // All blocks together are 205 MB. Those that are free are not given back at once.
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(150_000_000);
});
