import { expect, test } from 'vitest';
import {
  readAssumptionsFile,
  writeAssumptionsFile,
  type MockServiceOptions,
} from '../../../mocks/index.js';
import { plannedRequests, reportText, type Permit } from '../../../mocks/verify/index.js';
import { changed, everything, verifyMock } from '../../support/verified.js';
import { fc } from '../../support/fuzz.js';

test('a mock service keeps to the interface, and its assumptions are measured as they are', async () => {
  const { report } = await verifyMock({}, { ...everything, secondKey: 'mock-pro' });
  const verdicts = Object.values(report.statements).map(({ verdict }) => verdict);
  expect(new Set(verdicts)).toEqual(new Set(['holds']));
  expect([report.exitCode, report.differences]).toEqual([0, []]);
  expect(reportText(report)).toMatch(/\nBy default the mock differs here in: nothing.*\n$/);
});

/** Others are planted, each candidate once, in assumptions-doc.test.ts. */
const planted = {
  minuteWindow: 'sliding',
  resetMeaning: 'next-slot',
  retryAfter: 'http-date',
  answers: { limitBelow: { status: 422, code: 'E422' }, rateLimited: { body: false } },
} as const;

test('planted assumptions are found, and the last line names what differs from the mock by default', async () => {
  const { report } = await verifyMock(planted, everything, { seed: 130 });
  expect(report.measured.assumptions).toMatchObject(planted);
  expect([report.differences, report.measured.open]).toEqual([[], []]);
  expect(reportText(report)).toMatch(
    /\nBy default the mock differs here in: .*minuteWindow.*answers\.limitBelow/,
  );
  const file = writeAssumptionsFile(report.measured);
  expect(readAssumptionsFile(file).assumptions).toMatchObject(planted);
});

test('without leave GET alone is sent, at most 40 requests, no 429 is provoked, and what was not asked names the flag that would ask it', async () => {
  const { service, report } = await verifyMock();
  expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect([report.rateLimited, report.petsCreated]).toEqual([0, []]);
  expect(report.requests).toBe(service.requests.length);
  expect(report.requests).toBeLessThanOrEqual(40);
  const planned = await plannedRequests({ baseUrl: 'https://staging.petstore.example' });
  expect(planned.filter((request) => !request.startsWith('GET '))).toEqual([]);
  const reasons = Object.values(report.assumptions).flatMap(({ verdict, why }) =>
    verdict === 'not asked' ? [why!] : [],
  );
  for (const flag of ['--allow-posts', '--allow-create', '--allow-rate-limit'])
    expect(reasons.some((why) => why.includes(flag))).toBe(true);
  expect(report.statements['create.201-echo']).toMatchObject({
    verdict: 'not judged',
    why: expect.stringContaining('--allow-create') as string,
  });
});

test('with only, nothing holds that was not looked at, and a statement about all answers is not judged', async () => {
  const { report } = await verifyMock({}, { only: ['list', 'answer', 'answers.limitBelow'] });
  const holding = Object.entries(report.statements).flatMap(([name, { verdict }]) =>
    verdict === 'holds' ? [name] : [],
  );
  expect(holding).toEqual([
    'reach',
    'list.array',
    'list.limit-100',
    'list.default-20',
    'list.limit',
    'list.status-filter',
  ]);
  expect(report.statements['answer.json']!.why).toContain('only some requests were sent');
  expect(Object.keys(report.assumptions)).toEqual(['answers.limitBelow']);
  expect(report.requests).toBeLessThan(10);
  expect(report.exitCode).toBe(0);
});

test('no run sends more than maxRequests, whatever else is allowed', async () => {
  const permits: readonly Permit[] = ['posts', 'create', 'rate-limit'];
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...permits]),
      fc.integer({ min: 1, max: 150 }),
      fc.constantFrom(10, 60, 200),
      async (allow, maxRequests, perMinute) => {
        const keys = { 'my-key': { plan: { perMinute, perDay: 10_000 } } };
        const options = { apiKey: 'my-key', allow, maxRequests };
        const { service, report } = await verifyMock({}, options, { keys });
        expect(service.requests.length).toBeLessThanOrEqual(maxRequests);
        expect(report.requests).toBe(service.requests.length);
      },
    ),
    { numRuns: 4, examples: [[['rate-limit'], 45, 60]] },
  );
});

