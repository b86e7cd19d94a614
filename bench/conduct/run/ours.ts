import type { createRateLimitGate, PetStoreClient } from '../../../src/index.js';
import type { Client } from './client.js';
import type { PlanName } from '../scenario/scenario.js';

/** The package under test, given so that source or build can be measured. */
export interface Ours {
  readonly PetStoreClient: typeof PetStoreClient;
  readonly createRateLimitGate: typeof createRateLimitGate;
}

let alone = 0;

/**
 * Our client with its defaults. Each process has a gate of its own, as processes do. With `plan`, for one process: the
 * plan is told, which goes with the gate that is built in. That one is shared by address, so each run has one of its own.
 */
export function ours({ PetStoreClient, createRateLimitGate }: Ours, plan?: PlanName): Client {
  return {
    name: 'petstore-client',
    start({ fetch, baseUrl, apiKey, world, random, note }) {
      const { clock } = world.service;
      const client = new PetStoreClient({
        apiKey,
        baseUrl: plan ? baseUrl.replace('//', `//run-${alone++}.`) : baseUrl,
        fetch,
        clock,
        rateLimit: plan ? { plan } : { gate: createRateLimitGate({ clock, random }) },
        onEvent({ type }) {
          if (type === 'rate-limit-hold') note('hold');
          if (type === 'rate-limit-resume') note('resume');
        },
      });
      return () => client.listPets();
    },
  };
}
