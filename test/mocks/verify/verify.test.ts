import { expect, test } from 'vitest';
import {
  createMockService,
  type GivenAssumptions,
  type MockServiceOptions,
} from '../../../mocks/index.js';
import { verifyService, type VerifyOptions } from '../../../mocks/verify/index.js';

const everything = {
  allow: ['posts', 'create', 'rate-limit'],
  maxRequests: 100,
  maxPets: 6,
} as const;

/** Verifies a mock service on its own virtual time. */
async function verify(
  assumptions: GivenAssumptions = {},
  options: Partial<VerifyOptions> = {},
  more: MockServiceOptions = {},
) {
  const service = createMockService({ clock: 'virtual', seed: 30, assumptions, ...more });
  const report = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'mock-free',
    fetch: service.fetch,
    clock: service.clock,
    ...options,
  });
  return { service, report };
}

test('a mock service keeps to the interface, and its assumptions are measured as they are', async () => {
  const { report } = await verify({}, everything);
  const verdicts = Object.values(report.statements).map(({ verdict }) => verdict);
  expect(new Set(verdicts)).toEqual(new Set(['holds']));
  expect(report.exitCode).toBe(0);
  expect(report.differences).toEqual([]);
  expect(report.measured.assumptions).toMatchObject({
    minuteWindow: 'fixed',
    invalidLimit: 400,
    omittedStatus: 'available',
    retryAfter: 'seconds',
  });
});

test('GET alone is sent unless more is allowed, and no 429 is provoked', async () => {
  const { service, report } = await verify();
  expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(report.rateLimited).toBe(0);
  expect(report.requests).toBe(service.requests.length);
  expect(report.requests).toBeLessThanOrEqual(40);
  expect(report.petsCreated).toEqual([]);
});

test('twenty planted assumptions are found', async () => {
  const planted: GivenAssumptions = {
    omittedStatus: 'pending',
    unknownBodyFields: 'reject',
    idAssignment: 'random',
    listOrder: 'id-descending',
    invalidLimit: { below: 422, above: 'clamp', notANumber: 'default' },
    invalidStatusFilter: 'match-none',
    unknownQuery: 'reject',
    repeatedQuery: 'last',
    invalidPetId: 422,
    otherContentType: 415,
    malformedJson: 422,
    bodyTooLarge: 400,
    unknownPathNeedsKey: false,
    storeOrders: 404,
    countingScope: 'key-and-operation',
    minuteWindow: 'sliding',
    resetMeaning: 'next-slot',
    unauthorizedCount: true,
    unauthorizedQuota: 'pro',
    retryAfter: 'http-date',
    rateLimitBody: 'none',
    dateHeader: true,
  };
  const { report } = await verify(planted, everything);
  expect(report.measured.assumptions).toMatchObject(planted);
  expect(report.differences).toEqual([]);
});

test('without a Date, a clock that is off by less than a second leaves the rounding of Retry-After open', async () => {
  for (const retryAfter of ['seconds', 'seconds-floored'] as const) {
    const { report } = await verify({ retryAfter, dateHeader: false, clockSkew: 700 }, everything);
    expect(report.assumptions.minuteWindow).toMatchObject({ verdict: 'measured', value: 'fixed' });
    expect(report.assumptions.retryAfter).toMatchObject({ verdict: 'undecided' });
  }
});
