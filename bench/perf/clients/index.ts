import type { MakeClient } from './client.js';

/** Each is loaded where it is measured, and nowhere else: some patch what all share. */
export const clients = {
  fetch: async () => (await import('./fetch.js')).raw,
  'fetch + zod': async () => (await import('./zod.js')).rawWithZod,
  'petstore-client': async () => (await import('./ours.js')).ours,
  "petstore-client, int64: 'bigint'": async () => (await import('./ours.js')).oursWithBigint,
  'ky, one bare call': async () => (await import('./ky.js')).kyBare,
  'ky, defaults': async () => (await import('./ky.js')).kyDefaults,
  'openapi-fetch': async () => (await import('./openapi-fetch.js')).openapiFetch,
  'openai core': async () => (await import('./openai.js')).openaiCore,
  axios: async () => (await import('./axios.js')).axiosDefaults,
  'stripe rawRequest': async () => (await import('./stripe.js')).stripeRaw,
  'octokit request': async () => (await import('./octokit.js')).octokitRequest,
  got: async () => (await import('./got.js')).gotDefaults,
} satisfies Record<string, () => Promise<MakeClient>>;

export type ClientName = keyof typeof clients;
