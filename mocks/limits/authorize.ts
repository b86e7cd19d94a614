import { Problem } from '../http/problem.js';
import type { KeyRegistry } from './keys.js';
import type { Caller, Verdict } from './limiter.js';
import type { Assumptions } from '../assumptions/assumptions.js';

/** The token of `Authorization: Bearer <API_KEY>`. Service interface: "Authentication", 2. */
export function bearer(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1];
}

/** Whose request it is, or why nobody's. Never repeats what was sent: it may be a real key. */
export function identify(
  authorization: string | null,
  key: string | undefined,
  registry: KeyRegistry,
): Caller | Problem {
  const caller = key === undefined ? undefined : registry.find(key);
  if (caller) return caller;
  if (key !== undefined)
    return new Problem(
      'invalidKey',
      401,
      'The API key is not valid.',
      `use one of ${registry.names().slice(0, 8).join(', ')}, or keys.add(key, { plan })`,
    );
  const hint =
    authorization === null
      ? 'send Authorization: Bearer <API_KEY>'
      : 'Authorization must have the form: Bearer <API_KEY>';
  return new Problem('missingKey', 401, 'An API key is required.', hint);
}

/** Why a request goes no further than its key or quota; undefined when it does. */
export function refusal(
  who: Caller | Problem,
  verdict: Verdict,
  assumptions: Assumptions,
  now: number,
): Problem | undefined {
  const { refusedFor, until } = verdict;
  if (refusedFor === undefined) return who instanceof Problem ? who : undefined;
  const seconds = Math.ceil((until - now) / 1_000);
  if (refusedFor !== 'ban') {
    const hint = `send nothing for ${seconds} s: the limit of the ${refusedFor} is reached until ${clockTime(until)}`;
    return new Problem(
      'rateLimited',
      429,
      `Too many requests: the limit of the ${refusedFor} is reached.`,
      hint,
      { until },
    );
  }
  const { status, retryAfter } = assumptions.bannedAnswer;
  const hint = `the key is banned until ${clockTime(until)}, for requests sent after a 429; keys.get(key).unban() ends it`;
  return new Problem('banned', status, 'The API key is banned for a time.', hint, {
    until: retryAfter ? until : undefined,
  });
}

function clockTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
