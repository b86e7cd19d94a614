import { operations } from '../../src/contract/index.js';
import { checkOptions, type OptionRule } from '../utils/options.js';
import { countOf } from '../utils/count-of.js';
import type { Journal, JournalEntry } from './journal.js';

/** What a request must be to count as an offence, and the offence in words, behind the number of requests. */
const kinds = {
  duringCoolDown: [
    ({ record }) => record.inCoolDown,
    'request',
    'sent during a cool-down or a ban',
  ],
  bans: [({ startsBan }) => startsBan, 'ban', 'caused'],
  repeatedPosts: [
    (entry, repeated) => repeated.has(entry),
    'POST',
    'sent again though the earlier one may have been processed',
  ],
  rateLimited: [({ record }) => record.status === 429, 'request', 'answered 429'],
  deprecatedCalls: [
    ({ record: { operation } }) => operation !== undefined && 'deprecated' in operations[operation],
    'call',
    'to deprecated operations',
  ],
  unauthorized: [({ key }) => key === undefined, 'request', 'without a valid key'],
  mockDefects: [({ defect }) => defect !== undefined, 'request', 'on which the mock itself failed'],
} as const satisfies Record<
  string,
  [
    is: (entry: JournalEntry, repeated: ReadonlySet<JournalEntry>) => boolean,
    noun: string,
    what: string,
  ]
>;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as Kind[];

/** The counts that {@link ConductReport.assertPolite} limits. */
export type Offence = Kind | 'maxInFlight';

/** The maximum of each count; one that is left out is not limited. */
export type AllowedOffences = Readonly<Partial<Record<Offence, number>>>;

/** How the client behaved: counts of the requests in the journal, since the last `reset()`. */
export interface ConductReport {
  /** Requests that arrived. */
  readonly requests: number;
  /**
   * Older requests since the last `reset()` that the journal no longer holds (see `journalLimit`). No count has them, and
   * {@link assertPolite} throws unless it is 0.
   */
  readonly forgotten: number;
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
   * Throws an Error that lists the offences, if there are any, or that says that the journal does not reach back to the last
   * `reset()`. By default, no request during a cool-down, no ban, no POST sent twice and no failure of the mock is allowed,
   * and any number of the others; `allowed` sets the maximum of each.
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
  assertPolite(allowed?: AllowedOffences): void;
}

const allowedByDefault = { duringCoolDown: 0, bans: 0, repeatedPosts: 0, mockDefects: 0 } as const;
const atLeastZero: OptionRule = { takes: 'a number of 0 or more', is: (value) => value >= 0 };
const allowedRules = Object.fromEntries(
  [...kindNames, 'maxInFlight'].map((name) => [name, atLeastZero]),
);

/** What `assertPolite` throws for a client that was not polite. */
export class ConductError extends Error {}

/** How the client behaved: a fold over the journal; with `key`, over the requests with this valid key. */
export function reportOf(journal: Journal, key: string | undefined): ConductReport {
  const all = journal.entries;
  const entries = key === undefined ? all : all.filter((entry) => entry.key === key);
  const { maxInFlight, repeated } = playEvents(entries);
  const found = Object.fromEntries(
    kindNames.map((name) => [name, entries.filter((entry) => kinds[name][0](entry, repeated))]),
  ) as Record<Kind, JournalEntry[]>;
  const counts = Object.fromEntries(kindNames.map((name) => [name, found[name].length])) as Record<
    Kind,
    number
  >;
  const offences = (allowed: AllowedOffences) => {
    const sentences = kindNames
      .filter((name) => counts[name] > (allowed[name] ?? Infinity))
      .map((name) => {
        const [, noun, what] = kinds[name];
        return `${countOf(counts[name], noun)} ${what} (first: ${describe(found[name][0]!)})`;
      });
    return maxInFlight > (allowed.maxInFlight ?? Infinity)
      ? [...sentences, `${countOf(maxInFlight, 'request')} in flight at once`]
      : sentences;
  };
  const forgotten = journal.count - all.length;
  return {
    requests: entries.length,
    forgotten,
    ...counts,
    maxInFlight,
    offences: offences(allowedByDefault),
    assertPolite(allowed = {}) {
      checkOptions('assertPolite', allowed, allowedRules);
      if (forgotten > 0)
        throw new Error(
          `The report cannot vouch for the client: the journal holds only the newest ${all.length} of ${journal.count} requests since the last reset(). ` +
            'Set a higher journalLimit, send smaller bodies, or call reset() more often.',
        );
      const list = offences({ ...allowedByDefault, ...allowed });
      if (list.length > 0)
        throw new ConductError(
          `The client was not polite to the service:\n${list.map((one) => `- ${one}`).join('\n')}`,
        );
    },
  };
}

/** Plays the starts and ends of the requests again, in their order: what depends on which of them overlap. */
function playEvents(entries: readonly JournalEntry[]): {
  readonly maxInFlight: number;
  readonly repeated: ReadonlySet<JournalEntry>;
} {
  const events = entries.flatMap((entry) => [
    { at: entry.sent, entry, isEnd: false },
    ...(entry.ended === undefined ? [] : [{ at: entry.ended, entry, isEnd: true }]),
  ]);
  let inFlight = 0;
  let maxInFlight = 0;
  /** The POSTs after whose end the client did not know whether they were processed. */
  const unknown = new Set<string>();
  const repeated = new Set<JournalEntry>();
  for (const { entry, isEnd } of events.sort((one, other) => one.at - other.at)) {
    inFlight += isEnd ? -1 : 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    const { record, body } = entry;
    if (record.method !== 'POST' || body === undefined) continue;
    const post = `${record.environment} ${record.key} ${record.path} ${body}`;
    if (!isEnd && unknown.has(post)) repeated.add(entry);
    if (isEnd && entry.isOutcomeKnown) unknown.delete(post);
    if (isEnd && !entry.isOutcomeKnown) unknown.add(post);
  }
  return { maxInFlight, repeated };
}

function describe({ record, defect }: JournalEntry): string {
  const { number, method, path, key = 'no key', at } = record;
  const why = defect === undefined ? '' : `: ${defect}`;
  return `request ${number}, ${method} ${path} with ${key} at ${new Date(at).toISOString()}${why}`;
}
