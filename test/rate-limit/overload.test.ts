import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { askMany, granted, minute, pro, stage } from '../support/gate-stage.js';

test('two 503s with Retry-After: 4 and most of the window left hold the key for 4 s each, not until the Reset', async () => {
  const at = stage();
  await (await at.ask()).answer(200, pro(299));
  for (let n = 0; n < 2; n += 1) {
    await (await at.ask()).answer(503, { ...pro(296), retryAfter: 4 });
    const next = await at.ask();
    expect(next.permit).toBeUndefined();
    await at.pass(5_000);
    expect(next.permit).toBeDefined();
    next.permit!.cancel();
  }
});

test('503s hold the key for their Retry-After and one second more, for any number of 503s and any quota', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          retryAfter: fc.nat({ max: 100 }),
          remaining: fc.nat({ max: 300 }),
          resetIn: fc.integer({ min: -minute, max: minute }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (answers) => {
        const at = stage();
        await (await at.ask()).answer(200, pro(300));
        for (const said of answers) {
          const [request] = await askMany(at, 1);
          await request!.answer(503, { limit: 300, ...said });
          const next = await at.ask();
          await at.pass(said.retryAfter * 1_000 + 999);
          expect(next.permit, 'still held').toBeUndefined();
          await at.pass(1);
          expect(next.permit, 'held no longer').toBeDefined();
          next.permit!.cancel();
        }
      },
    ),
  );
});

test('a 503 is no sign that other processes use the key: the next 429 is the first of a series', async () => {
  const at = stage();
  await (await at.ask()).answer(503, { retryAfter: 4 });
  await at.pass(5_000);
  await (await at.ask()).answer(429, { retryAfter: 4 });
  const next = await at.ask();
  await at.pass(5_000);
  expect(next.permit).toBeDefined();
});

test('after a 503 with Retry-After one request is sent first', async () => {
  const at = stage();
  at.gate.expect(300);
  await (await at.ask()).answer(503, { retryAfter: 4 });
  await at.pass(5_000);
  expect(granted(await askMany(at, 5))).toBe(1);
});
