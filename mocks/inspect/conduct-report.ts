import { operations } from '../../src/contract/index.js';
import { checkOptions, type OptionRule } from '../utils/options.js';
import { markKey, type RecordedRequest } from './journal.js';
import { countOf } from '../utils/count-of.js';

/** The counts that {@link ConductReport.assertPolite} limits. */
export type Offence =
  | 'duringCoolDown'
  | 'bans'
  | 'repeatedPosts'
  | 'rateLimited'
  | 'deprecatedCalls'
  | 'unauthorized'
  | 'maxInFlight'
  | 'mockDefects';

/** How the client behaved. The counts do not depend on the size of the journal; `reset()` sets them to 0; requests in flight then do not count. */
export interface ConductReport {
  /** Requests that arrived. */
  readonly requests: number;
  /** Requests sent during a cool-down (after a 429, before its wait was over) or a ban. */
  readonly duringCoolDown: number;
  /** Requests answered 429. */
  readonly rateLimited: number;
  /** Bans that requests caused; those of `keys.get(key).ban()` do not count. */
  readonly bans: number;
  /** POSTs sent again with the same body, although the earlier one may have been processed. A retry after a 429 is not counted. */
  readonly repeatedPosts: number;
  /** Calls to deprecated operations. */
  readonly deprecatedCalls: number;
  /** Requests without a valid key. */
  readonly unauthorized: number;
  /** Most requests in flight at once. */
  readonly maxInFlight: number;
  /** Requests on which the mock itself failed: an override threw, or returned what is not in the contract. They are answered 501. */
  readonly mockDefects: number;
  /** The offences, one sentence each: requests during a cool-down, bans, POSTs sent twice, and failures of the mock itself. */
  readonly offences: readonly string[];
  /**
   * Throws an Error that lists the offences, if there are any. By default, no request during a cool-down, no ban, no POST
   * sent twice and no failure of the mock is allowed, and any number of the others; `allowed` sets the maximum of each.
   *
   * @throws TypeError for an unknown name in `allowed`.
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
  duringCoolDown: (count) => `${countOf(count, 'request')} sent during a cool-down or a ban`,
  bans: (count) => `${countOf(count, 'ban')} caused`,
  repeatedPosts: (count) =>
    `${countOf(count, 'POST')} sent again though the earlier one may have been processed`,
  rateLimited: (count) => `${countOf(count, 'request')} answered 429`,
  deprecatedCalls: (count) => `${countOf(count, 'call')} to deprecated operations`,
  unauthorized: (count) => `${countOf(count, 'request')} without a valid key`,
  maxInFlight: (count) => `${countOf(count, 'request')} in flight at once`,
  mockDefects: (count) => `${countOf(count, 'request')} on which the mock itself failed`,
};
const allowedByDefault = { duringCoolDown: 0, bans: 0, repeatedPosts: 0, mockDefects: 0 } as const;

const atLeastZero: OptionRule = { takes: 'a number of 0 or more', is: (value) => value >= 0 };
const allowedRules = Object.fromEntries(
  Object.keys(sentences).map((name) => [name, atLeastZero]),
) as Readonly<Record<Offence, OptionRule>>;

type Counts = Record<Offence | 'requests' | 'inFlight', number>;

/** The counts of one key, or of all requests. */
interface RequestCounts {
  readonly counts: Counts;
  /** The first request of each offence, in words. */
  readonly first: Partial<Record<Offence, string>>;
}

/** Those that a request counts towards, since it was sent. */
export type Begun = readonly RequestCounts[];

/** The number of POSTs with an outcome unknown to the client that are remembered. */
const mostUnknownOutcomes = 1_000;

/** Counts how the clients behave, in total and for each valid key. */
export class Conduct {
  #all = newCounts();
  #byKey = new Map<string, RequestCounts>();
  #unknownOutcomes = new Set<string>();
  #defects = new Set<string>();
  /** The failures of the mock over its whole life. `load` does not set it back. */
  failures = 0;
  /** Why the mock failed last. */
  lastFailure = '';

  /** Counts a request that was sent; {@link end} takes the returned counts. */
  begin(key: string | undefined): Begun {
    const counted = this.#countsOf(key);
    for (const { counts } of counted) {
      counts.inFlight++;
      counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
    }
    return counted;
  }

  /** Counts the end of a request: answered, or aborted. */
  end(begun: Begun): void {
    for (const { counts } of begun) counts.inFlight--;
  }

  /** Counts a request that has arrived; `key` where it is valid. */
  arrived(
    begun: Begun,
    request: RecordedRequest,
    key: string | undefined,
    startsBan: boolean,
  ): void {
    for (const counted of this.#countsSince(begun, key)) {
      counted.counts.requests++;
      if (request.inCoolDown) addOffence(counted, 'duringCoolDown', request);
      if (startsBan) addOffence(counted, 'bans', request);
      if (key === undefined) addOffence(counted, 'unauthorized', request);
      if (request.operation && 'deprecated' in operations[request.operation])
        addOffence(counted, 'deprecatedCalls', request);
    }
  }

