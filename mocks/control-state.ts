import { showKey } from './control-key.js';
import type { MockService, RecordedRequest } from './types.js';

const shownPets = 100;

/** Where everything stands, as JSON. */
export function state(service: MockService): object {
  return {
    now: new Date(service.clock.now()).toISOString(),
    clock: service.clock.kind,
    keys: service.keys.list().map(showKey),
    faults: service.faults.list().map(({ fault, hits }) => ({ fault, hits })),
    pets: { size: service.pets.size, first: service.pets.list({ limit: shownPets }) },
  };
}

/** The newest requests that match, oldest first. */
export function journal(service: MockService, query: URLSearchParams): readonly RecordedRequest[] {
  const limit = Number(query.get('limit') ?? 100);
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError('limit must be an integer of 1 or more.');
  const operation = query.get('operation');
  const status = query.get('status');
  return service.requests
    .filter((request) => (operation === null || request.operation === operation) && (status === null || String(request.status) === status))
    .slice(-limit);
}
