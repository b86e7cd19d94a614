import { plans, type PlanName, type Quota } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { type Duration, readDuration } from '../clock/duration.js';
import { Problem } from '../http/problem.js';
import { markKey } from '../inspect/journal.js';
import { check, checkOptions } from '../utils/check.js';
import { checkName } from '../utils/options.js';
import { isOver, type Account } from './cool-down.js';
import {
  keyOptions,
  keySchema,
  type KeyOptions,
  type MockKey,
  type MockKeys,
  type WindowName,
} from './key-types.js';
import type { RateLimiter } from './limiter.js';

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

/** What the keys need of their service. */
interface KeyParts {
  readonly assumptions: Assumptions;
  readonly limiter: RateLimiter;
  /** The time of the limiter. */
  readonly now: () => number;
  readonly limits: 'on' | 'off';
}

/** The keys of a service, and the account of each. */
export class Keys implements MockKeys {
  readonly #parts: KeyParts;
  readonly #accounts = new Map<string, Account>();
  /** The account of all requests without a valid key. */
  #anonymous!: Account;

  constructor(parts: KeyParts) {
    this.#parts = parts;
    this.load([]);
    for (const [key, plan] of Object.entries(knownKeys)) this.add(key, { plan });
  }

  add(key: string, options: KeyOptions): MockKey {
    const { plan, limits = this.#parts.limits } = checkOptions(
      'keys.add(key, { plan })',
      keyOptions,
      options,
    );
    const known = this.#accounts.get(check(keySchema, key, 'key'));
    this.#accounts.set(key, this.#account(key, plan, limits, known));
    return this.#view(key);
  }

  revoke(key: string): boolean {
    return this.#accounts.delete(key);
  }

  get(key: string): MockKey {
    return this.#view(this.#find(key).key);
  }

  has(key: string): boolean {
    return this.#accounts.has(key);
  }

  list(): readonly MockKey[] {
    return this.names().map((key) => this.#view(key));
  }

  names(): string[] {
    return [...this.#accounts.keys()];
  }

  /** Identifies the sender of a request. No message repeats the key that was sent: it may be a real one. */
  identify(authorization: string | null): Caller {
    // Service interface: "Authentication", 2.
    const key = /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1];
    const account = this.#accounts.get(key ?? '');
    if (account) return { key, name: key, account, problem: undefined };
    const problem = key === undefined ? missingKey(authorization) : invalidKey(this.#accounts);
    const name = key && markKey(key);
    return { key: undefined, name, account: this.#anonymous, problem };
  }

  /** The accounts of all keys, in the order they were added. */
  accounts(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  /** Replaces all accounts. The quota of an Enterprise key is not theirs: it is an assumption of this service. */
  load(accounts: readonly Account[]): void {
    const { assumptions, limits } = this.#parts;
    this.#anonymous = this.#account('', assumptions.unauthorizedQuota, limits);
    this.#accounts.clear();
    for (const one of accounts)
      this.#accounts.set(one.key, this.#account(one.key, planOf(one), one.limits, one));
  }

  /** The account of a key, new unless it is known, with this plan. */
  #account(key: string, plan: PlanName | Quota, limits: 'on' | 'off', known?: Account): Account {
    const quota = quotaOf(plan, this.#parts.assumptions.enterpriseQuota);
    const name = typeof plan === 'string' ? plan : 'custom';
    const given = { key, plan: name, quota, limits } as const;
    return Object.assign(known ?? { ...given, strikes: 0, coolDowns: [] }, given);
  }

  #find(key: string): Account {
    const account = this.#accounts.get(key);
    if (account) return account;
    const known = this.names().join(', ');
    throw new Error(`The key is not known: add it with keys.add(key, { plan }). Known: ${known}`);
  }

  #view(key: string): MockKey {
    const account = () => this.#find(key);
    const { assumptions, limiter, now } = this.#parts;
    /** Undefined where its ban and its strikes are over. */
    const current = () => (isOver(account(), now()) ? undefined : account());
    const usage = (window: WindowName) => limiter.usage(account(), window, now());
    const setRemaining = (window: WindowName, remaining: number) => {
      checkName('window', window, ['minute', 'day']);
      limiter.setRemaining(account(), window, now(), remaining);
    };
    return {
      key,
      get plan() {
        return account().plan;
      },
      get quota() {
        return account().quota;
      },
      get limits() {
        return account().limits;
      },
      get usage() {
        return { minute: usage('minute'), day: usage('day') };
      },
      get bannedUntil() {
        return current()?.ban?.until;
      },
      get strikes() {
        return current()?.strikes ?? 0;
      },
      setRemaining: (...given: [number] | [WindowName, number]) =>
        given.length === 1 ? setRemaining('minute', given[0]) : setRemaining(...given),
      exhaust: (window) => setRemaining(window, 0),
      ban: (duration: Duration = assumptions.ban) =>
        limiter.ban(account(), now(), readDuration(duration)),
      unban: () => limiter.unban(account()),
      revoke: () => void this.revoke(key),
    };
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
function invalidKey(known: ReadonlyMap<string, unknown>): Problem {
  const shown = Object.keys(knownKeys).filter((key) => known.has(key));
  const use = shown.length === 0 ? 'use a key of this service' : `use one of ${shown.join(', ')}`;
  const hint = `${use}, or keys.add(key, { plan })`;
  return new Problem('invalidKey', 'The API key is not valid.', hint);
}

/** The quota of a plan: a copy, because that of a published plan is shared by all services. */
export function quotaOf(plan: PlanName | Quota, enterprise: Quota): Quota {
  const quota = typeof plan === 'string' ? plans[plan] : plan;
  return Object.freeze({ ...(quota === 'custom' ? enterprise : quota) });
}

/** What `keys.add` takes as the plan of a key, to leave it as it is. */
export const planOf = ({ plan, quota }: Pick<MockKey, 'plan' | 'quota'>): PlanName | Quota =>
  plan === 'custom' ? quota : plan;
