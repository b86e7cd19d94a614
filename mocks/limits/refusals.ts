import type { Assumptions } from '../assumptions/assumptions.js';
import { Problem } from '../http/problem.js';
import type { Caller, Verdict } from './limiter.js';

/** Why a request goes no further than its key or quota; undefined when it does. */
export function refusal(who: Caller | Problem, verdict: Verdict, assumed: Assumptions, now: number): Problem | undefined {
  const { refusedFor, until } = verdict;
  if (refusedFor === undefined) return who instanceof Problem ? who : undefined;
  const seconds = Math.ceil((until - now) / 1_000);
  if (refusedFor !== 'ban') {
    const mend = `send nothing for ${seconds} s: the limit of the ${refusedFor} is reached until ${clockTime(until)}`;
    return new Problem('rateLimited', 429, `Too many requests: the limit of the ${refusedFor} is reached.`, mend, { until });
  }
  const { status, retryAfter } = assumed.bannedAnswer;
  const mend = `the key is banned until ${clockTime(until)}, for requests sent after a 429; keys.get(key).unban() ends it`;
  return new Problem('banned', status, 'The API key is banned for a time.', mend, { until: retryAfter ? until : undefined });
}

function clockTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
