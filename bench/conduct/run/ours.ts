import type { GateCall } from '../../../src/index.js';
import type { Product } from '../../product.js';
import type { Client } from './client.js';

/** Our client with its defaults. Each process has a gate of its own, as processes do. */
export function ours({
  PetStoreClient,
  createRateLimitGate,
}: Pick<Product, 'PetStoreClient' | 'createRateLimitGate'>): Client {
  return {
    name: 'petstore-client',
    start({ fetch, baseUrl, apiKey, world, random }) {
      const { clock } = world.service;
      const gate = createRateLimitGate({ clock, random });
      const client = new PetStoreClient({ apiKey, baseUrl, fetch, clock, gate });
      return () => client.listPets();
    },
  };
}

/** A call as the client hands it to a gate: one at a time, and patient. */
export const gateCall = (): GateCall => ({
  signal: undefined,
  priority: 'normal',
  waitUntil: Infinity,
  maxHold: Infinity,
  onHold: undefined,
  place: 0,
  isRetry: false,
});
