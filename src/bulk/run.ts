import { isInt64 } from '../contract/int64.js';
import { ConfigurationError } from '../errors/errors.js';
import type { PetStoreClient } from '../client.js';
import type { NewPet } from '../types.js';
import { systemClock, type Clock } from '../utils/clock.js';
import { EndEstimate } from './estimate.js';
import { findPets } from './find-pets.js';
import { rowNames, type BulkJournal, type JournalEntry } from './journal/journal.js';
import type { CheckedOptions } from './options.js';
import { describeHold, hasResponse, messageOf, sendRow, type Outcome } from './outcome.js';
import type {
  AnyPet,
  BulkReport,
  BulkStop,
  CreatedRow,
  EarlierRow,
  FailedRow,
  UnknownRow,
} from './report.js';

/** Everything that a run needs. */
export interface BulkRunOptions extends CheckedOptions {
  readonly client: PetStoreClient;
  readonly rows: readonly NewPet[];
  readonly journal: BulkJournal;
}

/** The number of consecutive responses that say nothing about their pets, after which no further row is sent. */
const maxUnclearInARow = 3;

/** One run over the rows: several workers take from one queue, until it is empty or there is a reason to stop. */
export class BulkRun {
  readonly #options: BulkRunOptions;
  readonly #clock: Clock;
  /** The name of each row in the journal. */
  readonly #names: readonly string[];
  /** The rows to send, the last one first. */
  readonly #queue: number[] = [];
  /** The lists of the report, as they grow. */
  readonly #rows = {
    created: [] as CreatedRow[],
    unrecorded: [] as CreatedRow[],
    earlier: [] as EarlierRow[],
    found: [] as CreatedRow[],
    rejected: [] as FailedRow[],
    unknown: [] as UnknownRow[],
  };
  /** Of the pets in the journal. */
  readonly #knownIds = new Set<bigint>();
  #unclearInARow = 0;
  #stopped: BulkStop | undefined;
  #heldUntil: number | undefined;
  readonly #estimate = new EndEstimate();

  constructor(options: BulkRunOptions) {
    this.#options = options;
    // A test double of the client may have none.
    this.#clock = (options.client as Partial<PetStoreClient>).clock ?? systemClock;
    this.#names = rowNames(options.rows);
  }

  /** Sorts the rows by what earlier runs recorded about them. */
  async resume(entries: Iterable<JournalEntry>): Promise<void> {
    const last = new Map<string, JournalEntry>();
    let newest: JournalEntry | undefined;
    for (const entry of entries) {
      last.set(entry.row, (newest = entry));
      if (entry.state === 'created' && entry.id) this.#knownIds.add(BigInt(entry.id));
    }
    for (const [index, name] of this.#names.entries())
      await this.#sort(index, last.get(name) ?? { row: name, state: 'unsent' });
    this.#queue.reverse();
    this.#showProgress();
    await this.#respectHold(newest);
  }

  async #sort(index: number, { state, id, reason }: JournalEntry): Promise<void> {
    const { earlier, rejected } = this.#rows;
    const row = this.#options.rows[index]!;
    if (state === 'created') earlier.push({ index, row, id: id ?? undefined });
    else if (state === 'unsent') this.#queue.push(index);
    else if (state === 'rejected')
      rejected.push({ index, row, reason: reason ?? 'rejected before' });
    else await this.#decide({ index, row, reason: reason ?? 'interrupted' });
  }

  /** Asks what became of a row, and records the answer. */
  async #decide(row: UnknownRow): Promise<void> {
    const { unknown, journal } = this.#options;
    const found = typeof unknown === 'function' ? await unknown(row) : undefined;
    if (found === undefined) return void this.#rows.unknown.push(row);
    const given = (found as { readonly created?: unknown } | null)?.created;
    const id = isInt64(given) ? String(given) : undefined;
    if (found !== 'created' && found !== 'unsent' && id === undefined)
      throw new ConfigurationError(
        "createPets: unknown must return 'created', 'unsent', { created: id } or undefined",
      );
    const state = found === 'unsent' ? 'unsent' : 'created';
    const entry: JournalEntry = { row: this.#names[row.index]!, state, id };
    await journal.write(entry);
    await this.#sort(row.index, entry);
  }

  /** A run that starts too early sends nothing: each such request is a step towards a ban. */
  async #respectHold(newest: JournalEntry | undefined): Promise<void> {
    const { acrossDays, ignoreHold } = this.#options;
    if (newest?.state !== 'held' || ignoreHold || this.#queue.length === 0) return;
    const delay = Date.parse(newest.reason!) - this.#clock.now();
    if (!(delay > 0)) return;
    if (acrossDays) return this.#wait(delay, true);
    const error = 'an earlier run was told to wait (ignoreHold: true sends all the same)';
    this.#stop('quota', error, delay);
  }

  /** Sends one row after another. */
  async work(): Promise<void> {
    const { signal } = this.#options;
    try {
      while (this.#stopped === undefined && this.#queue.length > 0) {
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
    const { client, rows, acrossDays } = this.#options;
    const outcome = await sendRow(client, rows[index]!, this.#clock);
    const { state, error, wait, rateLimit } = outcome;
    this.#estimate.learn(rateLimit, this.#clock.now());
    if (state === 'unsent') {
      await this.#notSent(index);
      if (wait === undefined) return this.#stop('failure', error);
      if (wait.isLong && !acrossDays) return this.#stop('quota', error, wait.delay);
      return this.#wait(wait.delay, wait.isHeld);
    }
    await this.#settle(index, state, outcome);
    if (state === 'rejected') return;
    // A wrong address, or a service that is down: the run ends before it has doubts about many rows.
    this.#unclearInARow = outcome.pet === undefined ? this.#unclearInARow + 1 : 0;
    if (this.#unclearInARow >= maxUnclearInARow) this.#stop('failure', error);
  }

  /** Reports and records what became of a row. */
  async #settle(
    index: number,
    state: 'created' | 'rejected' | 'unknown',
    { pet, reason }: Outcome,
  ): Promise<void> {
    const row = this.#options.rows[index]!;
    if (state !== 'created') {
      this.#rows[state].push({ index, row, reason });
      await this.#record(index, state, { reason });
      return;
    }
    const created = { index, row, pet };
    this.#rows.created.push(created);
    if (!(await this.#record(index, state, { pet }))) this.#rows.unrecorded.push(created);
  }

  async #notSent(index: number): Promise<void> {
    this.#queue.push(index);
    await this.#record(index, 'unsent');
  }

  /** Looks for the pets of unknown rows, when all other rows are done: then most ids are known. */
  async look(): Promise<void> {
    const { client, signal } = this.#options;
    const { unknown, found } = this.#rows;
    const isWanted = this.#options.unknown === 'look' && unknown.length > 0;
    if (!isWanted || this.#stopped !== undefined) return;
    try {
      for await (const row of findPets(client, unknown, this.#knownIds, signal)) {
        found.push(row);
        if (!(await this.#record(row.index, 'created', row))) return;
      }
    } catch (error) {
      this.#stop(signal?.aborted ? 'aborted' : 'failure', error);
    }
  }

  /** Waits for the rate limit, reports the wait, and ends at once when the run is aborted. */
  async #wait(delay: number, isHeld: boolean): Promise<void> {
    const { signal } = this.#options;
    if (isHeld) this.#heldUntil = Math.max(this.#heldUntil ?? 0, this.#clock.now() + delay);
    this.#showProgress();
    await this.#clock.sleep(delay, signal).catch((failure: unknown) => {
      if (!signal?.aborted) throw failure;
    });
    this.#heldUntil = undefined;
  }

  /** Returns false if the journal failed. The run then sends nothing more, but it reports what it knows. */
  #record(
    index: number,
    state: JournalEntry['state'],
    { pet, reason }: { pet?: AnyPet | undefined; reason?: string } = {},
  ): Promise<boolean> {
    if (pet !== undefined) this.#knownIds.add(BigInt(pet.id));
    const entry = { row: this.#names[index]!, state, id: pet && String(pet.id), reason };
    return this.#use((journal) => journal.write(entry));
  }

  async #use(work: (journal: BulkJournal) => void | Promise<void>): Promise<boolean> {
    try {
      await work(this.#options.journal);
      return true;
    } catch (failure) {
      this.#stop('failure', failure);
      return false;
    }
  }

  #stop(reason: BulkStop['reason'], error: unknown, delay = 0): void {
    const retryAt = reason === 'quota' ? new Date(this.#clock.now() + delay) : undefined;
    const message = {
      quota: `${describeHold(error)}: run again after ${retryAt?.toISOString()}, or set acrossDays: true to wait`,
      aborted: 'the run was aborted: run again to continue',
      failure: messageOf(error),
    }[reason];
    // Of several rows that were stopped, only one may have a response, whose words tell a ban from a used-up quota.
    const isPlainer = this.#stopped?.reason === reason && hasResponse(error);
    if (isPlainer || !this.#stopped) this.#stopped = withJson({ reason, retryAt, message, error });
  }

  #showProgress(): void {
    const { created, earlier, found, rejected, unknown } = this.#rows;
    const next = Math.max(this.#clock.now(), this.#heldUntil ?? 0);
    this.#options.onProgress?.({
      total: this.#options.rows.length,
      done: created.length + earlier.length + found.length + rejected.length + unknown.length,
      created: created.length,
      rejected: rejected.length,
      unknown: unknown.length,
      heldUntil: this.#heldUntil === undefined ? undefined : new Date(this.#heldUntil),
      estimatedEnd: this.#estimate.end(this.#queue.length, next),
    });
  }

  /** Closes the journal. A failure is part of the report: the outcomes before it are known. */
  async close(): Promise<void> {
    // As the last entry: any entry after it says that a later run was allowed to send.
    const reason = this.#stopped?.retryAt?.toISOString();
    if (reason !== undefined)
      await this.#use((journal) => journal.write({ row: '', state: 'held', reason }));
    await this.#use((journal) => journal.close?.());
  }

  /** What happened, in the order of the rows. */
  report(): BulkReport {
    for (const rows of Object.values(this.#rows)) rows.sort((a, b) => a.index - b.index);
    return {
      total: this.#options.rows.length,
      ...this.#rows,
      unsent: this.#queue.length,
      stopped: this.#stopped,
    };
  }
}

/** As JSON, an error without a form of its own, such as the reason of an abort, would be `{}`: it has its name and message there. */
function withJson(stop: BulkStop): BulkStop {
  const { error } = stop;
  const isBare = error instanceof Error && !('toJSON' in error);
  const shown = isBare ? { name: error.name, message: error.message } : error;
  return Object.defineProperty(stop, 'toJSON', { value: () => ({ ...stop, error: shown }) });
}
