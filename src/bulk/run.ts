import type { Quota } from '../contract/rate-limits.js';
import { isInt64 } from '../contract/int64.js';
import { ConfigurationError } from '../errors/errors.js';
import type { RateLimit } from '../rate-limit/types.js';
import type { NewPet } from '../types.js';
import type { Clock } from '../utils/clock.js';
import { estimateEnd, planOf, quotaOf } from './estimate.js';
import type { BulkJournal, BulkState, JournalEntry } from './journal/journal.js';
import type { BulkOptions } from './options.js';
import { describeHold, hasResponse, messageOf, outcomeOf } from './outcome.js';
import type {
  AnyPet,
  BulkReport,
  BulkStop,
  CreatedRow,
  EarlierRow,
  FailedRow,
  UnknownRow,
} from './report.js';

/** A pet that was added, and the quota as the response reported it. */
export interface SentPet {
  readonly data: AnyPet;
  readonly rateLimit: RateLimit | undefined;
}

/** Everything that a run needs. */
export interface BulkRunOptions extends BulkOptions {
  readonly createPet: (pet: NewPet) => Promise<SentPet>;
  readonly rows: readonly NewPet[];
  /** The name of each row in the journal. */
  readonly names: readonly string[];
  readonly journal: BulkJournal;
  readonly clock: Clock;
}

/** The number of consecutive responses that say nothing about their pets, after which no further row is sent. */
const maxUnclearInARow = 3;
/** ms to wait if no response says how long. */
const defaultDelay = 1_000;

/** One run over the rows: several workers take from one queue, until it is empty or there is a reason to stop. */
export class BulkRun {
  readonly #options: BulkRunOptions;
  readonly #queue: number[] = [];
  readonly #created: CreatedRow[] = [];
  readonly #unrecorded: CreatedRow[] = [];
  readonly #earlier: EarlierRow[] = [];
  readonly #rejected: FailedRow[] = [];
  readonly #unknown: UnknownRow[] = [];
  #unclearInARow = 0;
  #stopped: BulkStop | undefined;
  /** The plan of the key, as read from the responses. */
  #plan: Quota | undefined;
  #heldUntil: number | undefined;
  /** The number of rows to send when the run began, and the moment. */
  #toSend = 0;
  #began = 0;

  constructor(options: BulkRunOptions) {
    this.#options = options;
  }

  /** Sorts the rows by what earlier runs recorded about them. */
  async resume(entries: Iterable<JournalEntry>): Promise<void> {
    const last = new Map<string, JournalEntry>();
    let newest: JournalEntry | undefined;
    for (const entry of entries) last.set(entry.row, (newest = entry));
    for (const [index, name] of this.#options.names.entries()) {
      const entry = last.get(name) ?? { row: name, state: 'unsent' };
      const isUnknown = entry.state === 'sending' || entry.state === 'unknown';
      this.#sort(index, isUnknown ? await this.#resolve(index, entry) : entry);
    }
    this.#queue.reverse();
    this.#toSend = this.#queue.length;
    this.#began = this.#options.clock.now();
    this.#showProgress();
    await this.#respectHold(newest);
  }

  /** A run that starts too early sends nothing: each such request is a step towards a ban. */
  async #respectHold(newest: JournalEntry | undefined): Promise<void> {
    const { clock, acrossDays, ignoreHold } = this.#options;
    if (newest?.state !== 'held' || ignoreHold === true || this.#queue.length === 0) return;
    const delay = Date.parse(newest.reason!) - clock.now();
    if (!(delay > 0)) return;
    if (acrossDays === true) return this.#wait(delay, true);
    const error = 'an earlier run was told to wait (ignoreHold: true sends all the same)';
    this.#stop('quota', error, delay);
  }

