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
  if (limitedBy !== 'ban') {
    const reached = `the limit of the ${limitedBy} is reached`;
    const hint = `wait ${Math.ceil((retryAt - now) / 1_000)} s: ${reached} until ${clockTime(retryAt)}`;
    return new Problem('rateLimited', `Too many requests: ${reached}.`, hint, { retryAt });
  }
  const hint = `the key is banned until ${clockTime(retryAt)}, because of requests after a 429; keys.get(key).unban() ends the ban`;
  const told = assumptions.answers.banned.retryAfter ? retryAt : undefined;
  return new Problem('banned', 'The API key is banned temporarily.', hint, { retryAt: told });
}

function clockTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
