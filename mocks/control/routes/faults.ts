import * as z from 'zod/mini';
import type { Fault, FaultHandle } from '../../faults/fault-types.js';
import type { MockService } from '../../service/types.js';
import { ControlError, parse } from '../read-body.js';
import type { Routes } from '../route.js';

/** Validated by the service, which says what is wrong with a fault. */
export const faultObject = z.record(z.string(), z.unknown(), {
  error: 'must be a fault, as in { "status": 503, "times": 2 }',
});

/** The ids of faults in the control API. */
const ids = new WeakMap<Fault, number>();
let lastId = 0;

export const faultRoutes: Routes = {
  'GET /faults': {
    summary: 'The faults in force, each with its id and how many requests it has hit',
    run: ({ service }) => service.faults.list().map(showFault),
  },
  'POST /faults': {
    summary: 'Adds a fault: {"operation": "listPets", "status": 503, "times": 2}',
    body: faultObject,
    run: ({ service, body }) =>
      showFault(service.faults.add(parse(faultObject, body) as unknown as Fault)),
  },
  'DELETE /faults': {
    summary: 'Removes all faults',
    run: ({ service }) => service.faults.clear(),
  },
  'GET /faults/{id}': {
    summary: 'One fault in force',
    run: ({ service, params }) => showFault(needFault(service, params['id']!)),
  },
  'DELETE /faults/{id}': {
    summary: 'Removes one fault',
    run: ({ service, params }) => needFault(service, params['id']!).remove(),
  },
};

/** A fault as the control API shows it. */
export function showFault({ fault, hits }: FaultHandle): {
  id: number;
  fault: Fault;
  hits: number;
} {
  return { id: idOf(fault), fault, hits };
}

function idOf(fault: Fault): number {
  const known = ids.get(fault) ?? ++lastId;
  ids.set(fault, known);
  return known;
}

function needFault(service: MockService, id: string): FaultHandle {
  const found = service.faults.list().find(({ fault }) => String(idOf(fault)) === id);
  if (found) return found;
  throw new ControlError(
    404,
    'not_found',
    `There is no fault ${id} in force: it was removed, or has had all its hits.`,
  );
}
