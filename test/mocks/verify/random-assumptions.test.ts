// Random services on virtual time: a value that verifyService calls measured must be right. FUZZ_RUNS=1000 for a long run,
// which prints the figures; FUZZ_SEED for other services; FUZZ_SHOW=1 prints the services whose replay differs,
// each with its number; FUZZ_ONLY=35,77 runs only these.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plans } from '../../../src/contract/index.js';
import {
  createMockService,
  type MockPet,
  type MockService,
  readAssumptions,
  writeAssumptionsFile,
} from '../../../mocks/index.js';
import {
  toAssumptions,
  toMeasurable,
  type Measurable,
} from '../../../mocks/verify/earlier-names.js';
import { verifyService, type VerifyReport } from '../../../mocks/verify/index.js';

const runs = Number(process.env['FUZZ_RUNS'] ?? 12);
const only = process.env['FUZZ_ONLY']?.split(',').map(Number);

const limitAnswer = fc.constantFrom<400 | 422 | 'clamp' | 'default'>(400, 422, 'clamp', 'default');
const windowKind = fc.constantFrom<'fixed' | 'from-first' | 'sliding' | 'token-bucket'>(
  'fixed',
  'from-first',
  'sliding',
  'token-bucket',
);

/** What a service may be like: everything that can be asked, and some that cannot. */
const assumptions: fc.Arbitrary<Measurable> = fc.record(
  {
    omittedStatus: fc.constantFrom('available', 'pending', 'sold', 'absent'),
    unknownBodyFields: fc.constantFrom('ignore', 'reject'),
    idAssignment: fc.constantFrom('sequential', 'random'),
    firstId: fc.constantFrom(1, 1000, 9007199254740993n),
    categories: fc.constantFrom('any' as const, [1, 2]),
    nameLength: fc.constantFrom({ min: 0, max: 0 }, { min: 1, max: 200 }),
    longestList: fc.constantFrom(100, 100, 60),
    listOrder: fc.constantFrom('id-ascending', 'id-descending', 'shuffled'),
    invalidLimit: fc.oneof(
      limitAnswer,
      fc.record({ below: limitAnswer, above: limitAnswer, notANumber: limitAnswer }),
    ),
    invalidStatusFilter: fc.constantFrom(400, 422, 'ignore', 'match-none'),
    unknownQuery: fc.constantFrom('ignore', 'reject'),
    repeatedQuery: fc.constantFrom('first', 'last', 'reject'),
    invalidPetId: fc.constantFrom(404, 400, 422),
    otherContentType: fc.constantFrom(400, 415, 422, 'accept'),
    malformedJson: fc.constantFrom(400, 422),
    maxBodyBytes: fc.constantFrom(1_048_576, 10_000, 500_000),
    bodyTooLarge: fc.constantFrom(413, 400),
    unknownPathNeedsKey: fc.boolean(),
    storeOrders: fc.constantFrom(501, 404, 403),
    codes: fc.constantFrom({}, { petNotFound: 'E404', invalidKey: 'E401' }),
    countingScope: fc.constantFrom('key', 'key-and-operation', 'everyone'),
    minuteWindow: windowKind,
    dayWindow: windowKind,
    resetMeaning: fc.constantFrom('full', 'next-slot'),
    announcedWindow: fc.constantFrom('binding', 'minute'),
    refusedCount: fc.boolean(),
    unauthorizedCount: fc.boolean(),
    unauthorizedQuota: fc.oneof(
      fc.constantFrom('free' as const, 'pro' as const, 'business' as const),
      fc.record({ perMinute: fc.integer({ min: 8, max: 2_000 }), perDay: fc.constant(100_000) }),
    ),
    retryAfter: fc.oneof(
      fc.constantFrom(
        'seconds' as const,
        'seconds-floored' as const,
        'decimal' as const,
        'milliseconds' as const,
        'http-date' as const,
        'unix-seconds' as const,
        'unix-milliseconds' as const,
        'absent' as const,
      ),
      fc.integer({ min: 0, max: 120 }),
      fc.constantFrom({ raw: 'soon' }, { raw: '60' }),
    ),
    resetUnit: fc.constantFrom('unix-seconds', 'unix-milliseconds', 'seconds-from-now', 'absent'),
    dateHeader: fc.boolean(),
    clockSkew: fc.constantFrom(0, -120_000, 120_000, 700),
    nodes: fc.oneof(
      { weight: 4, arbitrary: fc.constant({ remaining: [0, 0], clock: [0, 0] } as const) },
      fc.constant({ remaining: [0, 3], clock: [0, 0] } as const),
      fc.constant({ remaining: [0, 0], clock: [-300, 300] } as const),
      fc.constant({ remaining: [-2, 2], clock: [-300, 300] } as const),
    ),
    rateLimitBody: fc.constantFrom('error', 'none'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Measurable>;

/** A run: the service, the plan of the key, the moment, how much the key was used before, and how slow the way is. */
const services = fc.record({
  assumptions,
  plan: fc.constantFrom('free' as const, 'pro' as const, 'business' as const, {
    perMinute: 120,
    perDay: 5_000,
  }),
  phase: fc.integer({ min: 0, max: 60_000 }),
  used: fc.constantFrom(0, 0, 0, 3),
  pets: fc.constantFrom(0, 2, 30, 30, 130),
  latency: fc.constantFrom<number | readonly [number, number]>(0, 40, [20, 200]),
  more: fc.boolean(),
});

type Planted = typeof services extends fc.Arbitrary<infer T> ? T : never;

async function verify({ assumptions: planted, plan, phase, used, pets, latency, more }: Planted) {
  const service = createMockService({
    clock: 'virtual',
    now: Date.UTC(2026, 0, 1, 12) + phase,
    seed: pets,
    latency,
    keys: { 'the-key': { plan } },
    assumptions: toAssumptions(planted),
  });
  for (let request = 0; request < used; request++)
    await service.fetch('https://staging.petstore.example/v1/pets', {
      headers: { Authorization: 'Bearer the-key' },
    });
  const report = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'the-key',
    fetch: service.fetch,
    clock: service.clock,
    ...(more && { allow: ['posts', 'create', 'rate-limit'], maxRequests: 250, maxPets: 6 }),
  });
  return { service, report };
}

/** Values that are given in another form, or in part, where they mean the same. */
function isRight(
  name: string,
  value: unknown,
  planted: unknown,
  sure: string,
  pets: readonly MockPet[],
): boolean {
  if (sure === 'bounded' || sure === 'partly') return isNear(name, value, planted, pets);
  if (name === 'codes')
    return Object.entries(value as object).every(
      ([rule, code]) => (planted as Record<string, unknown>)[rule] === code,
    );
  if (name === 'retryAfter' && typeof value === 'number')
    return planted === value || (planted as { raw?: string }).raw === String(value);
  if (name === 'invalidLimit') return text(threeKinds(value)) === text(threeKinds(planted));
  return text(value) === text(planted);
}

function threeKinds(value: unknown): unknown {
  const { below, above, notANumber } =
    typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : { below: value, above: value, notANumber: value };
  // A text cannot be brought into bounds: it is as if it were left out.
  return [below, above, notANumber === 'clamp' ? 'default' : notANumber];
}

function isNear(name: string, value: unknown, planted: unknown, pets: readonly MockPet[]): boolean {
  if (name === 'clockSkew') return Math.abs((value as number) - (planted as number)) <= 700;
  if (name === 'maxBodyBytes') return (value as number) >= (planted as number);
  if (name === 'nameLength') {
    const [is, was] = [value, planted] as { min: number; max: number }[];
    return is!.min === was!.min && (is!.max === 0 || (was!.max > 0 && is!.max <= was!.max));
  }
  if (name === 'categories') {
    const used = [...(planted as number[]), ...pets.map(({ categoryId }) => categoryId)];
    return planted !== 'any' && (value as number[]).every((one) => used.includes(one));
  }
  if (name === 'unauthorizedQuota') return perMinuteOf(value) === perMinuteOf(planted);
  if (name === 'enterpriseQuota') return perMinuteOf(value) > 0;
  if (name !== 'nodes') return false;
  const [least, most] = (value as { remaining: [number, number] }).remaining;
  const spread = (planted as { remaining: [number, number] }).remaining;
  return most - least <= spread[1] - spread[0];
}

function perMinuteOf(quota: unknown): number {
  const known = typeof quota === 'string' ? plans[quota as 'free'] : quota;
  return (known as { perMinute: number }).perMinute;
}

function text(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'bigint' ? String(field) : field,
  );
}

