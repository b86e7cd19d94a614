import type { Request } from './answers.js';
import type { Results } from './results.js';
import type { Ratio } from './stats.js';

/** The name of the client that the targets are for. */
export const client = 'petstore-client';

export const titles: Readonly<Record<Request, string>> = {
  list: 'List 100 pets',
  get: 'Get one pet',
  create: 'Create one pet',
  missing: 'Get one that is not there',
};

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
  const times = (request: Request, peer: string, limit: number) => {
    const [own, other] = [requests[request]?.[client], requests[request]?.[peer]];
    if (own && other)
      most(`${titles[request]}, divided by ${peer}`, own.cpu.ratio / other.cpu.ratio, limit);
  };
  times('list', 'openai core', 1);
  times('list', 'axios', 1);
  times('get', 'openai core', 0.8);
  times('create', 'openai core', 0.8);
  times('missing', 'axios', 1);
  times('list', 'ky, one bare call', 1.35);
  times('get', 'ky, one bare call', 1.5);
  times('create', 'ky, one bare call', 1.5);
  least(
    "Loopback, one at a time: requests/s divided by those of Node's `fetch`",
    inverse(loopback.one[client]?.wall),
    0.85,
  );
  least(
    "Loopback, 50 at once: requests/s divided by those of Node's `fetch`",
    inverse(loopback.fifty[client]?.wall),
    0.8,
  );
  most(
    'Exact int64 divided by `JSON.parse`, no id long',
    parsing['int64, no id long']?.ratio,
    1.03,
  );
  most(
    'Exact int64 divided by `JSON.parse`, all ids long',
    parsing['int64, all ids long']?.ratio,
    2.6,
  );
  const cold = (name: string) => coldStart[name]?.wall[0] ?? NaN;
  most(
    'Import of the client divided by import of openai, by the clock',
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

const inverse = (ratio: Ratio | undefined) => ratio && 1 / ratio.ratio;

/** Two digits that say something. */
export function round(value: number): string {
  return Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(2);
}
