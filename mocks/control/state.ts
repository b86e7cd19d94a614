import { operations } from '../../src/contract/operations.js';
import { showKey } from './key.js';
import type { MockService, RecordedRequest } from '../service/types.js';

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
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError('limit must be an integer of 1 or more.');
  const operation = query.get('operation');
  if (operation !== null && !Object.hasOwn(operations, operation))
    throw new RangeError(`operation must be one of ${Object.keys(operations).join(', ')}.`);
  const status = query.get('status');
  if (status !== null && !/^[1-5]\d\d$/.test(status))
    throw new RangeError('status must be a status, such as 429.');
  return service.requests
    .filter(
      (request) =>
        (operation === null || request.operation === operation) &&
        (status === null || String(request.status) === status),
    )
    .slice(-limit);
}

/** @throws RangeError for a query parameter that the route does not know. */
export function checkQuery(query: URLSearchParams, known: readonly string[]): void {
  const unknown = [...query.keys()].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const there = known.length === 0 ? 'this path takes none' : `known are: ${known.join(', ')}`;
  throw new RangeError(`There is no query parameter ${unknown.join(', ')}: ${there}.`);
}
