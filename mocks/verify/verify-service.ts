import { askAll } from './ask/run.js';
import { isPet } from './ask/exchange.js';
import { describeAsk, type Ask } from './asks.js';
import { judge } from './judge.js';
import { driftOf, measuredFile } from './measured-file.js';
import { isNamed, select } from './selection.js';
import { readSettings, type VerifyOptions } from './settings.js';
import { judgeStatements } from './statements/index.js';
import type { VerifyReport } from './types.js';

/**
 * Checks which statements of the interface hold at any implementation of the service, and measures which values of the
 * mock's assumptions fit it. The run sends one request at a time, only GET unless `allow` permits more, and at most
 * `maxRequests`. It triggers no 429 that `allow` does not permit. Then the mock responds to the same requests with every
 * candidate value: an assumption is measured if only one value gives the responses of the service.
 *
 * A run takes about 80 s, because only waiting distinguishes the kinds of windows, and 60 s more if the key was used in the
 * last minute. API keys are removed from every response when it is read. If the service cannot be checked, the report has
 * the `exitCode` 2.
 *
 * @throws TypeError for an invalid option. Nothing was sent then.
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
  const { address, clock, basePath, only } = settings;
  const asks = await select(settings);
  const began = clock.now();
  const seen = await askAll(settings, asks);
  const { exchanges, closed } = seen;
  const stopped = closed.all;
  const isWanted = (name: string) => !only || isNamed(name, only);
  const statements = judgeStatements(seen, basePath, isWanted);
  const isReached = statements['reach']!.verdict === 'holds';
  const isAsked = isReached && stopped === undefined;
  const judged = isReached ? await judge(seen, isWanted) : undefined;
  const { findings = {}, values = {}, differences } = judged ?? {};
  const measuredAt = new Date(began).toISOString();
  const drift = options.recorded && driftOf(options.recorded, findings);
  const verdicts = Object.values(statements).map(({ verdict }) => verdict);
  return {
    target: address,
    measuredAt,
    statements,
    assumptions: findings,
    requests: exchanges.length,
    rateLimited: exchanges.filter(({ answer }) => answer?.status === 429).length,
    duration: clock.now() - began,
    petsCreated: exchanges
      .filter(({ ask, answer }) => ask.method === 'POST' && Number(answer?.status) < 300)
      .map(({ answer }) => (isPet(answer?.json) ? String(answer.json.id) : 'unknown')),
    // Without the omitted values, a difference means nothing.
    differences: only ? undefined : differences,
    drift,
    stopped,
    exitCode: verdicts.includes('fails') || (drift ?? []).length > 0 ? 1 : isAsked ? 0 : 2,
    measured: measuredFile(findings, values, new URL(address).origin, measuredAt),
  };
}

/**
 * Lists the requests that {@link verifyService} would send with these options, as text, without sending anything. It needs
 * no key. Requests whose number depends on responses are not listed.
 *
 * @throws TypeError as {@link verifyService}.
 * @example
 * ```ts
 * import { plannedRequests } from 'petstore-client/mocks/verify';
 *
 * const planned = await plannedRequests({ baseUrl: 'https://staging.petstore.example', only: ['reach'] });
 * console.log(planned); // [ 'GET /pets', 'GET /pets?limit=100' ]
 * ```
 */
export async function plannedRequests(options: VerifyOptions): Promise<readonly string[]> {
  const asks = await select(readSettings({ apiKey: 'planned', ...options }));
  const when = ({ name, wait }: Ask) => {
    if (name === 'burst') return ' until one gets status 429';
    if (name === 'afterwards') return ' after the wait that it announces';
    return wait === undefined ? '' : `, ${wait / 1_000} s later`;
  };
  return asks.map((ask) => describeAsk(ask) + when(ask));
}
