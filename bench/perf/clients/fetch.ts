import { apiKey, newPet, nobody } from '../answers.js';
import type { Calls, Target } from './client.js';

/** The floor: `fetch`, `text()` and `JSON.parse`, with the key and nothing else. */
export function raw(
  { baseUrl, fetch = globalThis.fetch }: Target,
  read: (value: unknown) => unknown = (value) => value,
): Calls {
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
  const posted = { ...headers, 'content-type': 'application/json' };
  const json = async (response: Response) => JSON.parse(await response.text()) as unknown;
  return {
    list: async () => read(await json(await fetch(`${baseUrl}/pets?limit=100`, { headers }))),
    get: async () => read(await json(await fetch(`${baseUrl}/pets/1`, { headers }))),
    create: async () =>
      read(
        await json(
          await fetch(`${baseUrl}/pets`, {
            method: 'POST',
            headers: posted,
            body: JSON.stringify(newPet),
          }),
        ),
      ),
    missing: async () => json(await fetch(`${baseUrl}/pets/${nobody}`, { headers })),
  };
}
