import * as z from 'zod/mini';
import { plans, type PlanName } from '../../src/contract/index.js';
import type { Duration } from '../clock/duration.js';
import { quotaSchema } from '../assumptions/table.js';
import { integer } from '../utils/check.js';

/** The names of the published plans. */
const planNames = Object.keys(plans) as PlanName[];

/** A published plan, or a quota. */
export const planSchema = z.union([z.literal(planNames), quotaSchema]);

const error = 'must be visible ASCII characters without spaces';
/** A key. */
export const keySchema = z.string({ error }).check(z.regex(/^[\x21-\x7e]+$/, { error }));

/** The two windows of a quota. */
export type WindowName = 'minute' | 'day';

/** The fields of a key. Its type, the control API and the snapshot are derived from these rows. */
export const keyRows = {
  /** The key itself: visible ASCII characters. */
  key: keySchema,
  /** The name of its plan; `'custom'` for a quota of your own. */
  plan: z.literal([...planNames, 'custom']),
  /** The requests that the plan allows. */
  quota: quotaSchema,
  /** Whether its quota is enforced. */
  limits: z.literal(['on', 'off']),
  /** Strikes: requests during a cool-down. Enough of them lead to a ban, whose end clears them. */
  strikes: integer(0),
};

/** The fields of one window of a key. */
export const usageRows = {
  /** Requests the window allows. */
  limit: integer(0),
  /** Requests counted in it, at most the limit. */
  used: z.number(),
  /** Requests left. */
  remaining: integer(0),
  /** When it resets, ms since the epoch. */
  resetAt: z.number(),
};

/**
 * One window of a key, now.
 *
 * @interface
 */
export type WindowUsage = {
  readonly [Field in keyof typeof usageRows]: z.output<(typeof usageRows)[Field]>;
};

export const keyOptions = z.strictObject({
  /** A published plan, or a quota of your own (integers of 1 or more). `'enterprise'` is 1,000,000 a minute in the mock. */
  plan: planSchema,
  /** `'off'`: its quota is never enforced. Default: the option `limits` of the service. */
  limits: z.optional(z.literal(['on', 'off'])),
});

/**
 * The plan of a key.
 *
 * @interface
 */
export type KeyOptions = Readonly<z.input<typeof keyOptions>>;

/** One key of the service. Its fields are read at each use. */
export interface MockKey extends Readonly<z.output<z.ZodMiniObject<typeof keyRows>>> {
  /** The requests that were counted in each window. */
  readonly usage: Readonly<Record<WindowName, WindowUsage>>;
  /** When its ban ends, ms since the epoch; undefined when it is not banned. */
  readonly bannedUntil: number | undefined;
  /** Sets how many requests are left in the minute. @throws RangeError unless an integer from 0 to the limit. */
  setRemaining(remaining: number): void;
  /** Sets how many requests are left in the window. @throws RangeError unless an integer from 0 to the limit; TypeError for an unknown window. */
  setRemaining(window: WindowName, remaining: number): void;
  /** Leaves no request in the window. @throws TypeError for an unknown window. */
  exhaust(window: WindowName): void;
  /**
   * Bans the key from now on, for at most 100 years. If the clock is set to before its start, the next request ends the ban.
   * Default: the `ban` of the strike rule.
   *
   * @throws RangeError for an invalid duration.
   */
  ban(duration?: Duration): void;
  /** Ends a ban, and clears the strikes. */
  unban(): void;
  /** Requests with the key are answered 401 from now on. */
  revoke(): void;
}

/** The keys of the service. */
export interface MockKeys {
  /**
   * Adds a key, or changes the plan of a known key, which keeps its usage (a token bucket its level), strikes and ban.
   *
   * @throws TypeError for an unknown plan or a malformed key.
   */
  add(key: string, options: KeyOptions): MockKey;
  /** Requests with the key are answered 401 from now on. True if the key was known. A key that is added again keeps its earlier usage. */
  revoke(key: string): boolean;
  /** The key. @throws Error when the key is not known: see `has`. */
  get(key: string): MockKey;
  /** Whether the key is known. */
  has(key: string): boolean;
  /** All of them, in the order they were added. */
  list(): readonly MockKey[];
}
