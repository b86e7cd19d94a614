import axios from 'axios';
import axiosRetry from 'axios-retry';
import type { Client } from '../run/client.js';

/** axios over its fetch adapter, with axios-retry as it comes: 3 retries, `Retry-After` obeyed. */
export const axiosWithRetry: Client = {
  name: 'axios 1.21 + axios-retry 4.5',
  start({ fetch, baseUrl, apiKey }) {
    const client = axios.create({
      baseURL: baseUrl,
      adapter: 'fetch',
      env: { fetch },
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    axiosRetry(client);
    return () => client.get('/pets');
  },
};
