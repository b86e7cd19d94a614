import type { Client } from './client.js';
import type { PlanName } from './scenario.js';

/** The package under test, given so that source or build can be measured. */
export type Ours = Pick<typeof import('../../src/index.js'), 'PetStoreClient' | 'createRateLimitGate'>;

/** Our client with its defaults, or with its plan told. Each process has a gate of its own, as processes do. */
export function ours({ PetStoreClient, createRateLimitGate }: Ours, plan?: PlanName): Client {
  return {
    name: 'petstore-client',
    start({ fetch, baseUrl, apiKey, world, random, note }) {
      const { clock } = world.service;
      const client = new PetStoreClient({
        apiKey,
        baseUrl,
        fetch,
        clock,
        rateLimit: { gate: createRateLimitGate({ clock, random }), ...(plan && { plan }) },
        onEvent({ type }) {
          if (type === 'rate-limit-hold') note('hold');
          if (type === 'rate-limit-resume') note('resume');
        },
      });
      return () => client.listPets();
    },
  };
}
