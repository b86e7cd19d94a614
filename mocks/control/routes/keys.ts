import * as z from 'zod/mini';
import { plans, type PlanName, type Quota } from '../../../src/contract/rate-limits.js';
import { strictObject } from '../../../src/contract/schema-builders.js';
import type { MockKey } from '../../limits/key-types.js';
import { endOfBan } from '../../limits/keys-api.js';
import type { Duration } from '../../clock/duration.js';
import type { MockService } from '../../service/types.js';
import { meant } from '../../utils/options.js';
import type { ControlError } from '../read-body.js';
import { invalidValue, notFound, parse } from '../read-body.js';
import { schemas } from '../json-schemas.js';
import type { Routes } from '../route.js';
import { isKey, quotaOf } from '../../limits/key-registry.js';
import { duration, oneOf, onlyTrue, whole } from './fields.js';

const planError = `must be the name of a plan (${Object.keys(plans).join(', ')}), or { "perMinute": 10, "perDay": 500 }`;
const quota = strictObject({ perMinute: whole(1), perDay: whole(1) }, planError);
const plan = z.union([z.string({ error: planError }), quota], { error: planError });

/** Changes of one key. They are applied together, in this order. */
const keyChange = strictObject(
  {
    plan: z.optional(plan),
    limits: z.optional(oneOf('on', 'off')),
    remaining: z.optional(
      strictObject(
        { minute: z.optional(whole(0)), day: z.optional(whole(0)) },
        'must be { "minute", "day" }',
      ),
    ),
    exhaust: z.optional(oneOf('minute', 'day')),
    ban: z.optional(
      z.union([z.literal(true), duration], { error: "must be true, ms, or a text such as '10m'" }),
    ),
    unban: z.optional(onlyTrue),
    revoke: z.optional(onlyTrue),
  },
  'must be an object of changes, as in { "plan": "pro" }',
);

type KeyChange = z.output<typeof keyChange>;

export const keyRoutes: Routes = {
  'GET /keys': {
    summary: 'The keys, with their plans, what they have used, and bans',
    response: schemas.keys,
    run: ({ service }) => service.keys.list().map(showKey),
  },
  'GET /keys/{key}': {
    summary: 'One key',
    response: schemas.key,
    run: ({ service, params }) => showKey(needKey(service, params['key']!)),
  },
  'PUT /keys/{key}': {
    summary:
      'Changes a key: its plan, what it has left, a ban. With a plan, adds the key if it is new',
    body: keyChange,
    response: schemas.key,
    run: ({ service, body, params }) => changeKey(service, params['key']!, parse(keyChange, body)),
  },
  'DELETE /keys/{key}': {
    summary: 'Revokes a key: requests with it are answered 401',
    run({ service, params }) {
      needKey(service, params['key']!).revoke();
    },
  },
};

function needKey(service: MockService, key: string): MockKey {
  if (service.keys.has(key)) return service.keys.get(key);
  throw unknownKey(service, key);
}

function unknownKey(service: MockService, key: string): ControlError {
  const near = meant(
    key,
    service.keys.list().map((one) => one.key),
  );
  return notFound(
    `There is no key ${key}${near || '.'} To add it, give its plan: PUT /_mock/keys/${key} with { "plan": "free" }.`,
  );
}

function planOf(key: MockKey | undefined): PlanName | Quota | undefined {
  return key?.plan === 'custom' ? key.quota : key?.plan;
}

/** Adds the key if it is new, and applies the change: all of it, or nothing. */
function changeKey(service: MockService, name: string, change: KeyChange): object {
  const known = service.keys.has(name) ? service.keys.get(name) : undefined;
  const plan = (change.plan ?? planOf(known)) as PlanName | Quota | undefined;
  if (!isKey(name))
    throw invalidValue('A key is one or more visible ASCII characters without spaces.');
  if (plan === undefined) throw unknownKey(service, name);
  checkChange(service, plan, change);

  const limits = change.limits ?? known?.limits;
  const isNew = !known || change.plan !== undefined || change.limits !== undefined;
  const key = isNew ? service.keys.add(name, { plan, ...(limits && { limits }) }) : known;
  const { remaining = {}, exhaust, ban } = change;
  for (const window of ['minute', 'day'] as const)
    if (remaining[window] !== undefined) key.setRemaining(window, remaining[window]);
  if (exhaust) key.exhaust(exhaust);
  if (ban !== undefined) key.ban(readBan(ban));
  if (change.unban) key.unban();
  const shown = showKey(key);
  if (change.revoke) key.revoke();
  return shown;
}

/** The duration of a ban; undefined for the usual one. */
const readBan = (ban: true | number | string) => (ban === true ? undefined : (ban as Duration));

/** Checks everything that could fail, before anything is changed. */
function checkChange(
  { assumptions, clock }: MockService,
  plan: PlanName | Quota,
  { remaining = {}, ban }: KeyChange,
): void {
  const { perMinute, perDay } = quotaOf(plan, assumptions.enterpriseQuota);
  const checkRemaining = (window: string, count: number | undefined, limit: number) => {
    if (count !== undefined && count > limit)
      throw invalidValue(`remaining.${window}: must be an integer from 0 to the limit ${limit}`);
  };
  checkRemaining('minute', remaining.minute, perMinute);
  checkRemaining('day', remaining.day, perDay);
  if (ban !== undefined) endOfBan(assumptions, clock.now() + assumptions.clockSkew, readBan(ban));
}

/** A key as the control API shows it. */
export function showKey(key: MockKey): object {
  const { plan, quota, limits, usage, bannedUntil, strikes } = key;
  return { key: key.key, plan, quota, limits, usage, bannedUntil: bannedUntil ?? null, strikes };
}
