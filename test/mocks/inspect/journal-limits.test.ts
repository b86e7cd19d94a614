import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService, matchers } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

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

test('the journal stays small however many requests there are, and keeps at most 16 Mi characters, but always the newest request', async () => {
  const service = createMockService({ assumptions: { maxBodyBytes: 20_000_000 }, limits: 'off' });
  const post = (size: number) => call(service, '/pets', { body: 'x'.repeat(size) });
  const kept = () => service.requests.map(({ number }) => number);
  for (let sent = 0; sent < 40; sent++) await post(1_000_000);
  expect(kept()).toEqual(Array.from({ length: 16 }, (_, index) => 25 + index));
  await post(17_000_000);
  expect(kept()).toEqual([41]);
  for (let sent = 0; sent < 11_000; sent++) await call(service, '/nothing');
  expect(kept()).toEqual(Array.from({ length: 10_000 }, (_, index) => 1_042 + index));
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

test('a body in chunks of one byte takes no more than ten times its size while it is read', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const service = createMockService();
  const size = 200_000;
  let sent = 0;
  let before = 0;
  let taken = Infinity;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 0) before = heap();
      if (sent === size) taken = heap() - before;
      if (sent++ < size) controller.enqueue(new Uint8Array([120]));
      else controller.close();
    },
  });
  const headers = { Authorization: 'Bearer mock-free', 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  const request = new Request('https://api.petstore.example/v1/pets', init);
  expect((await service.handle(request)).status).toBe(400);
  expect(service.requests[0]!.body).toBe('x'.repeat(size));
  expect(taken).toBeLessThan(10 * size);
});
