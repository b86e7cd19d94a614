import { request } from '@octokit/request';
import { apiKey, newPet, nobody } from '../answers.js';
import { failure, type Calls, type Target } from './client.js';

/** The request function that Octokit is built on. */
export function octokitRequest({ baseUrl, fetch }: Target): Calls {
  const call = request.defaults({
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(fetch && { request: { fetch } }),
  });
  return {
    list: () => call('GET /pets', { limit: 100 }),
    get: () => call('GET /pets/{id}', { id: 1 }),
    create: () => call('POST /pets', newPet),
    missing: () => failure(call('GET /pets/{id}', { id: nobody })),
  };
}
