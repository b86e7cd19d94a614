import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

/** What a POST with a body of so many characters counts in the journal. */
const bytesOf = (size: number) => 2 * ('POST'.length + '/v1/pets'.length + size);

test('the journal keeps the newest requests within its bytes, and always the newest one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 0, max: 2_000 }),
      async (sizes, journalBytes) => {
        const service = createMockService({ journalBytes, limits: 'off' });
        for (const size of sizes) await call(service, '/pets', { body: 'x'.repeat(size) });
        const kept = service.requests;
        const bytes = (count: number) =>
          sizes.slice(sizes.length - count).reduce((sum, size) => sum + bytesOf(size), 0);
        expect(kept.map(({ number }) => number)).toEqual(
          sizes.map((_, index) => index + 1).slice(-kept.length),
        );
        expect(kept.length === 1 || bytes(kept.length) <= journalBytes).toBe(true);
        expect(kept.length === sizes.length || bytes(kept.length + 1) > journalBytes).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});

test('JSON of any depth can be read from the journal and written as JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 20_000 }), fc.boolean(), async (depth, isObject) => {
      const service = createMockService();
      const body = isObject
        ? `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
        : `${'['.repeat(depth)}"]"${']'.repeat(depth)}`;
      await call(service, '/pets', { body });
      const read = service.requests[0]!.body;
      expect(read).toEqual(depth <= 100 ? JSON.parse(body) : body);
      expect(JSON.parse(JSON.stringify(service.requests))).toHaveLength(1);
    }),
    {
      numRuns: 30,
      examples: [
        [3_000, true],
        [100, false],
        [101, false],
      ],
    },
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
  const request = new Request('https://api.petstore.example/v1/pets', {
    method: 'POST',
    headers: { Authorization: 'Bearer mock-free', 'Content-Type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit);
  expect((await service.handle(request)).status).toBe(400);
  expect(service.requests[0]!.body).toBe('x'.repeat(size));
  expect(taken).toBeLessThan(10 * size);
});
