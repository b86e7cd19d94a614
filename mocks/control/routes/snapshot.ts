import * as z from 'zod/mini';
import { PetSchema } from '../../../src/contract/index.js';
import { Int64Schema } from '../../../src/contract/int64.js';
import { strictObject } from '../../../src/contract/schema-builders.js';
import { parse } from '../read-body.js';
import type { Routes } from '../route.js';
import { applySnapshot, takeSnapshot, type PlainSnapshot } from '../snapshot.js';
import { faultObject } from './faults.js';
import { oneOf, whole } from './fields.js';
import { plan } from './keys.js';

const time = z.number({ error: 'must be ms since the epoch' });
const usage = strictObject({ used: whole(0), resetAt: time }, 'must be { "used", "resetAt" }');

const pet = strictObject(PetSchema.shape, 'must be a pet with its id');

const snapshot = strictObject(
  {
    version: z.literal(1, { error: 'must be 1: the snapshot is of another version' }),
    now: time,
    nextId: Int64Schema,
    pets: z.array(pet, { error: 'must be an array of pets' }),
    keys: z.array(
      strictObject(
        {
          key: z.string({ error: 'must be a key' }),
          plan,
          limits: oneOf('on', 'off'),
          used: strictObject({ minute: usage, day: usage }, 'must be { "minute", "day" }'),
          bannedUntil: z.union([z.null(), time], { error: 'must be ms since the epoch, or null' }),
        },
        'must be a key',
      ),
      { error: 'must be an array of keys' },
    ),
    faults: z.array(faultObject, { error: 'must be an array of faults' }),
  },
  'must be a response of GET /_mock/snapshot',
);

export const snapshotRoutes: Routes = {
  'GET /snapshot': {
    summary: 'Pets, keys, quotas, bans, faults and the clock as plain JSON',
    run: ({ service }) => takeSnapshot(service),
  },
  'PUT /snapshot': {
    summary: 'Restores a response of GET /_mock/snapshot. A system clock keeps its time',
    body: snapshot,
    run({ service, body }) {
      applySnapshot(service, parse(snapshot, body) as unknown as PlainSnapshot);
    },
  },
};
