import retry from 'async-retry';
import type { Client } from '../run/client.js';

/** The loop that many write: fetch in async-retry as it comes, 10 retries from 1 s on, whatever the service says. */
export const asyncRetry: Client = {
  name: 'fetch + async-retry 1.3',
  start({ fetch, baseUrl, apiKey }) {
    return () =>
      retry(async () => {
        const response = await fetch(`${baseUrl}/pets`, {
          headers: { Authorization: `Bearer ${apiKey}` },
        });
        if (!response.ok) throw new Error(`status ${response.status}`);
        return response.json();
      });
  },
};
