// @ts-nocheck
import * as z from 'zod/mini';
import type { FaultHandle } from '../../faults/fault-registry.js';
import { faultSchema, toPlainFault, type Fault } from '../../faults/parse.js';
import { integer } from '../../utils/check.js';
import { type ControlInput, checkedByService, notFound, route } from '../route.js';

/** A fault as the control API shows it. */
export const FaultShown = z.object({ id: integer(0), fault: faultSchema, hits: integer(0) });

export function showFault({ id, fault, hits }: FaultHandle): object {
  return { id, fault: toPlainFault(fault), hits };
}

function faultOf({ service, id }: ControlInput): FaultHandle {
  const found = /^\d+$/.test(id) ? service.faults.get(Number(id)) : undefined;
  if (found) return found;
  throw notFound(`There is no fault ${id}: it was removed, or never added.`);
}

export const faultRoutes = {
  'GET /faults': route({
    summary: 'The faults in force, each with its id and how many requests it has hit',
    response: z.array(FaultShown),
    run: ({ service }) => service.faults.list().map(showFault),
  }),
  'POST /faults': route({
    summary: 'Adds a fault: {"operation": "listPets", "status": 503, "times": 2}',
    body: checkedByService('a fault, as in { "status": 503, "times": 2 }', faultSchema),
    response: FaultShown,
    run: ({ service, body }) => showFault(service.faults.add(body as unknown as Fault)),
  }),
  'DELETE /faults': route({
    summary: 'Removes all faults',
    run: ({ service }) => service.faults.clear(),
  }),
  'GET /faults/{id}': route({
    summary: 'One fault, also when it has had all its hits',
    response: FaultShown,
    run: (input) => showFault(faultOf(input)),
  }),
  'DELETE /faults/{id}': route({
    summary: 'Removes one fault',
    run: (input) => faultOf(input).remove(),
  }),
};
