import type { PlannedCase } from '../../verify/index.js';
import type { VerifyCliOptions } from './options.js';

/** What `petstore-mock verify --dry-run` prints: each request once, under the first case that needs it. */
export function dryRun(options: VerifyCliOptions, planned: readonly PlannedCase[]): string {
  const shown = new Set<string>();
  const lines = planned.flatMap(({ name, requests }) => {
    const own = requests.filter((one) => !shown.has(one));
    for (const one of own) shown.add(one);
    return own.length === 0
      ? [`  ${name}  (no more requests)`]
      : [`  ${name}`, ...own.map((one) => `      ${one}`)];
  });
  const { address, allow } = options;
  const more = [
    ...(planned.some(({ name }) => /\.(?:minuteWindow|resetMeaning|unauthorizedCount)$/.test(name))
      ? ['up to 5 times GET /pets?limit=1, to see how the requests of a minute are counted']
      : []),
    ...(allow.includes('posts') ? ['longer bodies, as long as the service accepts them'] : []),
    ...(allow.includes('rate-limit')
      ? ['GET /pets?limit=1 until one gets status 429, twice (Free plan: about 100 requests)']
      : []),
    'single requests whose path depends on a response, such as GET of a pet of the list',
  ];
  return [
    `Would send ${shown.size} requests to ${address}. What several cases need is sent once, for the first:`,
    ...lines,
    'Nothing was sent. A run also sends:',
    ...more.map((one) => `  - ${one}`),
    'The names are those of --only. petstore-mock verify --list says what each one is.',
    '',
  ].join('\n');
}