interface Figures {
  /** How many values of each assumption were right, wrong and left open. */
  readonly count: Map<string, { right: number; wrong: number; open: number }>;
  readonly wrong: string[];
  equal: number;
  traces: number;
}

function judge(planted: Planted, service: MockService, report: VerifyReport, all: Figures): void {
  const truth = toMeasurable(service.assumptions);
  for (const [name, finding] of Object.entries(report.assumptions)) {
    if (!all.count.has(name)) all.count.set(name, { right: 0, wrong: 0, open: 0 });
    const count = all.count.get(name)!;
    if (finding.verdict === 'undecided' || finding.verdict === 'beyond') count.open++;
    if (finding.verdict !== 'measured') continue;
    const value = truth[name as keyof Measurable];
    if (isRight(name, finding.value, value, finding.sure, service.pets.list())) count.right++;
    else {
      count.wrong++;
      all.wrong.push(
        `${name}: ${text(finding.value)} ${finding.sure}, is ${text(value)}; ${finding.evidence.join('; ')}; ${text(planted)}`,
      );
    }
  }
}

/** A line for each assumption, and the totals. */
function table({ count, equal, traces }: Figures, done: number): string {
  const row = (name: string, ...cells: readonly unknown[]) =>
    name.padEnd(22) + cells.map((cell) => String(cell).padStart(7)).join('');
  const rows = [...count].map(([name, { right, wrong, open }]) => row(name, right, wrong, open));
  const sum = (field: 'right' | 'wrong' | 'open') =>
    [...count.values()].reduce((total, one) => total + one[field], 0);
  return [
    row(`${done} services`, 'right', 'wrong', 'open'),
    ...rows,
    row('in all', sum('right'), sum('wrong'), sum('open')),
    `the mock with the measured values gives the same trace: ${equal} of ${traces}`,
  ].join('\n');
}

