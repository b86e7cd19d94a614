// Values that a run measures as a range, or leaves open, and what the file and the replay make of them.
import { expect, test } from 'vitest';
import {
  createMockService,
  readAssumptions,
  readAssumptionsFile,
  writeAssumptionsFile,
} from '../../../mocks/index.js';
import type { MockServiceOptions } from '../../../mocks/index.js';
import { measurableOf, type Measurable } from '../../../mocks/verify/earlier-names.js';
import { withEarlier } from '../../../mocks/verify/report/measured.js';
import { reportText } from '../../../mocks/verify/index.js';
import { everything, verifyMock } from '../../support/verified.js';

test.for<[{ min: number; max: number }, { min: number; max: number }, string]>([
  [{ min: 0, max: 0 }, { min: 0, max: 0 }, 'likely'],
  [{ min: 1, max: 200 }, { min: 1, max: 200 }, 'bounded'],
  [{ min: 0, max: 210 }, { min: 0, max: 200 }, 'bounded'],
  [{ min: 1, max: 255 }, { min: 1, max: 255 }, 'bounded'],
  [{ min: 1, max: 45 }, { min: 1, max: 40 }, 'bounded'],
  [{ min: 1, max: 18 }, { min: 1, max: 17 }, 'bounded'],
])(
  'a name of %j characters is measured as %j (%s), and at most one long name stays',
  async ([nameLength, value, sure]) => {
    const { report } = await verifyMock({ nameLength, nameCharacters: 'any' }, everything);
    expect(report.assumptions.nameLength).toMatchObject({ verdict: 'measured', value, sure });
    expect(report.petsCreated.length).toBeLessThanOrEqual(6);
    expect(report.differences).toEqual([]);
  },
);

test('a limit of names is never more than a name that was accepted, the report shows its range, and characters are judged apart from it', async () => {
  const { report } = await verifyMock(
    { nameLength: { min: 1, max: 24 } },
    { allow: ['create'], maxPets: 6 },
  );
  const created = report.recording.exchanges.flatMap(({ status, body }) =>
    status === 201 ? (JSON.parse(body!) as { name: string }).name.length : [],
  );
  expect(measurableOf(report.measured.assumptions)).toMatchObject({
    nameLength: { min: 1, max: Math.max(...created) },
    nameCharacters: 'any',
  });
  expect(reportText(report)).toContain(
    '= nameLength           {"min":1,"max":20}  bounded: max between 20 and 29; the mock by default',
  );
  expect([report.stopped, report.differences]).toEqual([undefined, []]);
});

test('a long name that is refused for the length of its body sets the limit of the body, not that of the name', async () => {
  const { report } = await verifyMock({ maxBodyBytes: 5_000, bodyTooLarge: 400 }, everything);
  expect(report.assumptions.nameLength).toMatchObject({
    value: { min: 0, max: 0 },
    sure: 'bounded',
  });
  expect(report.assumptions.maxBodyBytes).toMatchObject({ value: 10_042, sure: 'bounded' });
  expect(report.differences).toEqual([]);
});

test('with fewer than 6 pets allowed, no length of a name is tried', async () => {
  const { report } = await verifyMock({}, { ...everything, maxPets: 5 });
  expect(report.assumptions.nameLength).toMatchObject({ verdict: 'not-asked' });
  expect(report.petsCreated).toHaveLength(4);
});

test('where only some categories exist, those that pets have are measured', async () => {
  const { service, report } = await verifyMock({ categories: [1, 2, 3, 4, 5] }, everything);
  const used = new Set(service.pets.list().map(({ categoryId }) => categoryId));
  expect(report.assumptions.categories).toMatchObject({ verdict: 'measured', sure: 'bounded' });
  expect(new Set(report.measured.assumptions.categories as number[])).toEqual(used);
  expect(report.differences).toEqual([]);
});

test('a status other than 400 or 422 for a category says nothing of categories', async () => {
  const { report } = await verifyMock(
    {},
    { ...everything, allow: ['create'] },
    { faults: [{ operation: 'createPet', sequence: ['pass', { status: 409 }] }] },
  );
  expect(report.assumptions.categories).toMatchObject({ verdict: 'undecided' });
});

test.for<[MockServiceOptions['seed'], Measurable['listOrder'], string, string | undefined]>([
  [0, 'id-descending', 'undecided', undefined],
  [1, 'id-descending', 'undecided', undefined],
  [2, 'id-descending', 'undecided', 'id-descending'],
  [2, 'id-ascending', 'undecided', undefined],
  [3, 'id-descending', 'measured', 'id-descending'],
  [30, 'id-ascending', 'measured', 'id-ascending'],
  [30, 'shuffled', 'measured', 'shuffled'],
])(
  'with %j pets the order %s is %s, and the file says %s',
  async ([seed, listOrder, verdict, file]) => {
    const { report } = await verifyMock({ listOrder: listOrder! }, {}, { seed: seed! });
    expect(report.assumptions.listOrder.verdict).toBe(verdict);
    expect(report.measured.assumptions.listOrder).toBe(file);
    if (verdict === 'undecided' && file !== undefined)
      expect(report.measured.sure['listOrder']).toBe('possible');
  },
);

test.for<[number, number, object]>([
  [100, 130, { verdict: 'measured', value: 100, sure: 'certain' }],
  [60, 130, { verdict: 'measured', value: 60, sure: 'likely' }],
  [60, 30, { verdict: 'undecided' }],
])('lists of at most %i pets, with %i pets there, are %j', async ([longestList, seed, finding]) => {
  const { report } = await verifyMock({ longestList }, {}, { seed });
  expect(report.assumptions.longestList).toMatchObject(finding);
  expect(report.exitCode).toBe(0);
  expect(report.differences).toEqual([]);
});

