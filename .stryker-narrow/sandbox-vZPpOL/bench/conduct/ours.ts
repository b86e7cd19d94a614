// @ts-nocheck
import type { Entries } from '../product.js';
import type { Start } from './run.js';

/** Our client with its defaults. Each process has a gate of its own, as processes do. */
export function ours({
  PetStoreClient,
  createRateLimitGate,
}: Pick<Entries['index'], 'PetStoreClient' | 'createRateLimitGate'>): Start {
  return ({ fetch, baseUrl, apiKey, time, skew, random }) => {
    const clock = {
      now: () => time.now() + skew,
      monotonic: () => time.monotonic(),
      sleep: (ms: number, signal?: AbortSignal) => time.sleep(ms, signal),
    };
    const gate = createRateLimitGate({ clock, random });
    const client = new PetStoreClient({ apiKey, baseUrl, fetch, clock, gate });
    return () => client.listPets();
  };
}
