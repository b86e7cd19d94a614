import { Octokit } from '@octokit/core';
import { throttling } from '@octokit/plugin-throttling';
import type { Client } from '../run/client.js';

const Throttled = Octokit.plugin(throttling);
const silent = { debug() {}, info() {}, warn() {}, error() {} };
let clients = 0;

/** Octokit with its throttling plugin, set up as its README shows: one retry after a limit, none after a secondary one. */
export const octokit: Client = {
  name: 'octokit 7.0 + throttling 11.0',
  start({ fetch, baseUrl, apiKey }) {
    const client = new Throttled({
      baseUrl,
      request: { fetch },
      log: silent,
      throttle: {
        // Clients with one id share their queue, which processes do not.
        id: `process-${clients++}`,
        onRateLimit: (_retryAfter, _options, _octokit, retryCount) => retryCount < 1,
        onSecondaryRateLimit: () => undefined,
      },
    });
    return () => client.request('GET /pets', { headers: { authorization: `Bearer ${apiKey}` } });
  },
};