  /** Counts a POST whose body was sent before, with an outcome that the client cannot know. */
  posted(begun: Begun, request: RecordedRequest, body: string): void {
    if (!this.#unknownOutcomes.has(fingerprint(request, body))) return;
    for (const counted of this.#countsSince(begun, request.key))
      addOffence(counted, 'repeatedPosts', request);
  }

  /** Counts the outcome of a request. `isOutcomeKnown`: whether the client knows if it was processed. */
  answered(
    begun: Begun,
    request: RecordedRequest,
    key: string | undefined,
    body: string | undefined,
    isOutcomeKnown: boolean,
  ): void {
    const current = this.#countsSince(begun, key);
    if (request.status === 429)
      for (const counted of current) addOffence(counted, 'rateLimited', request);
    if (current.length === 0 || body === undefined || request.method !== 'POST') return;
    const mark = fingerprint(request, body);
    this.#unknownOutcomes.delete(mark);
    if (!isOutcomeKnown) this.#unknownOutcomes.add(mark);
    if (this.#unknownOutcomes.size > mostUnknownOutcomes)
      this.#unknownOutcomes.delete(this.#unknownOutcomes.values().next().value!);
  }

  /** Counts a request on which the mock itself failed. True for the first one with this reason. */
  failed(begun: Begun, request: RecordedRequest, key: string | undefined, why: string): boolean {
    this.failures++;
    this.lastFailure = why;
    for (const counted of this.#countsSince(begun, key))
      addOffence(counted, 'mockDefects', request, why);
    const isNew = !this.#defects.has(why);
    this.#defects.add(why);
    return isNew;
  }

  /** Whether there were requests with this valid key. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  report(key: string | undefined): ConductReport {
    const counted = key === undefined ? this.#all : (this.#byKey.get(key) ?? newCounts());
    const { inFlight: _, ...counts } = counted.counts;
    const offences = (allowed: Readonly<Partial<Record<Offence, number>>>) =>
      (Object.keys(sentences) as Offence[])
        .filter((name) => counts[name] > (allowed[name] ?? Infinity))
        .map(
          (name) =>
            sentences[name](counts[name]) +
            (counted.first[name] ? ` (first: ${counted.first[name]})` : ''),
        );
    return {
      ...counts,
      offences: offences(allowedByDefault),
      assertPolite(allowed = {}) {
        checkOptions('assertPolite', allowed, allowedRules);
        const found = offences({ ...allowedByDefault, ...allowed });
        if (found.length > 0)
          throw new Error(
            `The client was not polite to the service:\n${found.map((offence) => `- ${offence}`).join('\n')}`,
          );
      },
    };
  }

  save(): ConductState {
    return {
      all: copyCounts(this.#all),
      byKey: copyAllCounts(this.#byKey),
      unknownOutcomes: new Set(this.#unknownOutcomes),
    };
  }

  load({ all, byKey, unknownOutcomes }: ConductState): void {
    this.#defects.clear();
    this.#all = copyCounts(all);
    this.#byKey = copyAllCounts(byKey);
    this.#unknownOutcomes = new Set(unknownOutcomes);
  }

  /** None for a request that began before the counts were set back: it belongs to what was before. */
  #countsSince(begun: Begun, key: string | undefined): Begun {
    return begun[0] === this.#all ? this.#countsOf(key) : [];
  }

  #countsOf(key: string | undefined): Begun {
    if (key === undefined) return [this.#all];
    let own = this.#byKey.get(key);
    if (!own) this.#byKey.set(key, (own = newCounts()));
    return [this.#all, own];
  }
}

/** The state of the counts. */
export interface ConductState {
  readonly all: RequestCounts;
  readonly byKey: ReadonlyMap<string, RequestCounts>;
  readonly unknownOutcomes: ReadonlySet<string>;
}

function newCounts(): RequestCounts {
  const none = Object.fromEntries(Object.keys(sentences).map((name) => [name, 0]));
  return { counts: { ...(none as Record<Offence, number>), requests: 0, inFlight: 0 }, first: {} };
}

/** Without the requests in flight: their ends are counted where they began, not in the copy. */
function copyCounts({ counts, first }: RequestCounts): RequestCounts {
  return { counts: { ...counts, inFlight: 0 }, first: { ...first } };
}

function copyAllCounts(all: ReadonlyMap<string, RequestCounts>): Map<string, RequestCounts> {
  return new Map([...all].map(([key, counted]) => [key, copyCounts(counted)]));
}

function addOffence(
  counted: RequestCounts,
  offence: Offence,
  request: RecordedRequest,
  why?: string,
): void {
  counted.counts[offence]++;
  const key = request.key ?? 'no key';
  counted.first[offence] ??=
    `request ${request.number}, ${request.method} ${request.path} with ${key} at ${new Date(request.at).toISOString()}${why === undefined ? '' : `: ${why}`}`;
}

function fingerprint(request: RecordedRequest, body: string): string {
  return `${request.environment} ${request.key} ${request.path} ${body.length} ${markKey(body)}`;
}