test('the default cap is enough for all that is allowed on the Free plan, and a larger limit is left alone', async () => {
  const { report } = await verifyMock({}, { allow: everything.allow });
  expect(report.stopped).toBeUndefined();
  expect(report.statements['limit.true']).toMatchObject({ verdict: 'holds' });
  const { report: small } = await verifyMock({}, { allow: ['rate-limit'], maxRequests: 60 });
  expect(small.rateLimited).toBe(0);
  expect(small.statements['limit.429']!.why).toMatch(
    /^it takes \d+ requests to reach the limit, and --max-requests leaves \d+$/,
  );
});

const descending = { listOrder: 'id-descending' } as const;
const of30 = { seed: 30 };
// Nothing without a Date shows how Retry-After is rounded, nor where a window ends between the earliest and the latest time of the 429.
const undated = { dateHeader: false };
const late = { now: Date.UTC(2026, 0, 1, 12, 0, 38), latency: 40 };
const rounded = ['seconds', 'seconds-floored'];
test.for<[object, MockServiceOptions, string, (readonly unknown[] | undefined)?, true?]>([
  [descending, { seed: 0 }, 'listOrder', ['id-ascending', 'id-descending', 'shuffled']],
  [descending, { seed: 2 }, 'listOrder', ['id-descending', 'shuffled']],
  [{ longestList: 60 }, of30, 'longestList', [100, 50, 30]],
  [{ resetUnit: 'absent', minuteWindow: 'token-bucket' }, of30, 'minuteWindow'],
  [{ ...undated, clockSkew: 700 }, of30, 'retryAfter', rounded, true],
  [undated, late, 'retryAfter', undefined, true],
])('with %j and %j, %s is open', async ([assumptions, more, name, among, isAll]) => {
  const { report } = await verifyMock(assumptions, isAll && everything, more);
  expect(report.assumptions[name]).toMatchObject({ verdict: 'open', ...(among && { among }) });
  expect(report.differences).toEqual([]);
});

test('a body that is refused for its content says nothing of the longest body', async () => {
  const { report } = await verifyMock({ maxBodyBytes: 10_000_000 }, everything);
  for (const name of ['maxBodyBytes', 'answers.bodyTooLarge'])
    expect(report.assumptions[name]).toMatchObject({ verdict: 'open' });
  expect(report.differences).toEqual([]);
  expect(report.measured.assumptions.maxBodyBytes).toBeGreaterThan(1_048_577);
});

test('where every new pet is refused, it is open whether a field that NewPet does not have is', async () => {
  const { report } = await verifyMock({ categories: [5] }, everything);
  const among = ['ignore', { status: 400 }];
  expect(report.assumptions['answers.unknownBodyField']).toMatchObject({ verdict: 'open', among });
});

test('an open value goes into the file only where the default is impossible, and is no drift later', async () => {
  const { report } = await verifyMock(descending, {}, { seed: 2 });
  expect(report.measured).toMatchObject({
    assumptions: descending,
    open: ['listOrder'],
  });
  const { report: later } = await verifyMock({}, { recorded: report.measured });
  expect([later.drift, later.exitCode]).toEqual([[], 0]);
});

test('a value that has changed is drift, also of a file that a person wrote', async () => {
  const recorded = readAssumptionsFile(
    '{ "minuteWindow": "fixed", "listOrder": "shuffled", "answers": { "limitBelow": { "status": 422 } } }',
  );
  const { report } = await verifyMock({ answers: { limitBelow: { status: 422 } } }, { recorded });
  expect(report.drift).toEqual([{ assumption: 'listOrder', was: 'shuffled', is: 'id-ascending' }]);
  expect(report.exitCode).toBe(1);
  expect(reportText(report)).toContain('✗ listOrder  was shuffled, is id-ascending');
});

test('a Retry-After that is a text of its own is measured', async () => {
  const { report } = await verifyMock({ retryAfter: { raw: 'soon' } }, everything);
  expect(report.measured.assumptions.retryAfter).toEqual({ raw: 'soon' });
});

