import { countOf } from '../../utils/options.js';

/** Whose key a request carries: the one given, a second one, one that no service knows, or none. */
export type KeyClass = 'own' | 'second' | 'invalid' | 'none';

/** One request of a case, as data. Two equal requests are sent once; `nth` distinguishes repeated ones. */
export interface Ask {
  readonly method: string;
  /** Behind the base path, with the query: `/pets?limit=1`. */
  readonly path: string;
  readonly key: KeyClass;
  readonly body?: string;
  /** `Content-Type`; default for a body: `application/json`. */
  readonly type?: string;
  /** Which of several equal requests it is; default 1. */
  readonly nth?: number;
  /** True where a service that keeps to the interface makes a pet of it. */
  readonly creates?: boolean;
  /** True where a 429 is what is asked for. */
  readonly burst?: boolean;
  /** Not to be sent before this time, ms since the epoch. */
  readonly notBefore?: number;
}

/** Whether a request carries a key that the service knows. */
export const hasKey = ({ key }: Ask): boolean => key === 'own' || key === 'second';

/** An answer, without the keys. */
export interface Answer {
  readonly status: number;
  /** The headers that a judge may look at, by name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body read as JSON with exact int64; undefined where it is none. */
  readonly json: unknown;
}

/** One request with what came of it: an answer, or why there is none. */
export interface Exchange {
  readonly ask: Ask;
  /** When it was sent and its answer was read, ms since the epoch on the clock of this machine. */
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly answer: Answer | undefined;
  /** Why there is no answer. */
  readonly failed: string | undefined;
}

const identities = /* @__PURE__ */ new WeakMap<Ask, string>();

/** Two requests with the same identity are sent once. */
export function identityOf(ask: Ask): string {
  const known = identities.get(ask);
  if (known !== undefined) return known;
  const { method, path, key, body, type, nth = 1 } = ask;
  // A long body is identified by its length: no case sends two of the same length.
  const sent = body === undefined || body.length <= 1_000 ? (body ?? null) : body.length;
  const identity = JSON.stringify([method, path, key, sent, type ?? null, nth]);
  identities.set(ask, identity);
  return identity;
}

/** A request in a line of a report. A long body is shown by its length. */
export function describeAsk({ method, path, key, body, nth = 1 }: Ask): string {
  const who = {
    own: '',
    second: ' with the second key',
    invalid: ' with an invalid key',
    none: ' without a key',
  }[key];
  const size =
    body === undefined ? '' : ` with ${body.length <= 100 ? body : `${body.length} bytes`}`;
  return `${method} ${path}${size}${who}${nth > 1 ? ` (no. ${nth})` : ''}`;
}

/** An exchange in a line of a report: the request, the status, and of a list how many pets it has. */
export function describeExchange({ ask, answer, failed }: Exchange): string {
  if (!answer) return `${describeAsk(ask)} → ${failed ?? 'no answer'}`;
  const count = Array.isArray(answer.json) ? `, ${countOf(answer.json.length, 'pet')}` : '';
  return `${describeAsk(ask)} → ${answer.status}${count}`;
}
