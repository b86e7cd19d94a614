import type { Assumptions } from '../assumptions/assumptions.js';
import { Problem } from '../http/problem.js';
import type { Decision } from './cool-down.js';

/** The problem to respond with when the limiter does not allow a request; undefined for an allowed one. */
export function rateLimitProblem(
  { limitedBy, retryAt }: Decision,
  assumptions: Assumptions,
  now: number,
): Problem | undefined {
  if (limitedBy === undefined) return undefined;
  const seconds = Math.ceil((retryAt - now) / 1_000);
  if (limitedBy !== 'ban')
    return new Problem(
      'rateLimited',
      `Too many requests: the limit of the ${limitedBy} is reached.`,
      `wait ${seconds} s: the limit of the ${limitedBy} is reached until ${clockTime(retryAt)}`,
      { retryAt },
    );
  return new Problem(
    'banned',
    'The API key is banned temporarily.',
    `the key is banned until ${clockTime(retryAt)}, because of requests after a 429; keys.get(key).unban() ends the ban`,
    { retryAt: assumptions.answers.banned.retryAfter ? retryAt : undefined },
  );
}

function clockTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
