import * as z from 'zod/mini';
import { offences } from '../../inspect/conduct-report.js';
import { filterRows, findRequests, recordedRows } from '../../inspect/journal.js';
import { described, integer, optional } from '../../utils/check.js';
import { route } from '../route.js';

const counts = ['requests', 'forgotten', ...offences];

export const requestRoutes = {
  'GET /requests': route({
    summary: 'The journal, oldest first',
    query: optional({
      limit: described('The newest that match, at most this many; 100 when left out', integer(1)),
      before: described('Only requests with a lower number: for paging', integer(1)),
      ...filterRows,
    }),
    response: z.array(z.object(recordedRows)),
    run: ({ service, query: { limit = 100, before = Infinity, ...filter } }) =>
      findRequests(service, filter)
        .filter(({ number }) => number < before)
        .slice(-limit),
  }),
  'GET /report': route({
    summary: 'How the client behaved: 429s, requests during a cool-down, bans',
    query: optional({ key: described('Only the requests with this key', z.string()) }),
    response: z.object({
      ...Object.fromEntries(counts.map((name) => [name, integer(0)])),
      offences: z.array(z.string()),
    }),
    run: ({ service, query }) => service.report(query.key),
  }),
};
