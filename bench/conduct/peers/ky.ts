import ky from 'ky';
import type { Client } from '../run/client.js';

/** ky as it comes. */
export const kyDefaults: Client = {
  name: 'ky 2.1',
  start({ fetch, baseUrl, apiKey }) {
    const client = ky.create({
      prefix: baseUrl,
      fetch,
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    return () => client.get('pets').json();
  },
};