/** What single services have had that the replay did not give in the same way. */
const former: readonly (readonly [string, Partial<Planted>, Measurable])[] = [
  [
    'a limit that is reached at the edge of a window',
    { plan: { perMinute: 120, perDay: 5_000 }, phase: 55_622, pets: 0, latency: [20, 200] },
    {
      retryAfter: 53,
      resetUnit: 'absent',
      dateHeader: false,
      countingScope: 'everyone',
      idAssignment: 'random',
      firstId: 1000,
      listOrder: 'shuffled',
      nameLength: { min: 1, max: 200 },
      otherContentType: 422,
      storeOrders: 404,
      unauthorizedQuota: 'pro',
      rateLimitBody: 'none',
      invalidLimit: { below: 'clamp', above: 422, notANumber: 'clamp' },
      invalidStatusFilter: 'ignore',
      repeatedQuery: 'last',
      announcedWindow: 'minute',
      nodes: { remaining: [0, 0], clock: [0, 0] },
    },
  ],
  [
    'a 429 before the windows are known',
    { phase: 59_994, used: 3, pets: 2, latency: [20, 200] },
    { retryAfter: 'unix-milliseconds', resetUnit: 'absent', minuteWindow: 'from-first' },
  ],
  [
    'a constant Retry-After that only another way of counting makes seconds',
    { phase: 48_331 },
    {
      retryAfter: 32,
      resetUnit: 'absent',
      dateHeader: false,
      unknownPathNeedsKey: false,
      storeOrders: 403,
    },
  ],
  [
    'a date in Retry-After by a clock that is not known',
    { phase: 59_989, used: 3, latency: 40 },
    {
      retryAfter: 'http-date',
      resetUnit: 'seconds-from-now',
      dateHeader: false,
      clockSkew: -120_000,
      countingScope: 'everyone',
      unknownPathNeedsKey: false,
    },
  ],
  [
    'a constant Retry-After, of which only one wait is known',
    { phase: 4, used: 3, latency: 40 },
    {
      retryAfter: 82,
      resetUnit: 'absent',
      dateHeader: false,
      clockSkew: 120_000,
      minuteWindow: 'sliding',
      resetMeaning: 'next-slot',
      countingScope: 'everyone',
      unauthorizedCount: true,
      refusedCount: true,
      unknownPathNeedsKey: false,
      storeOrders: 404,
    },
  ],
  [
    'an unknown path without a key, which is counted with all others',
    { plan: 'pro', phase: 11, used: 3, pets: 0, latency: [20, 200] },
    {
      countingScope: 'everyone',
      minuteWindow: 'sliding',
      unknownPathNeedsKey: false,
      storeOrders: 403,
      resetUnit: 'seconds-from-now',
      dateHeader: false,
      clockSkew: -120_000,
      unauthorizedQuota: { perMinute: 17, perDay: 100_000 },
      retryAfter: 'absent',
    },
  ],
  [
    'a window whose end is not known without a Date',
    { phase: 16_083, pets: 130, latency: 40 },
    {
      nameLength: { min: 1, max: 200 },
      firstId: 1000,
      listOrder: 'shuffled',
      invalidLimit: { below: 422, above: 'default', notANumber: 'clamp' },
      bodyTooLarge: 400,
      unknownPathNeedsKey: false,
      minuteWindow: 'from-first',
      resetMeaning: 'next-slot',
      announcedWindow: 'minute',
      refusedCount: true,
      unauthorizedCount: true,
      unauthorizedQuota: { perMinute: 14, perDay: 100_000 },
      retryAfter: 97,
      resetUnit: 'absent',
      dateHeader: false,
      clockSkew: 0,
    },
  ],
];

