import type { MockServiceOptions } from '../../../mocks/index.js';
import type { HeaderForm, Scenario } from './scenario.js';

type Assumed = NonNullable<MockServiceOptions['assumptions']>;

/** What each form of the headers assumes of the service. */
const forms: Readonly<Record<HeaderForm, Assumed>> = {
  seconds: { retryAfter: 'seconds' },
  floored: { retryAfter: 'seconds-floored' },
  'http-date': { retryAfter: 'http-date' },
  'no-retry-after': { retryAfter: 'absent' },
  'constant-1': { retryAfter: 1 },
  'no-hints': { retryAfter: 'absent', resetUnit: 'absent' },
  'no-date': { retryAfter: 'seconds', dateHeader: false },
};

/** The service of a scenario. Strikes are forgotten with the next request that is admitted; the day's window is never announced. */
export function serviceOptions(scenario: Scenario, key: string, seed: number): MockServiceOptions {
  const { plan, limit, limiter, headers = 'seconds', strikes = 'strict', nodes } = scenario;
  return {
    random: seed,
    journalLimit: 10_000_000,
    keys: {
      [key]: { plan: limit === undefined ? plan : { perMinute: limit, perDay: 1_000 * limit } },
    },
    assumptions: {
      ...forms[headers],
      minuteWindow: limiter?.window ?? 'fixed',
      resetMeaning: limiter?.reset === 'full' ? 'full' : 'next-slot',
      refusedCount: limiter?.refusedCount ?? false,
      announcedWindow: 'minute',
      strikes: 5,
      grace: strikes === 'strict' ? 0 : 2_000,
      ban: 600_000,
      ...(nodes && { nodes: { remaining: [0, 3], clock: [-300, 300] } }),
    },
  };
}
