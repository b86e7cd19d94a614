import Stripe from 'stripe';
import { apiKey, newPet, nobody } from '../answers.js';
import type { Calls, Target } from './client.js';

/** The client core of the stripe package: `rawRequest`, as for endpoints that it does not know. */
export function stripeRaw({ baseUrl, fetch }: Target): Calls {
  const { hostname, port, protocol, pathname } = new URL(baseUrl);
  const client = new Stripe(apiKey, {
    host: hostname,
    ...(port && { port }),
    protocol: protocol === 'http:' ? 'http' : 'https',
    telemetry: false,
    ...(fetch && { httpClient: Stripe.createFetchHttpClient(fetch) }),
  });
  return {
    list: () => client.rawRequest('GET', `${pathname}/pets?limit=100`),
    get: () => client.rawRequest('GET', `${pathname}/pets/1`),
    create: () =>
      client.rawRequest('POST', `${pathname}/pets`, newPet as unknown as Record<string, unknown>),
    // What has no field `error` counts as a success with it, whatever the status.
    missing: () => client.rawRequest('GET', `${pathname}/pets/${nobody}`),
  };
}
