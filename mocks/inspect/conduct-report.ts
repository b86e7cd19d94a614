import { operations } from '../../src/contract/index.js';
import { checkOptions, custom, optional } from '../utils/check.js';
import { mapValues, withoutUndefined } from '../utils/options.js';
import type { Journal, JournalEntry } from './journal.js';

/**
 * Each count: the words after its number, and the condition under which a request counts. `repeated`: the POSTs that were
 * sent again.
 */
const counted = {
  /** Requests sent during a cool-down (after a 429, before its wait was over) or a ban. */
  duringCoolDown: [
    'request(s) sent during a cool-down or a ban',
    ({ record }) => record.inCoolDown,
  ],
  /** Bans that requests caused; those of `keys.get(key).ban()` do not count. */
  bans: ['ban(s) caused', ({ startsBan }) => startsBan],
  /** POSTs sent again with the same body, although the earlier one may have been processed. A retry after a 429 is not counted. */
  repeatedPosts: [
    'POST(s) sent again though the earlier one may have been processed',
    (entry, repeated) => repeated.has(entry),
  ],
  /** Requests that received a 429. */
  rateLimited: ['request(s) answered 429', ({ record }) => record.status === 429],
  /** Calls to deprecated operations. */
  deprecatedCalls: [
    'call(s) to deprecated operations',
    ({ record: { operation } }) => operation !== undefined && 'deprecated' in operations[operation],
  ],
  /** Requests without a valid key. */
  unauthorized: ['request(s) without a valid key', ({ key }) => key === undefined],
  /** Requests on which the mock itself failed: an override threw, or its result broke the contract. The response is a 501. */
  mockDefects: ['request(s) on which the mock itself failed', ({ defect }) => defect !== undefined],
  /** Most requests in flight at once. */
  maxInFlight: ['request(s) in flight at once', () => false],
} satisfies Record<
  string,
  readonly [string, (entry: JournalEntry, repeated: ReadonlySet<JournalEntry>) => boolean]
>;
/** The names of the counts. */
export const offences = Object.keys(counted) as readonly Offence[];

/** The counts that {@link ConductReport.assertPolite} limits. */
export type Offence = keyof typeof counted;

/** The maximum of each count; an omitted count is not limited. */
export type AllowedOffences = Readonly<Partial<Record<Offence, number | undefined>>>;

type Counts = { readonly [Name in keyof typeof counted]: number };

/** The behaviour of the client: counts of the requests in the journal, since the last `reset()`. */
export interface ConductReport extends Counts {
  /** Requests that arrived. */
  readonly requests: number;
  /**
   * Older requests since the last `reset()` that the journal has dropped (see `journalLimit`). No count includes them,
   * and {@link assertPolite} throws unless this is 0.
   */
  readonly forgotten: number;
  /** The offences, one sentence each: requests during a cool-down, bans, POSTs sent twice, and failures of the mock itself. */
  readonly offences: readonly string[];
  /**
   * Throws an Error that lists the offences, if there are any, or says that the journal does not reach back to the last
   * `reset()`. `allowed` sets the maximum of each count. By default, the maximum is 0 for requests during a cool-down,
   * bans, POSTs sent twice and failures of the mock, and unlimited for the others.
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
const isAmount = (value: unknown) => typeof value === 'number' && value >= 0;
const atLeastZero = custom<number>('a number of 0 or more', isAmount);
const allowedSchema = optional(Object.fromEntries(offences.map((name) => [name, atLeastZero])));

/** The error that `assertPolite` throws for offences of the client. */
export class ConductError extends Error {}

/** How the client behaved: a fold over the journal; with `key`, over the requests with this valid key. */
export function reportOf(journal: Journal, key: string | undefined): ConductReport {
  const all = journal.entries;
  const entries = key === undefined ? all : all.filter((entry) => entry.key === key);
  const { maxInFlight, repeated } = playEvents(entries);
  const found = mapValues(counted, ([, isOne]) =>
    entries.filter((entry) => isOne(entry, repeated)),
  );
  const counts: Counts = { ...mapValues(found, ({ length }) => length), maxInFlight };
  const sentences = (allowed: AllowedOffences) =>
    offences
      .filter((name) => counts[name] > (allowed[name] ?? Infinity))
      .map((name) => {
        const count = counts[name];
        return `${count} ${counted[name][0].replace('(s)', count === 1 ? '' : 's')}${where(found[name][0])}`;
      });
  const forgotten = journal.count - all.length;
  return {
    requests: entries.length,
    forgotten,
    ...counts,
    offences: sentences(allowedByDefault),
    assertPolite(allowed = {}) {
      checkOptions('assertPolite', allowedSchema, allowed);
      if (forgotten > 0)
        throw new Error(
          `The report cannot vouch for the client: the journal holds only the newest ${all.length} of ${journal.count} requests since the last reset(). ` +
            'Set a higher journalLimit, send smaller bodies, or call reset() more often.',
        );
      const list = sentences({ ...allowedByDefault, ...withoutUndefined(allowed) });
      if (list.length > 0)
        throw new ConductError(['The client was not polite to the service:', ...list].join('\n- '));
    },
  };
}

/** Plays the starts and ends of the requests again, in their order: what depends on which of them overlap. */
function playEvents(entries: readonly JournalEntry[]) {
  const events = entries
    .flatMap((entry) => [
      { at: entry.sent, entry, isEnd: false },
      { at: entry.ended ?? Number.MAX_SAFE_INTEGER, entry, isEnd: true },
    ])
    .sort((one, other) => one.at - other.at);
  let inFlight = 0;
  let maxInFlight = 0;
  /** The POSTs after whose end the client did not know whether they were processed. */
  const unknown = new Set<string>();
  const repeated = new Set<JournalEntry>();
  for (const { entry, isEnd } of events) {
    inFlight += isEnd ? -1 : 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    const { method, environment, key, path } = entry.record;
    if (method !== 'POST' || entry.body === undefined) continue;
    const post = [environment, key, path, entry.body].join(' ');
    if (!isEnd && unknown.has(post)) repeated.add(entry);
    if (!isEnd) continue;
    if (entry.isOutcomeKnown) unknown.delete(post);
    else unknown.add(post);
  }
  return { maxInFlight, repeated };
}

/** The first request of an offence, in words. */
function where(entry: JournalEntry | undefined): string {
  if (!entry) return '';
  const { number, method, path, key = 'no key', at } = entry.record;
  const why = entry.defect === undefined ? '' : `: ${entry.defect}`;
  return ` (first: request ${number}, ${method} ${path} with ${key} at ${new Date(at).toISOString()}${why})`;
}
