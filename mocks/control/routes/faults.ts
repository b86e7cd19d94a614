import * as z from 'zod/mini';
import type { Fault, FaultHandle } from '../../faults/fault-types.js';
import type { MockService } from '../../service/types.js';
import { notFound, parse } from '../read-body.js';
import { schemas } from '../json-schemas.js';
import type { Routes } from '../route.js';
import { toPlainFault } from '../../faults/parse.js';

/** Validated by the service, which says what is wrong with a fault. */
const faultObject = z.record(z.string(), z.unknown(), {
  error: 'must be a fault, as in { "status": 503, "times": 2 }',
});

export const faultRoutes: Routes = {
  'GET /faults': {
    summary: 'The faults in force, each with its id and how many requests it has hit',
    response: schemas.faults,
    run: ({ service }) => service.faults.list().map(showFault),
  },
  'POST /faults': {
    summary: 'Adds a fault: {"operation": "listPets", "status": 503, "times": 2}',
    body: faultObject,
    response: schemas.shownFault,
    bodySchema: schemas.fault,
    run: ({ service, body }) =>
      showFault(service.faults.add(parse(faultObject, body) as unknown as Fault)),
  },
  'DELETE /faults': {
    summary: 'Removes all faults',
    run: ({ service }) => service.faults.clear(),
  },
  'GET /faults/{id}': {
    summary: 'One fault, also when it has had all its hits',
    response: schemas.shownFault,
    run: ({ service, params }) => showFault(needFault(service, params['id']!)),
  },
  'DELETE /faults/{id}': {
    summary: 'Removes one fault',
    run: ({ service, params }) => needFault(service, params['id']!).remove(),
  },
};

/** A fault as the control API shows it. */
export function showFault({ id, fault, hits }: FaultHandle): {
  id: number;
  fault: Fault;
  hits: number;
} {
  return { id, fault: toPlainFault(fault), hits };
}

function needFault(service: MockService, id: string): FaultHandle {
  const found = /^\d+$/.test(id) ? service.faults.get(Number(id)) : undefined;
  if (found) return found;
  throw notFound(`There is no fault ${id}: it was removed, or never added.`);
}
