import type { Ask } from '../asks.js';
import type { Seen } from './run.js';

const flags = {
  posts: 'it sends bodies: --allow-posts',
  create: 'it creates pets, which stay: --allow-create',
  'rate-limit': 'it uses up the quota: --allow-rate-limit',
  'second-key': 'it takes two keys: --second-key',
} as const satisfies Record<NonNullable<Ask['needs']>, string>;

/** Why a planned request was not sent, with the flag that would send it. */
export function whyNotSent(ask: Ask, seen: Seen): string {
  const { needs, method } = ask;
  if (needs === 'rate-limit' && seen.notLimited !== undefined) return seen.notLimited;
  if (method === 'POST' && seen.postsEnded !== undefined) return seen.postsEnded;
  if (needs && !seen.allowed.has(needs)) return flags[needs];
  return seen.stopped ?? 'it depends on an answer that did not come';
}
