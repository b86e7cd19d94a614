import createClient from 'openapi-fetch';
import { apiKey, newPet, nobody } from '../answers.js';
import type { Calls, Target } from './client.js';

type Answers = { responses: { 200: { content: { 'application/json': unknown } } } };
interface paths {
  '/pets': {
    get: Answers & { parameters: { query: { limit: number } } };
    post: Answers & { requestBody: { content: { 'application/json': unknown } } };
  };
  '/pets/{petId}': { get: Answers & { parameters: { path: { petId: number } } } };
}

/** openapi-fetch: types from a description, no checks at run time. */
export function openapiFetch({ baseUrl, fetch }: Target): Calls {
  const client = createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(fetch && { fetch }),
  });
  const get = (petId: number) => client.GET('/pets/{petId}', { params: { path: { petId } } });
  return {
    list: () => client.GET('/pets', { params: { query: { limit: 100 } } }),
    get: () => get(1),
    create: () => client.POST('/pets', { body: newPet }),
    missing: () => get(nobody),
  };
}
