import got from 'got';
import { apiKey, newPet, nobody } from '../answers.js';
import { failure, type Calls, type Target } from './client.js';

/** got, which speaks only over sockets. */
export function gotDefaults({ baseUrl }: Target): Calls {
  const client = got.extend({ prefixUrl: baseUrl, headers: { authorization: `Bearer ${apiKey}` } });
  return {
    list: () => client.get('pets', { searchParams: { limit: 100 } }).json(),
    get: () => client.get('pets/1').json(),
    create: () => client.post('pets', { json: newPet }).json(),
    missing: () => failure(client.get(`pets/${nobody}`)),
  };
}
