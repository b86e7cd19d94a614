import { fitWindows } from './windows/fit.js';
import { compareWithMock, type Comparison } from './judges/compare.js';
import { judgeCases, type Findings } from './judges/judge.js';
import { judgeRetryAfter } from './judges/retry-after.js';
import { answered, answerOf, petsOf, type Case, type Known } from './case.js';
import { cases } from './cases/index.js';
import * as ask from './cases/asks.js';
import { describeAsk } from './ask/request.js';
import { driftOf, measuredFile } from './report/measured.js';
import { recordingOf } from './report/recording.js';
import { pathRules, Run } from './run.js';
import { isNamed, isSelected } from './selection.js';
import { readSettings, type Settings } from './settings.js';
import type { Permit, VerifyOptions, VerifyReport } from './types.js';

/**
 * Asks any implementation of the service which statements of the interface hold, and which value each of the mock's
 * assumptions has there. One request is in flight at a time, with GET alone unless `allow` says otherwise, never more than
 * `maxRequests`, and never into a 429 that was not asked for. The windows are fitted by replaying the recorded times into the
 * mock; at the end the mock, set to what was measured, answers the same requests, and the report lists what differs.
 *
 * Takes up to about 70 s, because windows of a minute can only be distinguished by waiting. API keys are taken out of every
 * answer as it is read. A run that cannot reach the service gives a report too: `exitCode` 3.
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
 * console.log(report.exitCode, report.assumptions.minuteWindow.verdict); // 0 measured
 * ```
 */
export async function verifyService(options: VerifyOptions): Promise<VerifyReport> {
  const settings = readSettings(options);
  checkAsked(settings);
  const { sender } = settings;
  const began = sender.now();
  const excluded = (one: Case) => whyExcluded(one, settings);
  const asked = cases.filter((one) => excluded(one) === undefined);
  const run = new Run(settings, asked, options.onProgress ?? (() => {}));
  const isReached = (known: Known) => petsOf(answerOf(known, ask.list)) !== undefined;
  await run.ask(isReached);

  const { known: unfitted, stopped, postsEnded, petsCreated } = run.seen;
  const fit = await fitWindows(unfitted, pathRules(unfitted));
  const known: Known = { ...unfitted, fit };
  const findings = judgeCases(cases, known, { excluded, stopped, postsEnded });
  const measuredAt = new Date(began).toISOString();
  const retryAfter = judgeRetryAfter(known, fit.nearest?.waits);
  const measured = measuredFile(findings, fit, retryAfter, settings.origin, measuredAt);
  const replayed: Comparison | undefined = isReached(known)
    ? await compareWithMock(known, measured.assumptions, fit)
    : undefined;
  // Without the values that were left out, a difference says nothing.
  const compared = settings.only && replayed?.differences.length ? undefined : replayed;
  const { drift, checked } = options.recorded
    ? driftOf(options.recorded, measured, findings)
    : { drift: [], checked: undefined };
  return {
    target: sender.address,
    measuredAt,
    ...findings,
    requests: known.exchanges.length,
    rateLimited: answered(known).filter(({ answer }) => answer.status === 429).length,
    duration: sender.now() - began,
    petsCreated,
    differences: compared?.differences,
    compared: compared?.compared ?? 0,
    drift,
    checked,
    stopped,
    exitCode: exitCodeOf(findings, drift.length > 0, stopped),
    measured,
    recording: recordingOf(known.exchanges, settings.origin, settings.basePath),
  };
}

/** What a case would send. */
export interface PlannedCase {
  /** The name of the case. */
  readonly name: string;
  /** Its requests, in words. Requests that depend on answers are not among them. */
  readonly requests: readonly string[];
}

/**
 * What {@link verifyService} would send with these options, case by case, without sending anything. Needs no key. A request
 * that several cases ask for is sent once.
 *
 * @throws TypeError or RangeError as {@link verifyService}.
 * @example
 * ```ts
 * import { plannedRequests } from 'petstore-client/mocks/verify';
 *
 * const planned = plannedRequests({ baseUrl: 'https://staging.petstore.example', only: ['reach'] });
 * console.log(planned); // [ { name: 'reach', requests: [ 'GET /pets' ] } ]
 * ```
 */
export function plannedRequests(options: VerifyOptions): readonly PlannedCase[] {
  const settings = readSettings({ apiKey: 'planned', ...options });
  checkAsked(settings);
  const nothing = new Run(settings, [], () => {}).known;
  return cases.flatMap((one) => {
    if (whyExcluded(one, settings) !== undefined) return [];
    const requests = one.requests(nothing).map(describeAsk);
    return requests.length === 0 ? [] : [{ name: one.id, requests }];
  });
}

const levels = {
  posts: 'it sends bodies: --allow-posts',
  create: 'it creates pets, which stay: --allow-create',
  'rate-limit': 'it uses up the quota: --allow-rate-limit',
} as const satisfies Record<Permit, string>;

/** Why a case is not asked in this run. */
function whyExcluded(one: Case, { allow, only }: Settings): string | undefined {
  const { level, id } = one;
  if (level === 'never') return one.why;
  if (only && !isSelected(id, only)) return 'left out by --only';
  if (level in levels && !allow.has(level as Permit)) return levels[level as Permit];
  return undefined;
}

/** A run that judges nothing of what was named would succeed for ever. @throws TypeError that says what it takes. */
function checkAsked(settings: Settings): void {
  const { only } = settings;
  if (!only) return;
  const named = cases.filter(({ id }) => isNamed(id, only));
  const reasons = new Set(named.map((one) => whyExcluded(one, settings)));
  if (reasons.has(undefined)) return;
  throw new TypeError(`only: nothing that it names would be asked: ${[...reasons].join('; ')}`);
}

function exitCodeOf(
  { statements }: Findings,
  hasDrift: boolean,
  stopped: string | undefined,
): VerifyReport['exitCode'] {
  const verdicts = Object.values(statements).map(({ verdict }) => verdict);
  if (verdicts.includes('fails') || hasDrift) return 1;
  return stopped !== undefined || !verdicts.includes('holds') ? 3 : 0;
}