test.each(['fixed', 'from-first', 'sliding', 'token-bucket'] as const)(
  'the window kind %s of a service that takes seconds to respond is measured, although requests are in flight when the window ends',
  async (minuteWindow) => {
    const { report } = await verifyMock({ minuteWindow }, {}, { latency: 2_500 });
    const measured = { verdict: 'measured', value: minuteWindow };
    expect(report.assumptions['minuteWindow']).toMatchObject(measured);
  },
);

/** A key that may send as many requests a minute, and fewer than a run needs a day. */
const shortDay = { keys: { 'short-day': { plan: { perMinute: 60, perDay: 45 } } } };

test.each([
  ['without a Date', { dateHeader: false, resetUnit: 'unix-milliseconds' }],
  ['with the Reset of the minute', { announcedWindow: 'minute' }],
] as const)(
  'after a 429 for the day %s, its Retry-After in seconds is not taken for milliseconds: no request follows',
  async (_when, assumptions) => {
    const { service, report } = await verifyMock(
      assumptions,
      { ...everything, apiKey: 'short-day' },
      { ...shortDay, now: '2026-01-01T12:00:20Z' },
    );
    expect(report.rateLimited).toBe(1);
    expect(service.report('short-day').duringCoolDown).toBe(0);
    expect(report.statements['limit.true']!.verdict).toBe('not judged');
  },
);

test('a value is open where the service does something that hides it: no counting, an outage, no 401, a quota of the day', async () => {
  const open = async (...given: Parameters<typeof verifyMock>) =>
    Object.entries((await verifyMock(...given)).report.assumptions).flatMap(
      ([name, { verdict, why }]) => (verdict === 'open' ? [[name, why]] : []),
    );
  for (const minuteWindow of ['fixed', 'sliding'] as const)
    expect(await open({ minuteWindow }, {}, { limits: 'off', latency: 2_500 })).toContainEqual([
      'minuteWindow',
      'Remaining never falls',
    ]);
  const outage = { operation: 'listPets', sequence: ['pass', { status: 503 }] } as const;
  expect(await open({}, {}, { seed: 2, faults: [outage] })).toContainEqual([
    'listOrder',
    'the answers fit these',
  ]);
  expect(await open({ answers: { missingKey: { status: 404 } } })).toContainEqual([
    'unknownPathNeedsKey',
    'a request without a key is not answered 401',
  ]);
  expect(await open({ unauthorizedQuota: { perMinute: 60, perDay: 2 } })).toContainEqual([
    'unauthorizedQuota',
    'the headers report the day, whose limit is nearer than that of the minute',
  ]);
});

test('an outage in place of the only 429 hides neither the window nor where requests are counted', async () => {
  const outage = changed(({ status }) => (status === 429 ? { status: 503 } : undefined));
  const { report } = await verifyMock({ minuteWindow: 'from-first' }, everything, {}, outage);
  for (const [name, value] of [
    ['minuteWindow', 'from-first'],
    ['countingScope', 'key'],
  ])
    expect(report.assumptions[name!]).toMatchObject({ verdict: 'measured', value });
});

test.for<[string, MockServiceOptions]>([
  ['names of letters', { assumptions: { name: /[A-Za-z ]+/ } }],
  ['five as its only category', { assumptions: { categories: [5] } }],
  ['getPet removed, on the day that the interface names', { now: '2030-12-06T12:00:00Z' }],
])(
  'a service with %s breaks no statement of the interface',
  async ([, { assumptions, ...options }]) => {
    const { report } = await verifyMock(assumptions, { allow: ['create'] }, options);
    expect([report.exitCode, report.drift]).toEqual([0, undefined]);
    expect(report.statements['create.201-echo']!.verdict).toBe(
      assumptions ? 'not judged' : 'holds',
    );
  },
);

test('a clock that is measured again is no drift within a second', async () => {
  const first = await verifyMock({ clockSkew: 3_600_000 });
  for (const [by, count] of [
    [700, 0],
    [3_000, 1],
  ] as const) {
    const recorded = first.report.measured;
    const { report } = await verifyMock({ clockSkew: 3_600_000 + by }, { recorded });
    expect([recorded.assumptions.clockSkew, report.drift]).toEqual([
      expect.any(Number),
      Array(count).fill(expect.objectContaining({ assumption: 'clockSkew' })),
    ]);
  }
});
