import * as z from 'zod/mini';
import type { PlanName, Quota } from '../../src/contract/index.js';
import { plans } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { Problem } from '../http/problem.js';
import { markKey } from '../inspect/journal.js';
import { among, checkOptions, optional } from '../utils/check.js';
import type { KeyOptions } from './key-types.js';
import type { Account } from './limiter.js';

/** The keys that exist in every service from the start, each on the plan in its name. */
export const knownKeys = {
  'mock-free': 'free',
  'mock-pro': 'pro',
  'mock-business': 'business',
  'mock-enterprise': 'enterprise',
} as const;

/** Who sends a request. */
export interface Caller {
  /** The key, where it is valid. */
  readonly key: string | undefined;
  /** The key as the journal shows it; undefined where there was none. */
  readonly name: string | undefined;
  /** The account that the limiter counts: that of the key, or the one shared by all requests without a valid key. */
  readonly account: Account;
  /** Why the request has no valid key. */
  readonly problem: Problem | undefined;
}

/** The token of `Authorization: Bearer <API_KEY>`. Service interface: "Authentication", 2. */
function apiKeyOf(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1];
}

const optionsSchema = optional({ plan: z.unknown(), limits: among('on', 'off') });

/** Whether a value may be a key: visible ASCII characters without spaces. */
function isKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

/** The keys of a service, and the account of each. */
export class KeyRegistry {
  readonly #assumptions: Assumptions;
  readonly #limits: 'on' | 'off';
  #accounts = new Map<string, Account>();
  /** The account of all requests without a valid key. */
  #anonymous!: Account;

  constructor(
    assumptions: Assumptions,
    limits: 'on' | 'off',
    given: Readonly<Record<string, KeyOptions>>,
  ) {
    this.#assumptions = assumptions;
    this.#limits = limits;
    this.load([]);
    for (const [key, plan] of Object.entries(knownKeys)) this.add(key, { plan });
    for (const [key, options] of Object.entries(given)) this.add(key, options);
  }

  find(key: string): Account | undefined {
    return this.#accounts.get(key);
  }

  /** Identifies the sender of a request. No message repeats the key that was sent: it may be a real one. */
  identify(authorization: string | null): Caller {
    const key = apiKeyOf(authorization);
    const account = key === undefined ? undefined : this.#accounts.get(key);
    if (account) return { key, name: key, account, problem: undefined };
    const problem =
      key === undefined ? missingKey(authorization) : invalidKey([...this.#accounts.keys()]);
    const name = key === undefined ? undefined : markKey(key);
    return { key: undefined, name, account: this.#anonymous, problem };
  }

  /** Adds a key, or changes the plan of a known one. @throws TypeError before anything is changed. */
  add(key: string, options: KeyOptions): Account {
    checkOptions('keys.add(key, { plan })', optionsSchema, options);
    const made = this.newAccount(key, options.plan, options.limits ?? this.#limits);
    const { plan, quota, limits, coolDowns } = made;
    const known = this.#accounts.get(key);
    if (known) return Object.assign(known, { plan, quota, limits, coolDowns });
    this.#accounts.set(key, made);
    return made;
  }

  remove(key: string): boolean {
    return this.#accounts.delete(key);
  }

  names(): string[] {
    return [...this.#accounts.keys()];
  }

  /** The accounts of all keys, in the order they were added. */
  accounts(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  /** Makes the account of a key that has used nothing yet. @throws TypeError for an invalid key or plan. */
  newAccount(key: string, plan: PlanName | Quota, limits: 'on' | 'off'): Account {
    if (!isKey(key))
      throw new TypeError('A key is one or more visible ASCII characters without spaces');
    return {
      key,
      plan: typeof plan === 'string' ? plan : 'custom',
      quota: quotaOf(plan, this.#assumptions.enterpriseQuota),
      limits,
      strikes: 0,
      coolDowns: [],
    };
  }

  /** Replaces all accounts. */
  load(accounts: readonly Account[]): void {
    const { unauthorizedQuota } = this.#assumptions;
    this.#anonymous = { ...this.newAccount('anonymous', unauthorizedQuota, this.#limits), key: '' };
    this.#accounts = new Map(accounts.map((account) => [account.key, account]));
  }
}

function missingKey(authorization: string | null): Problem {
  const hint =
    authorization === null
      ? 'send Authorization: Bearer <API_KEY>'
      : 'Authorization must have the form: Bearer <API_KEY>';
  return new Problem('missingKey', 'An API key is required.', hint);
}

/** Pages of any origin can read the hint, so it names only the keys that the documentation lists. */
function invalidKey(known: readonly string[]): Problem {
  const shown = Object.keys(knownKeys).filter((key) => known.includes(key));
  const use = shown.length === 0 ? 'use a key of this service' : `use one of ${shown.join(', ')}`;
  const hint = `${use}, or keys.add(key, { plan })`;
  return new Problem('invalidKey', 'The API key is not valid.', hint);
}

/** The quota of a plan. @throws TypeError when the value is not a plan. */
export function quotaOf(plan: PlanName | Quota, enterprise: Quota): Quota {
  const quota =
    typeof plan === 'string' ? (Object.hasOwn(plans, plan) ? plans[plan] : undefined) : plan;
  if (quota === 'custom') return enterprise;
  if (quota && isCount(quota.perMinute) && isCount(quota.perDay))
    return { perMinute: quota.perMinute, perDay: quota.perDay };
  const names = Object.keys(plans).join(', ');
  throw new TypeError(
    `A plan is one of ${names}, or { perMinute, perDay } with integers of 1 or more; got ${JSON.stringify(plan)}`,
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
