// Services that are the mock with random values of the table: what verifyService says of them is compared with what they are.
import { candidates } from '../../mocks/assumptions/assumptions.js';
import { isSame } from '../../mocks/verify/measured-file.js';
import { valueAt, withValue } from '../../mocks/verify/replay/rows.js';
import {
  createMockService,
  readAssumptions,
  writeAssumptionsFile,
  type GivenAssumptions,
  type MockService,
  type MockServiceOptions,
} from '../../mocks/index.js';
import { verifyService, type VerifyReport } from '../../mocks/verify/index.js';

/** A service, and what a run is like. */
interface Planted {
  readonly options: MockServiceOptions;
  /** How many requests the key had sent shortly before. */
  readonly used: number;
  readonly isAllowed: boolean;
  readonly hasSecondKey: boolean;
}

/** An endless sequence of services; the same one for the same seed. */
function* randomServices(seed: number): Generator<Planted, never> {
  let state = seed;
  const next = () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(next() * values.length)]!;
  for (;;) {
    let assumptions: GivenAssumptions = {
      clockSkew: pick([0, 0, 0, -120_000, 120_000, 700]),
      nodes: pick([...Array<object>(10).fill({}), { remaining: [0, 3] }, { clock: [-300, 300] }]),
    };
    // Half of the values are the defaults, as in a service that somebody wrote.
    for (const [name, values] of candidates)
      if (name !== 'answers.banned' && next() < 0.5)
        assumptions = withValue(assumptions, name, pick(values));
    if (next() < 0.1) assumptions = { ...assumptions, retryAfter: pick([120, { raw: 'soon' }]) };
    if (next() < 0.3) assumptions = withValue(assumptions, 'answers.petNotFound', { code: 'E404' });
    const plan = pick(['free', 'pro', 'business', { perMinute: 120, perDay: 5_000 }] as const);
    yield {
      options: {
        clock: 'virtual',
        now: Date.UTC(2026, 0, 1, 12) + Math.floor(next() * 60_000),
        seed: pick([0, 2, 30, 30, 130, 130]),
        latency: pick([0, 40, [20, 200] as const]),
        keys: { 'the-key': { plan }, 'other-key': { plan } },
        assumptions,
      },
      used: pick([0, 0, 0, 3]),
      isAllowed: next() < 0.5,
      hasSecondKey: next() < 0.5,
    };
  }
}

/** Verifies a service, and keeps what was asked, with the status of each answer. */
async function verifyPlanted({ options, used, isAllowed, hasSecondKey }: Planted): Promise<{
  readonly service: MockService;
  readonly report: VerifyReport;
  readonly trace: readonly string[];
}> {
  const service = createMockService(options);
  for (let request = 0; request < used; request++)
    await service.fetch('https://staging.petstore.example/v1/pets', {
      headers: { Authorization: 'Bearer the-key' },
    });
  const trace: string[] = [];
  const report = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'the-key',
    ...(hasSecondKey && { secondKey: 'other-key' }),
    fetch: async (input, init) => {
      const response = await service.fetch(input, init);
      const path = (input as string).replace(/pets\/\d+$/, 'pets/{id}');
      trace.push(`${init!.method} ${path} → ${response.status}`);
      return response;
    },
    clock: service.clock,
    ...(isAllowed && { allow: ['posts', 'create', 'rate-limit'], maxRequests: 250 }),
  });
  return { service, report, trace };
}

/** How many values of each assumption were right, open and wrong. */
export class Figures {
  readonly rows = new Map<string, { right: number; open: number; wrong: number }>();
  readonly wrong: string[] = [];

  add(service: MockService, report: VerifyReport): void {
    for (const [name, { verdict, value }] of Object.entries(report.assumptions)) {
      if (verdict === 'not asked') continue;
      if (!this.rows.has(name)) this.rows.set(name, { right: 0, open: 0, wrong: 0 });
      const row = this.rows.get(name)!;
      const truth = valueAt(service.assumptions, name);
      if (verdict === 'open') row.open++;
      else if (isRight(name, value, truth)) row.right++;
      else {
        row.wrong++;
        this.wrong.push(`${name}: ${text(value)}, is ${text(truth)}`);
      }
    }
  }

  get sum(): { right: number; open: number; wrong: number } {
    const sum = { right: 0, open: 0, wrong: 0 };
    for (const row of this.rows.values())
      for (const word of ['right', 'open', 'wrong'] as const) sum[word] += row[word];
    return sum;
  }

  /** A line for each assumption, and the sum. */
  get table(): string {
    const line = (
      name: string,
      { right, open, wrong }: { right: number; open: number; wrong: number },
    ) => name.padEnd(28) + [right, open, wrong].map((count) => String(count).padStart(7)).join('');
    return [
      `${''.padEnd(28)}  right   open  wrong`,
      ...[...this.rows].map(([name, row]) => line(name, row)),
      line('in all', this.sum),
    ].join('\n');
  }
}

/** A clock is known to a second, and the first id of a sequence is not seen. */
function isRight(name: string, value: unknown, truth: unknown): boolean {
  if (name === 'clockSkew') return Math.abs((value as number) - (truth as number)) <= 700;
  if (typeof value !== typeof truth) return false;
  return isSame(value, truth);
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_name, field: unknown) =>
    typeof field === 'bigint' ? String(field) : field,
  );

/** Verifies `count` random services. What is not as it must be is in `problems`, one a line. */
export async function verifyRandom(
  count: number,
  seed: number,
): Promise<{ figures: Figures; problems: string[]; sameTraces: number }> {
  const figures = new Figures();
  const problems: string[] = [];
  let sameTraces = 0;
  let done = 0;
  for (const planted of randomServices(seed)) {
    if (done++ === count) break;
    const { service, report, trace } = await verifyPlanted(planted);
    figures.add(service, report);
    const isQuiet = planted.isAllowed || report.rateLimited === 0;
    const isReading = planted.isAllowed || trace.every((request) => request.startsWith('GET '));
    const isPolite = service.report('the-key').offences.length === 0;
    if (!isQuiet || !isReading || !isPolite) problems.push(`${done}: ${text(planted)}`);
    if (text(report).includes('the-key')) problems.push(`${done}: the key is in the report`);
    // What was measured goes through a file into a mock, which takes it.
    createMockService({ assumptions: readAssumptions(writeAssumptionsFile(report.measured)) });
    for (const difference of report.differences ?? [])
      problems.push(`${done}: ${text(difference)}; ${text(planted)}`);
    if (report.differences?.length === 0) sameTraces++;
  }
  return { figures, problems: [...figures.wrong, ...problems], sameTraces };
}
