import * as z from 'zod/mini';
import { operations, type OperationName } from '../../../src/contract/operations.js';
import type { ConductReport } from '../../inspect/conduct-report.js';
import { findRequests, type RequestFilter } from '../../inspect/journal.js';
import { among, integer, strict } from '../../utils/check.js';
import { parameter, queryInteger, route } from '../route.js';

const text = z.string();
const operation = among(...(Object.keys(operations) as OperationName[]));
/** ms since the epoch. */
const time = z.number();
const RequestShown = z.object({
  number: integer(1),
  environment: among('production', 'staging'),
  at: time,
  answeredAt: z.optional(time),
  operation: z.optional(operation),
  method: text,
  path: text,
  query: z.record(text, text),
  body: z.optional(z.unknown()),
  input: z.optional(z.record(text, z.unknown())),
  key: z.optional(text),
  status: z.optional(integer(0)),
  faults: z.array(text),
  inCoolDown: z.boolean(),
  remaining: z.optional(z.number()),
});

const counts: readonly Exclude<keyof ConductReport, 'offences' | 'assertPolite'>[] = [
  ...(['requests', 'forgotten', 'duringCoolDown', 'rateLimited', 'bans'] as const),
  ...(['repeatedPosts', 'deprecatedCalls', 'unauthorized', 'maxInFlight', 'mockDefects'] as const),
];

export const requestRoutes = {
  'GET /requests': route({
    summary: 'The journal, oldest first',
    query: strict({
      limit: parameter(
        'The newest requests that match, at most this many; 100 when left out',
        queryInteger(1),
      ),
      operation: parameter('Only requests of this operation', z.clone(operation)),
      status: parameter(
        'Only requests that were answered with this status',
        queryInteger(100, 599),
      ),
      key: parameter('Only requests with this key, as the journal shows it', z.string()),
      fault: parameter('Only requests that a fault of this name has hit', z.string()),
      before: parameter('Only requests with a lower number: for paging', queryInteger(1)),
    }),
    response: z.array(RequestShown),
    run: ({ service, query: { limit = 100, before = Infinity, ...filter } }) =>
      findRequests(service, filter as RequestFilter)
        .filter(({ number }) => number < before)
        .slice(-limit),
  }),
  'GET /report': route({
    summary: 'How the client behaved: 429s, requests during a cool-down, bans',
    query: strict({ key: parameter('Only the requests of this key', z.string()) }),
    response: z.object({
      ...Object.fromEntries(counts.map((name) => [name, integer(0)])),
      offences: z.array(text),
    }),
    run: ({ service, query }) => service.report(query.key),
  }),
  'GET /traffic': route({
    summary: 'How many requests arrived in each of the last ten minutes, the current one last',
    query: strict({ key: parameter('Only the requests with this key', z.string()) }),
    response: z.object({ counts: z.array(integer(0)) }),
    run({ service, query }) {
      const minuteOf = (at: number) => Math.floor(at / 60_000);
      const first = minuteOf(service.clock.now()) - 9;
      const counts = new Array<number>(10).fill(0);
      const filter = { ...query, since: first * 60_000 } as RequestFilter;
      for (const { at } of findRequests(service, filter))
        if (minuteOf(at) - first in counts) counts[minuteOf(at) - first]!++;
      return { counts };
    },
  }),
};
