import { operations } from '../../../src/contract/operations.js';
import type { MockService, RecordedRequest } from '../../service/types.js';
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
    run: ({ service, query }) => findRequests(service, query),
  },
  'GET /report': {
    summary: 'How the client behaved: 429s, requests during a cool-down, bans',
    query: { key: textParameter('Only the requests of this key') },
    response: schemas.report,
    run: ({ service, query }) => service.report(query['key'] as string | undefined),
  },
};

interface JournalQuery {
  readonly limit?: number;
  readonly operation?: string;
  readonly status?: number;
  readonly key?: string;
  readonly fault?: string;
  readonly before?: number;
}

/** The newest requests that match, oldest first. */
function findRequests(service: MockService, query: JournalQuery): readonly RecordedRequest[] {
  const { limit = 100, operation, status, key, fault, before = Infinity } = query;
  return service.requests
    .filter(
      (request) =>
        request.number < before &&
        (operation === undefined || request.operation === operation) &&
        (status === undefined || request.status === status) &&
        (key === undefined || request.key === key) &&
        (fault === undefined || request.faults.includes(fault)),
    )
    .slice(-limit);
}
