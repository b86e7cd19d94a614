/** The mock as it would have answered a recorded run. */
import { headers as names, pathPrefix } from '../../../src/contract/index.js';
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import type { SeedPet } from '../../pets/pet.js';
import { createMockService } from '../../service/service.js';
import type { MockService } from '../../service/types.js';
import type { Ask, KeyClass } from '../ask/request.js';

/** A limit that no run reaches. */
const endless = 1_000_000_000;
const keyNames: Readonly<Partial<Record<KeyClass, string>>> = {
  own: 'replay-own',
  second: 'replay-second',
  invalid: 'replay-invalid',
};

/** How the mock is set up for a replay. */
export interface ReplaySetup {
  readonly assumptions: GivenAssumptions;
  /** Requests a minute of the key. */
  readonly limit: number;
  /** The limit in the headers of a 401. */
  readonly unauthorizedLimit?: number | undefined;
  /** When it begins, ms since the epoch on the service's clock. */
  readonly start: number;
  readonly pets?: readonly SeedPet[];
}

/** What all replays of a run have in common: the assumptions besides the way of counting, and the limits. */
export type RunSetup = Omit<ReplaySetup, 'start'>;

/** What the mock answers in a replay. */
export interface Replayed {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly limit: number;
  readonly remaining: number;
  /** ms since the epoch, exact. */
  readonly resetAt: number;
  /** The wait that a 429 announces, ms, exact; undefined without one. */
  readonly wait: number | undefined;
}

/** A mock that answers requests at given times. */
export interface Replay {
  readonly service: MockService;
  play(ask: Ask, at: number): Promise<Replayed>;
}

/** Assumptions under which the times of all answers are exact. */
export const exactTimes: GivenAssumptions = {
  resetUnit: 'unix-milliseconds',
  clockSkew: 0,
  nodes: { remaining: [0, 0], clock: [0, 0] },
};

/** A mock with exact times in its headers, to compare with those of a service in any form. */
export function createExactReplay(setup: ReplaySetup): Replay {
  return createReplay({
    ...setup,
    assumptions: {
      ...setup.assumptions,
      ...exactTimes,
      retryAfter: 'milliseconds',
      dateHeader: true,
    },
  });
}

/** A mock for a replay. */
export function createReplay(setup: ReplaySetup): Replay {
  const { assumptions, limit, unauthorizedLimit, start, pets } = setup;
  const plan = { perMinute: limit, perDay: endless };
  const service = createMockService({
    clock: 'virtual',
    now: start,
    journalLimit: 0,
    seed: pets ?? [],
    keys: { [keyNames.own!]: { plan }, [keyNames.second!]: { plan } },
    assumptions: {
      ...assumptions,
      ...(unauthorizedLimit !== undefined && {
        unauthorizedQuota: { perMinute: unauthorizedLimit, perDay: endless },
      }),
    },
  });
  return { service, play: (ask, at) => play(service, ask, at) };
}

async function play(service: MockService, ask: Ask, at: number): Promise<Replayed> {
  service.clock.set(at);
  const key = keyNames[ask.key];
  const response = await service.fetch(`https://replay.example${pathPrefix}${ask.path}`, {
    method: ask.method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(ask.body !== undefined && { 'Content-Type': ask.type ?? 'application/json' }),
    },
    ...(ask.body !== undefined && { body: ask.body }),
  });
  const { headers, status } = response;
  const wait = headers.get(names.retryAfter);
  return {
    status,
    headers,
    text: await response.text(),
    limit: Number(headers.get(names.limit)),
    remaining: Number(headers.get(names.remaining)),
    resetAt: Number(headers.get(names.reset)),
    wait: wait === null ? undefined : Number(wait),
  };
}
