import { operations } from '../../src/contract/index.js';
import { markKey, type RecordedRequest } from './journal.js';

/** What a client may be blamed for. */
export type Offence =
  | 'duringCoolDown'
  | 'bans'
  | 'repeatedPosts'
  | 'rateLimited'
  | 'deprecatedCalls'
  | 'unauthorized'
  | 'maxInFlight';

/** How the client behaved. Counts go on when the journal is full, and begin anew with `reset()`. */
export interface ConductReport {
  /** Requests that arrived. */
  readonly requests: number;
  /** Requests sent while a cool-down (told by an earlier 429), or a ban, was in force. */
  readonly duringCoolDown: number;
  /** 429s provoked. */
  readonly rateLimited: number;
  /** Bans earned; those of `keys.get(key).ban()` do not count. */
  readonly bans: number;
  /** POSTs sent again with the same body, though the one before may have been processed: a retry after 429 is none. */
  readonly repeatedPosts: number;
  /** Calls to deprecated operations. */
  readonly deprecatedCalls: number;
  /** Requests without a valid key. */
  readonly unauthorized: number;
  /** Most requests in flight at once. */
  readonly maxInFlight: number;
  /** What the client did wrong, a sentence each: requests during a cool-down, bans, POSTs sent twice. */
  readonly offences: readonly string[];
  /**
   * Throws an Error that lists the offences, if there are any. By default no request during a cool-down, no ban and no
   * POST sent twice is allowed, and any number of the rest; `allowed` sets the most of each.
   *
   * @example
   * ```ts
   * import { createMockService } from 'petstore-client/mocks';
   *
   * const service = createMockService();
   * service.report().assertPolite({ rateLimited: 0, deprecatedCalls: 0 });
   * ```
   */
  assertPolite(allowed?: Readonly<Partial<Record<Offence, number>>>): void;
}

const sentences: Readonly<Record<Offence, (count: number) => string>> = {
  duringCoolDown: (count) =>
    `${times(count, 'request')} sent while the service had told the client to wait`,
  bans: (count) => `${times(count, 'ban')} earned`,
  repeatedPosts: (count) =>
    `${times(count, 'POST')} sent again though the one before may have been processed`,
  rateLimited: (count) => `${times(count, '429')} provoked`,
  deprecatedCalls: (count) => `${times(count, 'call')} to deprecated operations`,
  unauthorized: (count) => `${times(count, 'request')} without a valid key`,
  maxInFlight: (count) => `${times(count, 'request')} in flight at once`,
};
const failOnUnhandled = { duringCoolDown: 0, bans: 0, repeatedPosts: 0 } as const;

type Counts = Record<Offence | 'requests' | 'inFlight', number>;
interface Tally {
  readonly counts: Counts;
  /** The first request of each offence, in words. */
  readonly first: Partial<Record<Offence, string>>;
}

/** Bodies of POSTs whose outcome the client cannot know are kept for so many. */
const mostLost = 1_000;

/** Counts how the clients behave, in all and for each known key. */
export class Conduct {
  #all = newTally();
  #byKey = new Map<string, Tally>();
  #lost = new Set<string>();

  /** A request is on its way. */
  begin(key: string | undefined): void {
    for (const { counts } of this.#tallies(key)) {
      counts.inFlight++;
      counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
    }
  }

