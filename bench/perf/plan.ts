import type { Request } from './answers.js';
import type { ClientName } from './clients/index.js';
import { quick, thorough, type Effort } from './measure.js';
import type { MockName } from './mocks/index.js';
import type { ServerName } from './ports.js';
import type { SteadyEffort } from './steady.js';

/** What is measured, and with how much effort. */
export interface Plan {
  readonly effort: Effort;
  /** For requests through clients: the first of `clients` and `overLoopback` is what the others are compared with. */
  readonly steady: SteadyEffort;
  /** For `overLoopback`, where a call takes longer and one process is more like the next. */
  readonly steadyOverLoopback: SteadyEffort;
  readonly clients: readonly ClientName[];
  readonly requests: readonly Request[];
  readonly overLoopback: readonly ClientName[];
  readonly mocks: readonly MockName[];
  readonly servers: readonly ServerName[];
  readonly waiting: readonly number[];
  readonly pets: number;
  readonly growth: readonly (readonly [what: string, counts: readonly number[]])[];
  readonly calls: number;
  readonly coldStarts: number;
}

const few: readonly ClientName[] = [
  'fetch',
  'petstore-client',
  'ky, one bare call',
  'openai core',
  'axios',
];

export const all: Plan = {
  effort: thorough,
  steady: { warm: 30_000, processes: 7, slices: 3, ms: 250 },
  steadyOverLoopback: { warm: 30_000, processes: 3, slices: 7, ms: 250 },
  clients: [
    'fetch',
    'petstore-client',
    "petstore-client, int64: 'bigint'",
    'fetch + zod',
    'ky, one bare call',
    'ky, defaults',
    'openapi-fetch',
    'openai core',
    'axios',
    'stripe rawRequest',
    'octokit request',
  ],
  requests: ['list', 'get', 'create', 'missing'],
  overLoopback: [
    'fetch',
    'petstore-client',
    'ky, defaults',
    'openapi-fetch',
    'openai core',
    'axios',
    'stripe rawRequest',
    'got',
  ],
  mocks: [
    'petstore-client/mocks, service.fetch',
    'hono, app.fetch',
    '@mswjs/data',
    'msw 3, getResponse',
    'msw 2, getResponse',
    'msw 3, setupServer',
    'msw 2, setupServer',
  ],
  servers: ['petstore-mock', 'hono + @hono/node-server', 'json-server', 'Prism, static'],
  waiting: [1, 10, 100, 1_000, 10_000, 100_000],
  pets: 1_000_000,
  growth: [
    ['pets', [1_000, 10_000, 100_000, 1_000_000]],
    ['faults', [1, 10, 100, 1_000]],
    ['requests in the journal', [100, 10_000, 100_000]],
    ['clients of the process', [1, 100, 10_000]],
  ],
  calls: 1_000_000,
  coldStarts: 9,
};

/** A part of it, in under a minute. */
export const part: Plan = {
  ...all,
  effort: quick,
  steady: { warm: 3_000, processes: 2, slices: 3, ms: 100 },
  steadyOverLoopback: { warm: 3_000, processes: 1, slices: 5, ms: 100 },
  clients: few,
  requests: ['list', 'get'],
  overLoopback: few,
  mocks: ['petstore-client/mocks, service.fetch', 'msw 3, getResponse'],
  servers: ['petstore-mock'],
  waiting: [1, 10_000],
  pets: 100_000,
  growth: [['pets', [1_000, 100_000]]],
  calls: 20_000,
  coldStarts: 1,
};
