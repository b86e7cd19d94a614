import axios from 'axios';
import { apiKey, newPet, nobody } from '../answers.js';
import { failure, type Calls, type Target } from './client.js';

/** axios: over its fetch adapter where a `fetch` is given, else over its own. */
export function axiosDefaults({ baseUrl, fetch }: Target): Calls {
  const client = axios.create({
    baseURL: baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    ...(fetch && { adapter: 'fetch', env: { fetch } }),
  });
  return {
    list: () => client.get('/pets', { params: { limit: 100 } }),
    get: () => client.get('/pets/1'),
    create: () => client.post('/pets', newPet),
    missing: () => failure(client.get(`/pets/${nobody}`)),
  };
}