test('a possible value goes into the file only where the default is impossible, and the mock then gives the same responses', async () => {
  const planted = {
    invalidLimit: 'clamp',
    invalidStatusFilter: 'match-none',
    listOrder: 'id-ascending',
  } as const;
  const { report } = await verifyMock(planted, {}, { seed: 0 });
  expect(report.assumptions.invalidLimit.verdict).toBe('undecided');
  expect(report.measured.sure).toMatchObject({
    invalidLimit: 'possible',
    invalidStatusFilter: 'possible',
  });
  expect(report.differences).toEqual([]);
  const { assumptions } = createMockService({
    assumptions: readAssumptions(writeAssumptionsFile(report.measured)),
  });
  expect(assumptions.answers.limitAbove).toBe('clamp');
});

test('a smaller run keeps what an earlier one knew better, unless it sees something else', async () => {
  const planted = { minuteWindow: 'sliding', resetMeaning: 'next-slot' } as const;
  const { report: large } = await verifyMock(planted, everything);
  const { report: small } = await verifyMock(planted, {}, { seed: 3 });
  const known = { minuteWindow: 'likely', resetMeaning: 'likely' };
  const before = { ...large.measured, sure: { ...large.measured.sure, ...known } };
  expect(small.measured.sure['minuteWindow']).toBe('possible');
  const file = withEarlier(small, before);
  expect(file.assumptions).toMatchObject({ ...planted, answers: before.assumptions.answers });
  expect(file.sure).toMatchObject(known);
  const fixed = { ...before, assumptions: { ...before.assumptions, minuteWindow: 'fixed' } };
  expect(withEarlier(small, fixed as typeof before).sure['minuteWindow']).toBe('possible');
});

test('a value that was only possible is no drift', async () => {
  const { report: before } = await verifyMock({ listOrder: 'id-descending' }, {}, { seed: 2 });
  const { report } = await verifyMock({ listOrder: 'shuffled' }, { recorded: before.measured });
  expect(report.drift).toEqual([]);
});

test('a run without drift says how many values it compared, and how many it did not ask for', async () => {
  const { report: before } = await verifyMock({}, everything);
  const { report } = await verifyMock({}, { recorded: before.measured });
  const { values, compared, notAsked } = report.checked!;
  const unsure = values - compared - notAsked;
  expect([compared, notAsked, unsure].every((count) => count > 0)).toBe(true);
  expect(values).toBe(Object.keys(measurableOf(before.measured.assumptions)).length);
  expect(reportText(report)).toContain(
    `Drift since the recorded run   no drift: ${compared} of ${values} values compared, ${notAsked} not asked, ${unsure} not sure enough, then or now\n`,
  );
  expect(reportText(before)).not.toContain('drift');
});

test('a run of a part does not compare the mock where the values that were left out make a difference', async () => {
  const planted = { listOrder: 'id-descending', omittedStatus: 'pending' } as const;
  const only = ['nameLength'];
  const { report } = await verifyMock(planted, { allow: ['create'], maxPets: 6, only });
  expect([report.differences, report.compared, report.exitCode]).toEqual([undefined, 0, 0]);
  expect(reportText(report)).toContain('Not compared with the mock: without the values that');
  const same = await verifyMock({}, { allow: ['create'], maxPets: 6, only });
  expect(reportText(same.report)).toMatch(/gives the same \d+ responses/);
});

test('a value that a person wrote in another form, or that says more than a run sees, is no drift', async () => {
  const planted = {
    invalidLimit: 'clamp',
    unauthorizedQuota: { perMinute: 120, perDay: 5_000 },
  } as const;
  const driftFrom = async (text: string) => {
    const recorded = readAssumptionsFile(text);
    return (await verifyMock(planted, { recorded })).report.drift.map((one) => one.assumption);
  };
  expect(
    await driftFrom(`{ "unauthorizedQuota": { "perMinute": 120, "perDay": 5000 },
      "answers": { "limitBelow": "clamp", "limitAbove": "clamp", "limitNotANumber": "ignore" } }`),
  ).toEqual([]);
  expect(
    await driftFrom(
      '{ "unauthorizedQuota": "free", "answers": { "limitBelow": { "status": 400 }, "limitNotANumber": { "status": 400 } } }',
    ),
  ).toEqual(['unauthorizedQuota', 'invalidLimit']);
});

test('a bucket that refills fast, on nodes that disagree, does not show the scope of counting', async () => {
  for (let random = 1; random <= 10; random++) {
    const { report } = await verifyMock(
      {
        countingScope: 'everyone',
        minuteWindow: 'token-bucket',
        resetMeaning: 'next-slot',
        refusedCount: true,
        unauthorizedQuota: { perMinute: 1734, perDay: 100_000 },
        nodes: { remaining: [0, 3], clock: [0, 0] },
      },
      { apiKey: 'mock-business' },
      { random, seed: 2, latency: [20, 200] },
    );
    expect(report.assumptions.countingScope).not.toMatchObject({ value: 'key-and-operation' });
  }
});

test('a Retry-After that no wait explains is measured as a constant', async () => {
  for (const retryAfter of [5, { raw: 'soon' }] as const) {
    const { report } = await verifyMock({ retryAfter }, everything);
    expect(report.assumptions.retryAfter).toMatchObject({
      verdict: 'measured',
      value: retryAfter,
      sure: 'likely',
    });
    expect(report.differences).toEqual([]);
  }
});
