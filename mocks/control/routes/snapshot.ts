import * as z from 'zod/mini';
import type { Snapshot } from '../../service/snapshot/schema.js';
import { schemas } from '../json-schemas.js';
import type { Routes } from '../route.js';

/** Checked by the service, which says what is wrong with a snapshot. */
const snapshot = z.record(z.string(), z.unknown(), {
  error: 'must be a response of GET /_mock/snapshot',
});

export const snapshotRoutes: Routes = {
  'GET /snapshot': {
    summary: 'Pets, keys, quotas, strikes, bans, faults and the clock as plain JSON',
    response: schemas.snapshot,
    run: ({ service }) => service.snapshot(),
  },
  'PUT /snapshot': {
    summary: 'Restores a response of GET /_mock/snapshot. A system clock keeps its time',
    body: snapshot,
    bodySchema: schemas.snapshot,
    run({ service, body }) {
      service.restore(body as Snapshot);
    },
  },
};
