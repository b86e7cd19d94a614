import ky from 'ky';
import { apiKey, newPet, nobody } from '../answers.js';
import { failure, type Calls, type Target } from './client.js';

/** ky with its defaults, as its README shows it: `prefix`, `searchParams`, `json`, retries. */
export function kyDefaults({ baseUrl, fetch }: Target): Calls {
  const client = ky.create({
    prefix: baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(fetch && { fetch }),
  });
  return {
    list: () => client.get('pets', { searchParams: { limit: 100 } }).json(),
    get: () => client.get('pets/1').json(),
    create: () => client.post('pets', { json: newPet }).json(),
    missing: () => failure(client.get(`pets/${nobody}`)),
  };
}

/** One bare call of ky, everything it can leave out left out. */
export function kyBare({ baseUrl, fetch }: Target): Calls {
  const client = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    ...(fetch && { fetch }),
  });
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
  const json = async (response: Promise<Response>) =>
    JSON.parse(await (await response).text()) as unknown;
  return {
    list: () => json(client(`${baseUrl}/pets?limit=100`, { headers })),
    get: () => json(client(`${baseUrl}/pets/1`, { headers })),
    create: () =>
      json(
        client(`${baseUrl}/pets`, {
          method: 'post',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(newPet),
        }),
      ),
    missing: () => json(client(`${baseUrl}/pets/${nobody}`, { headers })),
  };
}
