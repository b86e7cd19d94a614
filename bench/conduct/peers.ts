import OpenAI from 'openai';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import got from 'got';
import ky from 'ky';
import Bottleneck from 'bottleneck';
import retry from 'async-retry';
import { ClientRequestInterceptor } from '@mswjs/interceptors/ClientRequest';
import { Octokit } from '@octokit/core';
import { retryMiddleware, StandardRetryStrategy } from '@smithy/core/retry';
import { throttling } from '@octokit/plugin-throttling';
import type { Start } from './run.js';

/** got speaks only `node:http`, so its requests are taken from there: each process of a run has a host name of its own. */
const processes = new Map<string, typeof globalThis.fetch>();
const interceptor = new ClientRequestInterceptor();
interceptor.on('request', async ({ request, controller }) => {
  const fetch = processes.get(new URL(request.url).hostname);
  if (fetch) controller.respondWith(await fetch(request));
});
const Throttled = Octokit.plugin(throttling);
const silent = { debug() {}, info() {}, warn() {}, error() {} };
let started = 0;

/** A `fetch` with the key. What it throws is made as by AWS's deserializers: with the status and the response that their retry middleware looks at. */
function fetched({ fetch, baseUrl, headers }: Parameters<Start>[0]): () => Promise<unknown> {
  return async () => {
    const response = await fetch(`${baseUrl}/pets`, { headers });
    if (response.ok) return response.json();
    const statusCode = response.status;
    throw Object.assign(new Error(`status ${statusCode}`), {
      $metadata: { httpStatusCode: statusCode },
      $response: { statusCode, headers: Object.fromEntries(response.headers) },
    });
  };
}

/** The clients that people use today, each with its defaults. */
export const peers: Readonly<Record<string, Start>> = {
  'got 16.1'({ index, fetch, headers }) {
    interceptor.apply();
    const host = `process-${index}.example`;
    processes.set(host, fetch);
    const client = got.extend({ prefixUrl: `http://${host}/v1`, headers });
    return () => client.get('pets').json();
  },
  'ky 2.1'({ fetch, baseUrl, headers }) {
    const client = ky.create({ prefix: baseUrl, fetch, headers });
    return () => client.get('pets').json();
  },
  /** Behind a limiter that is told the limit of the plan, and assumes that nobody else uses the key. */
  'ky 2.1 + Bottleneck 2.19'(process) {
    const { limit } = process;
    const limiter = new Bottleneck({
      reservoir: limit,
      reservoirRefreshAmount: limit,
      reservoirRefreshInterval: 60_000,
    });
    const call = peers['ky 2.1']!(process);
    return () => limiter.schedule(call);
  },
  /** The client core of the openai package: the same core as in the other SDKs made by Stainless. */
  'openai 7.55'({ fetch, baseUrl, apiKey }) {
    const client = new OpenAI({ apiKey, baseURL: baseUrl, fetch });
    return () => client.get('/pets').then((answer) => answer);
  },
  /** With its throttling plugin, set up as its README shows: one retry after a limit, none after a secondary one. */
  'octokit 7.0 + throttling 11.0'({ fetch, baseUrl, headers }) {
    const client = new Throttled({
      baseUrl,
      request: { fetch },
      log: silent,
      throttle: {
        // Clients with one id share their queue, which processes do not.
        id: `process-${started++}`,
        onRateLimit: (_retryAfter, _options, _octokit, retryCount) => retryCount < 1,
        onSecondaryRateLimit: () => undefined,
      },
    });
    return () => client.request('GET /pets', { headers });
  },
  /** Over its fetch adapter, with axios-retry as it comes: 3 retries, `Retry-After` obeyed. */
  'axios 1.21 + axios-retry 4.5'({ fetch, baseUrl, headers }) {
    const client = axios.create({ baseURL: baseUrl, adapter: 'fetch', env: { fetch }, headers });
    axiosRetry(client);
    return () => client.get('/pets');
  },
  /** The loop that many write: fetch in async-retry as it comes, 10 retries from 1 s on, whatever the service says. */
  'fetch + async-retry 1.3'(process) {
    const call = fetched(process);
    return () => retry(call);
  },
  /**
   * The retry middleware of AWS's SDK around a fetch, in its default mode. In the adaptive one every waiting call wakes for
   * every token, which for thousands of calls takes hours to play through.
   */
  'AWS SDK retries, standard'(process) {
    const strategy = new StandardRetryStrategy(3);
    const options = { retryStrategy: async () => strategy, maxAttempts: async () => 3 };
    const call = fetched(process);
    const send = async () => ({ response: {}, output: { $metadata: {}, body: await call() } });
    const handler = retryMiddleware(options as never)(send as never, {});
    return () => handler({ input: {}, request: {} });
  },
};
