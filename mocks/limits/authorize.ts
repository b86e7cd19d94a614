import { Problem } from '../http/problem.js';
import type { KeyRing } from './keys.js';
import type { Caller } from './limiter.js';

/** The token of `Authorization: Bearer <API_KEY>`. Service interface: "Authentication", 2. */
export function bearer(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1];
}

/** Whose request it is, or why nobody's. Never repeats what was sent: it may be a real key. */
export function identify(authorization: string | null, key: string | undefined, ring: KeyRing): Caller | Problem {
  const caller = key === undefined ? undefined : ring.find(key);
  if (caller) return caller;
  if (key !== undefined)
    return new Problem(
      'invalidKey',
      401,
      'The API key is not valid.',
      `use one of ${ring.names().slice(0, 8).join(', ')}, or keys.add(key, { plan })`,
    );
  const mend = authorization === null ? 'send Authorization: Bearer <API_KEY>' : 'Authorization must have the form: Bearer <API_KEY>';
  return new Problem('missingKey', 401, 'An API key is required.', mend);
}
