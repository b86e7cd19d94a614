/** What `code` each rule of the service has. */
import { scrubbed } from '../ask/scrub.js';
import {
  answered,
  type Answered,
  beyond,
  codeOf,
  type Known,
  measured,
  undecided,
} from '../case.js';
import { hasKey } from '../ask/request.js';
import type { Verdict } from '../types.js';

/** The rule that an answer was refused by, where request and status leave no doubt. */
function ruleOf({ ask, answer: { status } }: Answered): string | undefined {
  const { method, path, key, body, type } = ask;
  if (status === 429) return hasKey(ask) ? 'rateLimited' : undefined;
  if (status === 401) {
    if (!path.startsWith('/pets')) return undefined;
    return key === 'none' ? 'missingKey' : key === 'invalid' ? 'invalidKey' : undefined;
  }
  if (key !== 'own') return undefined;
  if (method === 'POST') return ruleOfBody(status, body!, type);
  if (path === '/store/orders')
    return status === 501 || status === 403 ? 'notPublished' : undefined;
  if (path.startsWith('/petstore-verify/')) return status === 404 ? 'unknownPath' : undefined;
  if (path.startsWith('/pets?'))
    return status === 400 || status === 422 ? 'invalidQuery' : undefined;
  return path.startsWith('/pets/') && status === 404 ? 'petNotFound' : undefined;
}

function ruleOfBody(status: number, body: string, type: string | undefined): string | undefined {
  if (type !== undefined) return status === 415 || status === 422 ? 'contentType' : undefined;
  if (status === 413) return 'bodyTooLarge';
  if (body === '{') return status === 400 || status === 422 ? 'malformedJson' : undefined;
  return status === 400 && body.length < 200 ? 'invalidBody' : undefined;
}

/** Judges the codes: the value has every rule that was met, and whose answers agree. */
export function judgeCodes(known: Known): Verdict {
  const seen = new Map<string, Set<string>>();
  for (const exchange of answered(known)) {
    const rule = ruleOf(exchange);
    const code = codeOf(exchange.answer.json);
    if (rule === undefined || typeof code !== 'string') continue;
    if (code.includes(scrubbed) || code.length > 100)
      return beyond('a code that repeats the request');
    if (!seen.has(rule)) seen.set(rule, new Set());
    seen.get(rule)!.add(code);
  }
  if (seen.size === 0) return undecided('no error has a code');
  const [unstable] = [...seen].filter(([, codes]) => codes.size > 1);
  if (unstable)
    return undecided(`${unstable[0]} has several: ${[...unstable[1]].slice(0, 4).join(', ')}`);
  return measured(Object.fromEntries([...seen].map(([rule, codes]) => [rule, [...codes][0]!])));
}
