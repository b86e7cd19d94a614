import type { Results } from './results.js';
import type { Ratio } from './stats.js';

/** A promise of a figure, and what came of it. */
export interface Target {
  readonly what: string;
  readonly target: string;
  readonly found: string;
  readonly met: boolean;
}

/** Holds the results to the targets. What was not measured is left out. */
export function targets({
  requests,
  loopback,
  parsing,
  coldStart,
  mocks,
  ports,
  million,
  gates,
  memory,
}: Results): Target[] {
  const list: Target[] = [];
  const most = (what: string, value: number | undefined, limit: number, unit = '') => {
    if (value !== undefined)
      list.push({
        what,
        target: `≤ ${limit}${unit}`,
        found: `${round(value)}${unit}`,
        met: value <= limit,
      });
  };
  const least = (what: string, value: number | undefined, limit: number) => {
    if (value !== undefined)
      list.push({ what, target: `≥ ${limit}`, found: round(value), met: value >= limit });
  };
  const ours = requests['petstore-client'];
  const ky = requests['ky, defaults'];
  most('100 pets with all features, divided by `fetch` + `JSON.parse`', ours?.list?.ratio, 1.5);
  for (const request of ['get', 'create'] as const) {
    const name = request === 'get' ? 'Get one pet' : 'Create one pet';
    most(
      `${name}: time added to \`fetch\`, divided by the time that ky with its defaults adds`,
      share(ours?.[request], ky?.[request]),
      0.7,
    );
  }
  for (const peer of ['openai core', 'axios'])
    for (const request of ['list', 'get', 'create'] as const) {
      const [a, b] = [ours?.[request], requests[peer]?.[request]];
      if (a && b) most(`${request} beside ${peer}`, a.ratio / b.ratio, 1);
    }
  const over = loopback['petstore-client'];
  least(
    "Loopback, one at a time: requests/s divided by those of Node's `fetch`",
    inverse(over?.one),
    0.75,
  );
  least(
    "Loopback, 50 at once: requests/s divided by those of Node's `fetch`",
    inverse(over?.fifty),
    0.6,
  );
  most(
    'Exact int64 divided by `JSON.parse`, no id long',
    parsing['int64, no id long']?.ratio,
    1.05,
  );
  most(
    'Exact int64 divided by `JSON.parse`, all ids long',
    parsing['int64, all ids long']?.ratio,
    2.6,
  );
  const cold = (name: string) => coldStart[name]?.[0] ?? NaN;
  most(
    'Import of the client divided by import of openai',
    cold('petstore-client') / cold('openai core'),
    0.5,
  );
  most(
    '`service.fetch` divided by a hand-written `fetch`',
    mocks['petstore-client/mocks, service.fetch']?.ratio,
    1.5,
  );
  least(
    '`petstore-mock` on a port: requests/s divided by those of bare `node:http`',
    inverse(ports['petstore-mock']),
    0.6,
  );
  most('`petstore-mock`: start to first response', ports['petstore-mock']?.firstAnswer, 250, ' ms');
  most('List by status in the store', million.list, 2, ' µs');
  most('`reset()`', million.reset, 5, ' ms');
  most('`restore()`', million.restore, 5, ' ms');
  most('Memory of a pet', million.bytes, 200, ' bytes');
  most('Heap for each further call', memory.bytesPerCall, 2, ' bytes');
  most('Heap for each key that is no longer used', gates.bytesPerKey, 100, ' bytes');
  return list;
}

/** What one adds to its baseline, as a part of what another adds to it. */
function share(own: Ratio | undefined, other: Ratio | undefined): number | undefined {
  return own && other && (own.ratio - 1) / (other.ratio - 1);
}

const inverse = (ratio: Ratio | undefined) => ratio && 1 / ratio.ratio;

/** Two digits that say something. */
export function round(value: number): string {
  return Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(2);
}