  /** It is over, one way or another. */
  end(key: string | undefined): void {
    for (const { counts } of this.#tallies(key)) counts.inFlight = Math.max(0, counts.inFlight - 1);
  }

  /** A request has arrived. */
  arrived(request: RecordedRequest, known: boolean, startsBan: boolean): void {
    for (const tally of this.#tallies(known ? request.key : undefined)) {
      tally.counts.requests++;
      if (request.inCoolDown) blame(tally, 'duringCoolDown', request);
      if (startsBan) blame(tally, 'bans', request);
      if (!known) blame(tally, 'unauthorized', request);
      if (request.operation && 'deprecated' in operations[request.operation])
        blame(tally, 'deprecatedCalls', request);
    }
  }

  /** The body of a POST was read: has it been sent before, with an outcome that the client cannot know? */
  posted(request: RecordedRequest, body: string): void {
    if (!this.#lost.has(fingerprint(request, body))) return;
    for (const tally of this.#tallies(request.key)) blame(tally, 'repeatedPosts', request);
  }

  /** A request has its answer, or will never have one. */
  answered(
    request: RecordedRequest,
    known: boolean,
    body: string | undefined,
    lost: boolean,
  ): void {
    if (request.status === 429)
      for (const tally of this.#tallies(known ? request.key : undefined))
        blame(tally, 'rateLimited', request);
    if (body === undefined || request.method !== 'POST') return;
    const mark = fingerprint(request, body);
    this.#lost.delete(mark);
    if (lost) this.#lost.add(mark);
    if (this.#lost.size > mostLost) this.#lost.delete(this.#lost.values().next().value!);
  }

  report(key: string | undefined): ConductReport {
    const tally = key === undefined ? this.#all : (this.#byKey.get(key) ?? newTally());
    const { inFlight: _, ...counts } = tally.counts;
    const offences = (allowed: Readonly<Partial<Record<Offence, number>>>) =>
      (Object.keys(sentences) as Offence[])
        .filter((name) => counts[name] > (allowed[name] ?? Infinity))
        .map(
          (name) =>
            sentences[name](counts[name]) +
            (tally.first[name] ? ` (first: ${tally.first[name]})` : ''),
        );
    return {
      ...counts,
      offences: offences(failOnUnhandled),
      assertPolite(allowed = {}) {
        const found = offences({ ...failOnUnhandled, ...allowed });
        if (found.length > 0)
          throw new Error(
            `The client was not polite to the service:\n${found.map((line) => `- ${line}`).join('\n')}`,
          );
      },
    };
  }

  save(): ConductState {
    return {
      all: copyTally(this.#all),
      byKey: copyTallies(this.#byKey),
      lost: new Set(this.#lost),
    };
  }

  load({ all, byKey, lost }: ConductState): void {
    this.#all = copyTally(all);
    this.#byKey = copyTallies(byKey);
    this.#lost = new Set(lost);
  }

  #tallies(key: string | undefined): readonly Tally[] {
    if (key === undefined) return [this.#all];
    let own = this.#byKey.get(key);
    if (!own) this.#byKey.set(key, (own = newTally()));
    return [this.#all, own];
  }
}

/** The state of the counts. */
export interface ConductState {
  readonly all: Tally;
  readonly byKey: ReadonlyMap<string, Tally>;
  readonly lost: ReadonlySet<string>;
}

function newTally(): Tally {
  const none = {
    duringCoolDown: 0,
    bans: 0,
    repeatedPosts: 0,
    rateLimited: 0,
    deprecatedCalls: 0,
    unauthorized: 0,
    maxInFlight: 0,
  };
  return { counts: { ...none, requests: 0, inFlight: 0 }, first: {} };
}

function copyTally({ counts, first }: Tally): Tally {
  return { counts: { ...counts }, first: { ...first } };
}

function copyTallies(tallies: ReadonlyMap<string, Tally>): Map<string, Tally> {
  return new Map([...tallies].map(([key, tally]) => [key, copyTally(tally)]));
}

function blame(tally: Tally, offence: Offence, request: RecordedRequest): void {
  tally.counts[offence]++;
  const key = request.key ?? 'no key';
  tally.first[offence] ??=
    `request ${request.number}, ${request.method} ${request.path} with ${key} at ${new Date(request.at).toISOString()}`;
}

function fingerprint(request: RecordedRequest, body: string): string {
  return `${request.key} ${request.path} ${body.length} ${markKey(body)}`;
}

function times(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
