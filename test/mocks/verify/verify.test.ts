import { expect, test } from 'vitest';
import { measurableOf, type Measurable } from '../../../mocks/verify/earlier-names.js';
import { reportText } from '../../../mocks/verify/index.js';
import { everything, verifyMock } from '../../support/verified.js';

test('a mock service keeps to the interface, and its assumptions are measured as they are', async () => {
  const { report } = await verifyMock({}, everything);
  const verdicts = Object.values(report.statements).map(({ verdict }) => verdict);
  expect(new Set(verdicts)).toEqual(new Set(['holds']));
  expect(report.exitCode).toBe(0);
  expect(report.differences).toEqual([]);
  expect(measurableOf(report.measured.assumptions)).toMatchObject({
    minuteWindow: 'fixed',
    invalidLimit: 400,
    omittedStatus: 'available',
    retryAfter: 'seconds',
  });
});

test('GET alone is sent unless more is allowed, and no 429 is provoked', async () => {
  const { service, report } = await verifyMock();
  expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(report.rateLimited).toBe(0);
  expect(report.requests).toBe(service.requests.length);
  expect(report.requests).toBeLessThanOrEqual(40);
  expect(report.petsCreated).toEqual([]);
});

test('twenty planted assumptions are found', async () => {
  const planted: Measurable = {
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
  const { report } = await verifyMock(planted, everything);
  expect(measurableOf(report.measured.assumptions)).toMatchObject(planted);
  expect(report.differences).toEqual([]);
});

test('without a Date, a clock that is off by less than a second leaves the rounding of Retry-After open', async () => {
  for (const retryAfter of ['seconds', 'seconds-floored'] as const) {
    const { report } = await verifyMock(
      { retryAfter, dateHeader: false, clockSkew: 700 },
      everything,
    );
    expect(report.assumptions.minuteWindow).toMatchObject({ verdict: 'measured', value: 'fixed' });
    expect(report.assumptions.retryAfter).toMatchObject({ verdict: 'undecided' });
  }
});

test('a refused request is judged by the limit that was reached, whatever the order of the cases', async () => {
  const { report } = await verifyMock({ refusedCount: true, minuteWindow: 'sliding' }, everything);
  expect(report.statements['limit.429']).toMatchObject({ verdict: 'holds' });
  expect(report.assumptions.refusedCount).toMatchObject({ verdict: 'measured', value: true });
});

test('no case is left out because of another one that holds or was not judged', async () => {
  for (const allow of [[], ['posts'], ['create'], ['rate-limit']] as const) {
    const { report } = await verifyMock({}, { allow });
    const reasons = [...Object.values(report.statements), ...Object.values(report.assumptions)].map(
      (finding) => (finding.verdict === 'not-asked' ? finding.why : ''),
    );
    expect(reasons.filter((why) => why.includes('does not hold'))).toEqual([]);
  }
});

test('a report on a key that is refused is short, and its last line says why', async () => {
  const { report } = await verifyMock({}, { apiKey: 'of-another-environment' });
  const lines = reportText(report).trimEnd().split('\n');
  expect(lines.length).toBeLessThan(12);
  expect(lines.at(-1)).toBe(
    'Inconclusive: the API key was refused with 401: check that it is a key of this environment. Exit 3.',
  );
  expect(report.statements['list.limit']).toMatchObject({
    verdict: 'not-asked',
    why: expect.stringMatching(/^the API key was refused with 401/) as string,
  });
});
