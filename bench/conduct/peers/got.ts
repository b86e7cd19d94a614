import { ClientRequestInterceptor } from '@mswjs/interceptors/ClientRequest';
import got from 'got';
import type { Client } from '../run/client.js';

/** got speaks only `node:http`, so its requests are taken from there: each process has a host name of its own. */
const processes = new Map<string, typeof globalThis.fetch>();
const interceptor = new ClientRequestInterceptor();
interceptor.on('request', async ({ request, controller }) => {
  const fetch = processes.get(new URL(request.url).hostname);
  if (fetch) controller.respondWith(await fetch(request));
});

let started = 0;

/** got as it comes. */
export const gotDefaults: Client = {
  name: 'got 16.1',
  start({ index, fetch, baseUrl, apiKey }) {
    // The run before is over: what it left behind can go.
    if (index === 0) processes.clear();
    if (started === 0) interceptor.apply();
    const address = new URL(baseUrl);
    address.hostname = `process-${started++}.example`;
    address.protocol = 'http:';
    processes.set(address.hostname, fetch);
    const client = got.extend({
      prefixUrl: address.href,
      headers: { authorization: `Bearer ${apiKey}` },
    });
    return () => client.get('pets').json();
  },
};