  #sort(index: number, { state, id, reason }: JournalEntry): void {
    const row = this.#options.rows[index]!;
    if (state === 'created') this.#earlier.push({ index, row, id });
    else if (state === 'unsent') this.#queue.push(index);
    else if (state === 'rejected')
      this.#rejected.push({ index, row, reason: reason ?? 'rejected before' });
    else this.#unknown.push({ index, row, reason: reason ?? 'interrupted' });
  }

  /** Asks what became of a row, and records the answer. */
  async #resolve(index: number, entry: JournalEntry): Promise<JournalEntry> {
    const { resolve, rows, names } = this.#options;
    const row = names[index]!;
    const found = await resolve?.({
      index,
      row: rows[index]!,
      reason: entry.reason ?? 'interrupted',
    });
    if (found === undefined) return entry;
    const given = (found as { readonly created?: unknown } | null)?.created;
    const id = isInt64(given) ? String(given) : undefined;
    if (found !== 'created' && found !== 'unsent' && id === undefined)
      throw new ConfigurationError(
        "createPets: resolve must return 'created', 'unsent', { created: id } or undefined",
      );
    const state = found === 'unsent' ? 'unsent' : 'created';
    const resolved: JournalEntry = { row, state, id };
    await this.#options.journal.write(resolved);
    return resolved;
  }

  /** Sends one row after another. */
  async work(): Promise<void> {
    try {
      while (this.#stopped === undefined && this.#queue.length > 0) {
        const { signal } = this.#options;
        if (signal?.aborted) return this.#stop('aborted', signal.reason);
        const index = this.#queue.pop()!;
        if (await this.#record(index, 'sending')) await this.#send(index);
        else await this.#notSent(index);
        this.#showProgress();
      }
    } catch (failure) {
      // A callback or the clock failed: the other workers send no further row.
      this.#stop('failure', failure);
      throw failure;
    }
  }

  async #send(index: number): Promise<void> {
    const row = this.#options.rows[index]!;
    try {
      const { data, rateLimit } = await this.#options.createPet(row);
      this.#learnPlan(rateLimit);
      this.#unclearInARow = 0;
      await this.#add({ index, row, pet: data }, { id: String(data.id) });
    } catch (error) {
      await this.#failed(index, row, error);
    }
  }

  async #failed(index: number, row: NewPet, error: unknown): Promise<void> {
    const outcome = outcomeOf(error, this.#options.clock.now());
    if (outcome.type === 'created') {
      await this.#add({ index, row, pet: undefined }, {});
      this.#countUnclear(error);
    } else if (outcome.type === 'rejected') {
      const { reason } = outcome;
      this.#rejected.push({ index, row, reason });
      await this.#record(index, 'rejected', { reason });
    } else if (outcome.type === 'unknown') {
      const { reason } = outcome;
      this.#unknown.push({ index, row, reason });
      await this.#record(index, 'unknown', { reason });
      this.#countUnclear(error);
    } else {
      await this.#notSent(index);
      if (outcome.type === 'unsent') return this.#stop('failure', error);
      const delay = outcome.delay ?? defaultDelay;
      if (outcome.isLong && this.#options.acrossDays !== true)
        return this.#stop('quota', error, delay);
      await this.#wait(delay, outcome.isHeld);
    }
  }

  async #add(created: CreatedRow, more: Pick<JournalEntry, 'id'>): Promise<void> {
    this.#created.push(created);
    if (!(await this.#record(created.index, 'created', more))) this.#unrecorded.push(created);
  }

  async #notSent(index: number): Promise<void> {
    this.#queue.push(index);
    await this.#record(index, 'unsent');
  }

  /** A wrong address, or a service that is down: the run ends before it has doubts about many rows. */
  #countUnclear(error: unknown): void {
    this.#unclearInARow += 1;
    if (this.#unclearInARow >= maxUnclearInARow) this.#stop('failure', error);
  }

  /** Waits for the rate limit, reports the wait, and ends at once when the run is aborted. */
  async #wait(delay: number, isHeld: boolean): Promise<void> {
    const { clock, signal } = this.#options;
    if (isHeld) this.#heldUntil = Math.max(this.#heldUntil ?? 0, clock.now() + delay);
    this.#showProgress();
    try {
      await clock.sleep(delay, signal);
    } catch (reason) {
      if (!signal?.aborted) throw reason;
    }
    this.#heldUntil = undefined;
  }

  /** Returns false if the journal failed. The run then sends nothing more, but it reports what it knows. */
  async #record(
    index: number,
    state: BulkState,
    more: Pick<JournalEntry, 'id' | 'reason'> = {},
  ): Promise<boolean> {
    try {
      await this.#options.journal.write({ row: this.#options.names[index]!, state, ...more });
      return true;
    } catch (failure) {
      this.#stop('failure', failure);
      return false;
    }
  }

  #stop(reason: BulkStop['reason'], error: unknown, delay = 0): void {
    const retryAt = reason === 'quota' ? new Date(this.#options.clock.now() + delay) : undefined;
    const message = {
      quota: `${describeHold(error)}: run again after ${retryAt?.toISOString()}, or set acrossDays: true to wait`,
      aborted: 'the run was aborted: run again to continue',
      failure: messageOf(error),
    }[reason];
    // Of several rows that were stopped, only one may have a response, whose words tell a ban from a used-up quota.
    const isPlainer = this.#stopped?.reason === reason && hasResponse(error);
    if (isPlainer || !this.#stopped) this.#stopped = { reason, retryAt, message, error };
  }

  #showProgress(): void {
    this.#options.onProgress?.({
      total: this.#options.rows.length,
      done:
        this.#earlier.length + this.#created.length + this.#rejected.length + this.#unknown.length,
      created: this.#created.length,
      rejected: this.#rejected.length,
      unknown: this.#unknown.length,
      heldUntil: this.#heldUntil === undefined ? undefined : new Date(this.#heldUntil),
      estimatedEnd: this.#estimate(this.#options.acrossDays === true),
      estimatedFinish: this.#estimate(true),
    });
  }

  /** The lowest plan that fits: a limit of 1,000 is the minute limit of one plan and the day limit of another. */
  #learnPlan(rateLimit: RateLimit | undefined): void {
    const plan = rateLimit && planOf(rateLimit, this.#options.clock.now());
    if (plan !== undefined && plan.perMinute < (this.#plan?.perMinute ?? Infinity))
      this.#plan = plan;
  }

  #estimate(acrossDays: boolean): Date | undefined {
    const plan = quotaOf(this.#options.plan) ?? this.#plan;
    if (plan === undefined) return undefined;
    const next = Math.max(this.#options.clock.now(), this.#heldUntil ?? 0);
    const left = this.#queue.length;
    const most = acrossDays ? Infinity : plan.perDay;
    return new Date(
      estimateEnd({ plan, began: this.#began, toSend: this.#toSend, next, left, most }),
    );
  }

  /** Closes the journal. A failure is part of the report: the outcomes before it are known. */
  async close(): Promise<void> {
    try {
      // As the last entry: any entry after it says that a later run was allowed to send.
      const until = this.#stopped?.retryAt;
      if (until !== undefined)
        await this.#options.journal.write({ row: '', state: 'held', reason: until.toISOString() });
      await this.#options.journal.close?.();
    } catch (failure) {
      this.#stop('failure', failure);
    }
  }

  /** What happened, in the order of the rows. */
  report(): BulkReport {
    const inOrder = <T extends { readonly index: number }>(rows: T[]) =>
      rows.sort((a, b) => a.index - b.index);
    return {
      total: this.#options.rows.length,
      created: inOrder(this.#created),
      unrecorded: inOrder(this.#unrecorded),
      skipped: this.#earlier.length,
      earlier: this.#earlier,
      rejected: inOrder(this.#rejected),
      unknown: inOrder(this.#unknown),
      unsent: this.#queue.length,
      stopped: this.#stopped,
    };
  }
}
