import OpenAI from 'openai';
import { apiKey, newPet, nobody } from '../answers.js';
import { failure, type Calls, type Target } from './client.js';

/** The client core of the openai package, the same as in the other SDKs made by Stainless. */
export function openaiCore({ baseUrl, fetch }: Target): Calls {
  const client = new OpenAI({ apiKey, baseURL: baseUrl, ...(fetch && { fetch }) });
  return {
    list: () => client.get('/pets', { query: { limit: 100 } }).then((answer) => answer),
    get: () => client.get('/pets/1').then((answer) => answer),
    create: () => client.post('/pets', { body: newPet }).then((answer) => answer),
    missing: () => failure(client.get(`/pets/${nobody}`)),
  };
}
