import type { Quota, PlanName } from '../contract/rate-limits.js';
import type { RateLimit } from '../rate-limit/types.js';
import type { NewPet } from '../types.js';
import type { Clock } from '../utils/clock.js';
import { estimateDuration, planOf } from './estimate.js';
import type { BulkJournal, BulkState, JournalEntry } from './journal.js';
import { outcomeOf } from './outcome.js';
import type {
  AnyPet,
  BulkProgress,
  BulkReport,
  BulkStop,
  CreatedRow,
  FailedRow,
  UnknownRow,
} from './report.js';

/** A pet that was added, and the quota as the response reported it. */
export interface SentPet {
  readonly data: AnyPet;
  readonly rateLimit: RateLimit | undefined;
}

/** Everything that a run needs. */
export interface BulkRunOptions {
  readonly createPet: (pet: NewPet) => Promise<SentPet>;
  readonly rows: readonly NewPet[];
  /** The name of each row in the journal. */
  readonly names: readonly string[];
  readonly journal: BulkJournal;
  readonly clock: Clock;
  readonly acrossDays: boolean;
  readonly onProgress: ((progress: BulkProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly plan: Exclude<PlanName, 'enterprise'> | Quota | undefined;
}

/** The number of consecutive unknown outcomes after which the service counts as down. */
const maxUnknownInARow = 3;
/** ms to wait if no response says how long. */
const defaultDelay = 1_000;

/** One run over the rows: several workers take from one queue, until it is empty or there is a reason to stop. */
export class BulkRun {
  readonly #options: BulkRunOptions;
  readonly #queue: number[] = [];
  readonly #created: CreatedRow[] = [];
  readonly #rejected: FailedRow[] = [];
  readonly #unknown: UnknownRow[] = [];
  #skipped = 0;
  #unknownInARow = 0;
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
  resume(entries: Iterable<JournalEntry>): void {
    const { rows, names } = this.#options;
    const last = new Map<string, JournalEntry>();
    for (const entry of entries) last.set(entry.row, entry);
    names.forEach((name, index) => {
      const row = rows[index]!;
      const { state, reason } = last.get(name) ?? { state: 'unsent' as const, reason: undefined };
      if (state === 'created') this.#skipped += 1;
      else if (state === 'rejected')
        this.#rejected.push({ index, row, reason: reason ?? 'rejected before' });
      else if (state === 'sending') this.#unknown.push({ index, row, reason: 'interrupted' });
      else this.#queue.push(index);
    });
    this.#queue.reverse();
    this.#toSend = this.#queue.length;
    this.#began = this.#options.clock.now();
    this.#showProgress();
  }

  /** Sends one row after another. */
  async work(): Promise<void> {
    try {
      while (this.#stopped === undefined && this.#queue.length > 0) {
        const { signal } = this.#options;
        if (signal?.aborted) return this.#stop('aborted', signal.reason);
        const index = this.#queue.pop()!;
        await this.#record(index, 'sending');
        await this.#send(index);
        this.#showProgress();
      }
    } catch (failure) {
      // The journal or a callback failed: the other workers send no further row.
      this.#stop('failure', failure);
      throw failure;
    }
  }

  async #send(index: number): Promise<void> {
    const row = this.#options.rows[index]!;
    try {
      const { data, rateLimit } = await this.#options.createPet(row);
      this.#learnPlan(rateLimit);
      this.#unknownInARow = 0;
      await this.#record(index, 'created', { id: String(data.id) });
      this.#created.push({ index, row, pet: data });
    } catch (error) {
      await this.#failed(index, row, error);
    }
  }

  async #failed(index: number, row: NewPet, error: unknown): Promise<void> {
    const outcome = outcomeOf(error);
    if (outcome.type === 'created') {
      await this.#record(index, 'created');
      this.#created.push({ index, row, pet: undefined });
    } else if (outcome.type === 'rejected') {
      await this.#record(index, 'rejected', { reason: outcome.reason });
      this.#rejected.push({ index, row, reason: outcome.reason });
    } else if (outcome.type === 'unknown') {
      // The journal keeps it at `sending`: no later run sends it again.
      this.#unknown.push({ index, row, reason: outcome.reason });
      this.#unknownInARow += 1;
      if (this.#unknownInARow >= maxUnknownInARow) this.#stop('failure', error);
    } else {
      await this.#record(index, 'unsent');
      this.#queue.push(index);
      if (outcome.type === 'unsent') return this.#stop('failure', error);
      const delay = outcome.delay ?? defaultDelay;
      if (outcome.isLong && !this.#options.acrossDays) return this.#stop('quota', error, delay);
      await this.#wait(delay);
    }
  }

  /** Waits for the rate limit, reports the wait, and ends at once when the run is aborted. */
  async #wait(delay: number): Promise<void> {
    const { clock, signal } = this.#options;
    this.#heldUntil = Math.max(this.#heldUntil ?? 0, clock.now() + delay);
    this.#showProgress();
    try {
      await clock.sleep(delay, signal);
    } catch (reason) {
      if (!signal?.aborted) throw reason;
    }
    this.#heldUntil = undefined;
  }

  async #record(index: number, state: BulkState, more: Partial<JournalEntry> = {}): Promise<void> {
    await this.#options.journal.write({ row: this.#options.names[index]!, state, ...more });
  }

  #stop(reason: BulkStop['reason'], error: unknown, delay?: number): void {
    const retryAt = delay === undefined ? undefined : new Date(this.#options.clock.now() + delay);
    this.#stopped ??= { reason, retryAt, error };
  }

  #showProgress(): void {
    this.#options.onProgress?.({
      total: this.#options.rows.length,
      done: this.#skipped + this.#created.length + this.#rejected.length + this.#unknown.length,
      created: this.#created.length,
      rejected: this.#rejected.length,
      unknown: this.#unknown.length,
      heldUntil: this.#heldUntil === undefined ? undefined : new Date(this.#heldUntil),
      estimatedEnd: this.#estimatedEnd(),
    });
  }

  /** The lowest plan that fits: a limit of 1,000 is the minute limit of one plan and the day limit of another. */
  #learnPlan(rateLimit: RateLimit | undefined): void {
    const plan = rateLimit && planOf(rateLimit, this.#options.clock.now());
    if (plan !== undefined && plan.perMinute < (this.#plan?.perMinute ?? Infinity))
      this.#plan = plan;
  }

  #estimatedEnd(): Date | undefined {
    const plan = this.#options.plan ?? this.#plan;
    if (plan === undefined) return undefined;
    const next = Math.max(this.#options.clock.now(), this.#heldUntil ?? 0);
    // The remaining rows may be fewer than the quota of a day, but more than what is left of the quota of this day.
    return new Date(
      Math.max(
        next + estimateDuration(this.#queue.length, plan),
        this.#began + estimateDuration(this.#toSend, plan),
      ),
    );
  }

  /** What happened, in the order of the rows. */
  report(): BulkReport {
    const inOrder = <T extends { readonly index: number }>(rows: T[]) =>
      rows.sort((a, b) => a.index - b.index);
    return {
      total: this.#options.rows.length,
      created: inOrder(this.#created),
      skipped: this.#skipped,
      rejected: inOrder(this.#rejected),
      unknown: inOrder(this.#unknown),
      unsent: this.#queue.length,
      stopped: this.#stopped,
    };
  }
}
