import { operations } from '../../../src/contract/operations.js';
import { findRequests, type RecordedRequest, type RequestFilter } from '../../inspect/journal.js';
import type { MockService } from '../../service/types.js';
import { invalidValue } from '../read-body.js';
import { schemas } from '../json-schemas.js';
import {
  choiceParameter,
  integerParameter,
  textParameter,
  type QueryParameter,
  type Routes,
} from '../route.js';

const statusParameter: QueryParameter = {
  description: 'Only requests that were answered with this status',
  schema: { type: 'integer', minimum: 100, maximum: 599 },
  read(text) {
    if (/^[1-5]\d\d$/.test(text)) return Number(text);
    throw invalidValue('status must be a status, such as 429.');
  },
};

export const requestRoutes: Routes = {
  'GET /requests': {
    summary: 'The journal, oldest first',
    query: {
      limit: integerParameter(
        'The newest requests that match, at most this many; 100 when left out',
        1,
      ),
      operation: choiceParameter('Only requests of this operation', Object.keys(operations)),
      status: statusParameter,
      key: textParameter('Only requests with this key, as the journal shows it'),
      fault: textParameter('Only requests that a fault of this name has hit'),
      before: integerParameter('Only requests with a lower number: for paging', 1),
    },
    response: schemas.requests,
    run: ({ service, query }) => newestRequests(service, query),
  },
  'GET /report': {
    summary: 'How the client behaved: 429s, requests during a cool-down, bans',
    query: { key: textParameter('Only the requests of this key') },
    response: schemas.report,
    run: ({ service, query }) => service.report(query['key'] as string | undefined),
  },
  'GET /traffic': {
    summary: 'How many requests arrived in each of the last ten minutes, the current one last',
    query: { key: textParameter('Only the requests with this key') },
    response: schemas.traffic,
    run: ({ service, query }) => traffic(service, query),
  },
};

/** How many requests arrived in each of the last ten minutes of the clock, the current one last. */
function traffic(service: MockService, filter: RequestFilter): { counts: number[] } {
  const minuteOf = (at: number) => Math.floor(at / 60_000);
  const first = minuteOf(service.clock.now()) - 9;
  const counts = new Array<number>(10).fill(0);
  for (const { at } of findRequests(service, { ...filter, since: first * 60_000 }))
    if (minuteOf(at) - first in counts) counts[minuteOf(at) - first]!++;
  return { counts };
}

interface JournalQuery extends RequestFilter {
  readonly limit?: number;
  readonly before?: number;
}

/** The newest requests that match, oldest first. */
function newestRequests(service: MockService, query: JournalQuery): readonly RecordedRequest[] {
  const { limit = 100, before = Infinity, ...filter } = query;
  return findRequests(service, filter)
    .filter(({ number }) => number < before)
    .slice(-limit);
}
