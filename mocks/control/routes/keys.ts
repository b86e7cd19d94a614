import * as z from 'zod/mini';
import type { Quota } from '../../../src/contract/rate-limits.js';
import { readDuration, type Duration } from '../../clock/duration.js';
import { planOf, quotaOf } from '../../limits/keys.js';
import {
  keyRows,
  planSchema,
  usageRows,
  type MockKey,
  type WindowName,
} from '../../limits/key-types.js';
import { check, integer, optional } from '../../utils/check.js';
import { meant } from '../../utils/options.js';
import { type ControlInput, duration, notFound, route } from '../route.js';

const usage = z.object(usageRows);

/** A key as the control API shows it. Times are ms since the epoch. */
export const KeyShown = z.object({
  ...keyRows,
  usage: z.object({ minute: usage, day: usage }),
  bannedUntil: z.nullable(z.number()),
});

/** JSON leaves out the methods of a key. */
export const showKey = (key: MockKey): object => ({ ...key, bannedUntil: key.bannedUntil ?? null });

/** What a key has left of its quota. */
const remainingOf = ({ perMinute, perDay }: Partial<Quota>) =>
  optional({ minute: integer(0, perMinute), day: integer(0, perDay) });

/** Changes of one key. They are applied together, in this order. */
const keyChange = optional({
  plan: planSchema,
  limits: keyRows.limits,
  remaining: remainingOf({}),
  exhaust: z.literal(['minute', 'day']),
  ban: z.union([z.literal(true), duration]),
  unban: z.literal(true),
  revoke: z.literal(true),
});

export const keyRoutes = {
  'GET /keys': route({
    summary: 'The keys, with their plans, what they have used, and bans',
    response: z.array(KeyShown),
    run: ({ service }) => service.keys.list().map(showKey),
  }),
  'GET /keys/{key}': route({
    summary: 'One key',
    response: KeyShown,
    run: (input) => showKey(keyOf(input)),
  }),
  'PUT /keys/{key}': route({
    summary:
      'Changes a key: its plan, what it has left, a ban. With a plan, adds the key if it is new',
    body: keyChange,
    response: KeyShown,
    run: changeKey,
  }),
  'DELETE /keys/{key}': route({
    summary: 'Revokes a key: requests with it are answered 401',
    run: (input) => keyOf(input).revoke(),
  }),
};

function keyOf({ service: { keys }, id }: ControlInput): MockKey {
  if (keys.has(id)) return keys.get(id);
  const known = keys.list().map(({ key }) => key);
  throw notFound(
    `There is no key ${id}${meant(id, known) || '.'} To add it, give its plan: PUT /_mock/keys/${id} with { "plan": "free" }.`,
  );
}

/** Adds the key if it is new, and applies the change: all of it, or nothing. */
function changeKey(input: ControlInput<z.output<typeof keyChange>>): object {
  const { service, id, body } = input;
  const known = service.keys.has(id) || !body.plan ? keyOf(input) : undefined;
  const plan = body.plan ?? planOf(known!);
  const { limits = known?.limits, remaining = {}, exhaust, unban, revoke } = body;
  const ban = body.ban as true | Duration | undefined;
  const banFor = ban === true ? undefined : ban;
  // What depends on the quota and the clock is checked before anything is changed.
  const quota = quotaOf(plan, service.assumptions.enterpriseQuota);
  check(remainingOf(quota), remaining, 'body.remaining');
  if (banFor !== undefined) readDuration(banFor);
  const isAdded = !known || body.plan !== undefined || body.limits !== undefined;
  const key = isAdded ? service.keys.add(id, { plan, ...(limits && { limits }) }) : known;
  for (const [window, count] of Object.entries(remaining))
    if (count !== undefined) key.setRemaining(window as WindowName, count);
  if (exhaust) key.exhaust(exhaust);
  if (ban !== undefined) key.ban(banFor);
  if (unban) key.unban();
  const shown = showKey(key);
  if (revoke) key.revoke();
  return shown;
}
