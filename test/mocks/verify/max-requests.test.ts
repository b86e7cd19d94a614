// The cap on requests: whatever else a run is allowed, it sends no more than that.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { verifyService, type Permit, type Progress } from '../../../mocks/verify/index.js';

async function verify(allow: readonly Permit[], maxRequests?: number, perMinute = 60) {
  const service = createMockService({
    clock: 'virtual',
    seed: 30,
    keys: { 'my-key': { plan: { perMinute, perDay: 10_000 } } },
  });
  const progress: Progress[] = [];
  const report = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'my-key',
    fetch: service.fetch,
    clock: service.clock,
    allow,
    ...(maxRequests !== undefined && { maxRequests }),
    onProgress: (now) => progress.push(now),
  });
  expect(report.requests).toBe(service.requests.length);
  return { report, progress };
}

test('no run sends more than maxRequests, whatever else is allowed, and its progress never shows more', async () => {
  const permits: readonly Permit[] = ['posts', 'create', 'rate-limit'];
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...permits]),
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(10, 30, 60, 200),
      async (allow, cap, perMinute) => {
        const { report, progress } = await verify(allow, cap, perMinute);
        expect(report.requests).toBeLessThanOrEqual(cap);
        for (const { requests, maxRequests } of progress) {
          expect(maxRequests).toBe(cap);
          expect(requests).toBeLessThanOrEqual(cap);
        }
      },
    ),
    { numRuns: 12, examples: [[['rate-limit'], 45, 60]] },
  );
});

test('the default cap is enough for all that is allowed on the Free plan', async () => {
  const { report } = await verify(['posts', 'create', 'rate-limit']);
  expect(report.stopped).toBeUndefined();
  expect(report.statements['limit.true']).toMatchObject({ verdict: 'holds' });
  expect(report.measured.assumptions.retryAfter).toBe('seconds');
  expect(report.requests).toBeGreaterThan(120);
});

test('a limit that the cap does not suffice to reach is left alone, and the report says what it takes', async () => {
  const { report } = await verify(['rate-limit'], 60);
  expect(report.rateLimited).toBe(0);
  expect(report.requests).toBeLessThan(50);
  expect(report.statements['limit.429']).toMatchObject({
    verdict: 'undecided',
    why: expect.stringMatching(
      /^it takes \d+ requests to reach the limit, and --max-requests leaves \d+ of 60$/,
    ) as string,
  });
  expect(report.exitCode).toBe(0);
});
