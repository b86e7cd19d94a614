import type { GivenAssumptions } from '../assumptions/assumptions.js';
import { answerOf, petsOf } from './ask/exchange.js';
import { Run, type Seen } from './ask/run.js';
import { describeAsk, type Ask } from './asks.js';
import { judge, type Judged } from './judge.js';
import { driftOf, measuredFile } from './measured-file.js';
import { allCountings, narrow, nextProbe, samplesOf } from './replay/counting.js';
import { infer } from './replay/infer.js';
import { isNamed, select, type Selection } from './selection.js';
import { readSettings, type Settings } from './settings.js';
import { judgeStatements } from './statements/index.js';
import type { StatementFinding, VerifyOptions, VerifyReport } from './types.js';

/**
 * Asks any implementation of the service which statements of the interface hold, and which value each of the mock's
 * assumptions has there. One request is in flight at a time, with GET alone unless `allow` says otherwise, never more than
 * `maxRequests`, and never into a 429 that was not asked for. Then the mock answers the same requests with every candidate
 * value: an assumption is measured where only one value answers as the service does.
 *
 * Takes up to about 80 s, because windows of a minute can only be distinguished by waiting. API keys are taken out of every
 * answer as it is read. A service that cannot be asked gives a report too: `exitCode` 2.
 *
 * @throws TypeError or RangeError for an option that cannot be. Nothing was sent then.
 * @example
 * ```ts
 * import { createMockService } from 'petstore-client/mocks';
 * import { verifyService } from 'petstore-client/mocks/verify';
 *
 * const service = createMockService({ clock: 'virtual', seed: 30, assumptions: { minuteWindow: 'sliding' } });
 * const report = await verifyService({
 *   baseUrl: 'https://staging.petstore.example',
 *   apiKey: 'mock-free',
 *   fetch: service.fetch,
 *   clock: service.clock,
 * });
 * console.log(report.exitCode, report.assumptions['minuteWindow']?.verdict); // 0 measured
 * ```
 */
export async function verifyService(options: VerifyOptions): Promise<VerifyReport> {
  const settings = readSettings(options);
  const { sender, origin, basePath, only } = settings;
  const selection = await select(settings);
  const began = sender.now();
  const { seen, ways } = await askAll(settings, selection, options.onProgress);
  const { exchanges, stopped, petsCreated } = seen;
  const isWanted = (name: string) => !only || isNamed(name, only);
  const statements = judgeStatements(seen, basePath, isWanted);
  const isReached = petsOf(answerOf(exchanges, 'list')) !== undefined;
  const judged: Judged | undefined = isReached ? await judge(seen, ways) : undefined;
  const findings = Object.fromEntries(
    Object.entries(judged?.findings ?? {}).filter(([name]) => isWanted(name)),
  );
  const measuredAt = new Date(began).toISOString();
  const { recorded } = options;
  const drift = recorded && driftOf(recorded, findings);
  return {
    target: sender.address,
    measuredAt,
    statements,
    assumptions: findings,
    requests: exchanges.length,
    rateLimited: exchanges.filter(({ answer }) => answer?.status === 429).length,
    duration: sender.now() - began,
    petsCreated,
    // Without the values that were left out, a difference says nothing.
    differences: only ? undefined : judged?.differences,
    drift,
    stopped,
    exitCode: exitCodeOf(statements, stopped, (drift ?? []).length > 0),
    measured: measuredFile(findings, judged?.values ?? {}, origin, measuredAt),
  };
}

/** Sends what is selected. The ways of counting that are left say when one more request is worth it. */
async function askAll(
  settings: Settings,
  { asks, isCounted }: Selection,
  onProgress: VerifyOptions['onProgress'] = () => {},
): Promise<{ seen: Seen; ways: readonly GivenAssumptions[] }> {
  let ways: readonly GivenAssumptions[] = allCountings;
  let values: GivenAssumptions | undefined;
  const seen = await new Run(settings, onProgress).ask(
    asks,
    !isCounted
      ? undefined
      : async (exchanges, sent) => {
          const samples = samplesOf(exchanges);
          if (samples.limit === undefined) return undefined;
          values ??= (await infer(exchanges)).values;
          ways = await narrow(ways, samples, values);
          return nextProbe(ways, samples, sent);
        },
  );
  return { seen, ways };
}

function exitCodeOf(
  statements: Readonly<Record<string, StatementFinding>>,
  stopped: string | undefined,
  hasDrift: boolean,
): VerifyReport['exitCode'] {
  const verdicts = Object.values(statements).map(({ verdict }) => verdict);
  if (verdicts.includes('fails') || hasDrift) return 1;
  return stopped !== undefined || statements['reach']!.verdict !== 'holds' ? 2 : 0;
}

/**
 * The requests that {@link verifyService} would send with these options, in words, without sending anything. Needs no key.
 * Those whose number depends on the answers are not among them.
 *
 * @throws TypeError or RangeError as {@link verifyService}.
 * @example
 * ```ts
 * import { plannedRequests } from 'petstore-client/mocks/verify';
 *
 * const planned = await plannedRequests({ baseUrl: 'https://staging.petstore.example', only: ['reach'] });
 * console.log(planned); // [ 'GET /pets', 'GET /pets?limit=100' ]
 * ```
 */
export async function plannedRequests(options: VerifyOptions): Promise<readonly string[]> {
  const { asks, isCounted } = await select(readSettings({ apiKey: 'planned', ...options }));
  const more = isCounted
    ? ['GET /pets?limit=1, up to 5 times, to see how the minute is counted']
    : [];
  const describe = (ask: Ask) =>
    ask.name === 'burst'
      ? 'GET /pets?limit=1 until one gets status 429, and once more'
      : describeAsk(ask);
  return [...asks.map(describe), ...more];
}
