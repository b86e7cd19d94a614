import OpenAI from 'openai';
import type { Client } from '../run/client.js';

/** The client core of the openai package: the same core as in the other SDKs made by Stainless. */
export const openaiCore: Client = {
  name: 'openai 7.55',
  start({ fetch, baseUrl, apiKey }) {
    const client = new OpenAI({ apiKey, baseURL: baseUrl, fetch });
    return () => client.get('/pets').then((answer) => answer);
  },
};