test.for(former)('the replay gives the same responses for %s', async ([, more, assumptions]) => {
  const planted: Planted = {
    assumptions,
    plan: 'free',
    phase: 0,
    used: 0,
    pets: 30,
    latency: 0,
    more: true,
    ...more,
  };
  const { report } = await verify(planted);
  expect(report.differences).toEqual([]);
});

test('without a Reset, nodes that disagree about Remaining are not measured as a bucket', async () => {
  const { report } = await verify({
    assumptions: {
      idAssignment: 'sequential',
      categories: [1, 2],
      listOrder: 'id-descending',
      invalidStatusFilter: 'ignore',
      unknownQuery: 'reject',
      otherContentType: 'accept',
      malformedJson: 422,
      unknownPathNeedsKey: false,
      storeOrders: 403,
      countingScope: 'key-and-operation',
      dayWindow: 'from-first',
      resetMeaning: 'next-slot',
      unauthorizedCount: true,
      unauthorizedQuota: { perMinute: 1780, perDay: 100_000 },
      retryAfter: { raw: '60' },
      resetUnit: 'absent',
      clockSkew: -120_000,
      nodes: { remaining: [0, 3], clock: [0, 0] },
      rateLimitBody: 'none',
    },
    plan: { perMinute: 120, perDay: 5_000 },
    phase: 48_975,
    used: 0,
    pets: 0,
    latency: 0,
    more: true,
  });
  expect(report.assumptions.minuteWindow).toMatchObject({
    verdict: 'undecided',
    why: expect.stringMatching(/^without X-RateLimit-Reset/) as string,
  });
});

test(`in ${runs} random services every measured value is right, and every run ends`, async () => {
  const figures: Figures = { count: new Map(), wrong: [], equal: 0, traces: 0 };
  const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
  for (const [done, planted] of fc.sample(services, { numRuns: runs, seed }).entries()) {
    if (only && !only.includes(done)) continue;
    if (done > 0 && done % 100 === 0) console.log(table(figures, done));
    const { service, report } = await verify(planted);
    judge(planted, service, report, figures);
    // Without leave, no request is refused for the quota, and none but GET is sent.
    if (!planted.more) {
      expect([text(planted), report.rateLimited]).toEqual([text(planted), 0]);
      expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
    }
    expect([text(planted), service.report('the-key').offences]).toEqual([text(planted), []]);
    expect(text([report.recording, report.petsCreated])).not.toContain('the-key');
    // What was measured goes through a file into a mock, which takes it.
    const file = writeAssumptionsFile(report.measured);
    createMockService({ assumptions: readAssumptions(file) });
    if (report.differences) {
      figures.traces++;
      if (report.differences.length === 0) figures.equal++;
      else if (process.env['FUZZ_SHOW']) console.log(text([done, planted, report.differences]));
    }
  }
  if (process.env['FUZZ_RUNS']) console.log(table(figures, runs));
  expect(figures.wrong).toEqual([]);
}, 3_600_000);
