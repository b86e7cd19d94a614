import { isInt64 } from '../contract/int64.js';
import { ConfigurationError, NotFoundError, RateLimitError } from '../errors/errors.js';
import type { PetStoreClient } from '../client.js';
import type { Int64Mode, NewPet } from '../types.js';
import { throwIfAborted, untilAborted } from '../utils/abort.js';
import { systemClock, type Clock } from '../utils/clock.js';
import { EndEstimate } from './estimate.js';
import { findPets } from './find-pets.js';
import { checkEntry, rowNames, type BulkJournal, type JournalEntry } from './journal/journal.js';
import type { CheckedOptions } from './options.js';
import { describeStop, longestWaitAtGate, sendRow, statesWait, type Outcome } from './outcome.js';
import type { BulkReport, BulkStop, CreatedRow, EarlierRow, FailedRow } from './report.js';

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
    created: [] as CreatedRow<Int64Mode>[],
    unrecorded: [] as CreatedRow<Int64Mode>[],
    earlier: [] as EarlierRow[],
    found: [] as CreatedRow<Int64Mode>[],
    rejected: [] as FailedRow[],
    unknown: [] as FailedRow[],
  };
  /** Of the pets in the journal. */
  readonly #knownIds = new Set<bigint>();
  #unclearInARow = 0;
  #stopped: BulkStop | undefined;
  /** Aborted when the run stops: ends every wait. */
  readonly #ended = new AbortController();
  /** The latest end of a hold, ms since the epoch. */
  #heldUntil = 0;
  /** How far the clock of the service is ahead of the local one, ms, by the newest `Date`. */
  #ahead = 0;
  readonly #estimate = new EndEstimate();

  constructor(options: BulkRunOptions) {
    this.#options = options;
    // A test double of the client may have no clock.
    this.#clock = (options.client as Partial<PetStoreClient>).clock ?? systemClock;
    this.#names = rowNames(options.rows);
  }

  /** @throws what `read` of the journal or the function `unknown` throws: nothing was sent then. */
  async run(): Promise<BulkReport<Int64Mode>> {
    const { concurrency: length, journal, signal } = this.#options;
    try {
      const newest = await this.#resume(await journal.read());
      await this.#attempt(() => this.#respectHold(newest), signal);
      await Promise.all(Array.from({ length }, () => this.#attempt(() => this.#work(), signal)));
      await this.#attempt(() => this.#look(), signal);
    } finally {
      await this.#close();
    }
    for (const rows of Object.values(this.#rows)) rows.sort((a, b) => a.index - b.index);
    const [total, unsent] = [this.#names.length, this.#queue.length];
    return { total, ...this.#rows, unsent, stopped: this.#stopped };
  }

  /** Sorts the rows by what earlier runs recorded about them. Returns the newest entry of a hold or a request. */
  async #resume(entries: Iterable<JournalEntry>): Promise<JournalEntry | undefined> {
    const last = new Map<string, JournalEntry>();
    let newest: JournalEntry | undefined;
    for (const entry of entries) {
      checkEntry(entry);
      last.set(entry.row, entry);
      // A decision about a row does not end a hold.
      if (entry.state === 'held' || entry.state === 'sending') newest = entry;
      if (entry.id) this.#knownIds.add(BigInt(entry.id));
    }
    for (const [index, name] of this.#names.entries())
      await this.#sort(index, last.get(name) ?? { row: name, state: 'unsent' });
    this.#queue.reverse();
    return newest;
  }

  async #sort(index: number, { state, id, reason }: JournalEntry): Promise<void> {
    const row = this.#options.rows[index]!;
    if (state === 'created') this.#rows.earlier.push({ index, row, id: id ?? undefined });
    else if (state === 'unsent') this.#queue.push(index);
    else if (state === 'rejected')
      this.#rows.rejected.push({ index, row, reason: reason ?? 'rejected before' });
    else await this.#decide({ index, row, reason: reason ?? 'interrupted' });
  }

  /** Asks what became of a row, and records the answer. */
  async #decide(row: FailedRow): Promise<void> {
    const { unknown, journal, signal } = this.#options;
    const found =
      typeof unknown === 'function' ? await untilAborted(signal, () => unknown(row)) : undefined;
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
    this.#showProgress();
    if (newest?.state !== 'held' || ignoreHold) return;
    if (this.#queue.length === 0 && !this.#hasToLook()) return;
    const heldUntil = Date.parse(newest.reason!);
    const delay = heldUntil - this.#clock.now();
    if (!(delay > 0)) return;
    if (acrossDays) return this.#wait(delay, heldUntil);
    const error = 'the service told an earlier run to wait (ignoreHold: true sends anyway)';
    this.#stop('quota', error, delay);
  }

  /** Sends one row after another. */
  async #work(): Promise<void> {
    while (this.#stopped === undefined && this.#queue.length > 0) {
      throwIfAborted(this.#options.signal);
      const index = this.#queue.pop()!;
      if (await this.#record(index, 'sending')) await this.#send(index);
      else await this.#settle(index, { state: 'unsent' });
    }
  }

  async #send(index: number): Promise<void> {
    const { client, rows, signal } = this.#options;
    const outcome = await sendRow(client, rows[index]!, signal);
    const { state, error, rateLimit, date } = outcome;
    if (date) this.#ahead = date - this.#clock.now();
    await this.#settle(index, outcome);
    this.#estimate.learn(rateLimit, this.#clock.now() + this.#ahead);
    if (state === 'unsent') return this.#waitAfter(error);
    // The address is wrong, or the service is down: the run ends before the outcome of many rows is unknown.
    const isUnclear = state !== 'rejected' && outcome.pet === undefined;
    this.#unclearInARow = isUnclear ? this.#unclearInARow + 1 : 0;
    if (this.#unclearInARow >= maxUnclearInARow) this.#stop('failure', error);
    this.#showProgress();
  }

  /** Reports and records what became of a row. */
  async #settle(index: number, { state, pet, reason }: Outcome): Promise<void> {
    const row = this.#options.rows[index]!;
    if (state === 'created') this.#rows.created.push({ index, row, pet });
    else if (state !== 'unsent') this.#rows[state].push({ index, row, reason: reason! });
    const isRecorded = await this.#record(index, state, { pet, reason });
    // Only after the entry was recorded: another worker could send the row, and record its own entries before this one.
    if (state === 'unsent') this.#queue.push(index);
    if (state === 'created' && !isRecorded) this.#rows.unrecorded.push({ index, row, pet });
  }

  /** Without a known id, there is no place to look at. */
  #hasToLook(): boolean {
    const isWanted = this.#options.unknown === 'look' && this.#knownIds.size > 0;
    return isWanted && this.#rows.unknown.length > 0;
  }

  /** Looks for the pets of unknown rows, when all other rows are done: then most ids are known. */
  async #look(): Promise<void> {
    const { unknown, found, created, earlier } = this.#rows;
    const context = { int64: this.#options.client.int64, validation: 'tolerant' } as const;
    if (!this.#hasToLook() || this.#stopped !== undefined) return;
    const unnamed = [...created.filter((one) => !one.pet), ...earlier.filter((one) => !one.id)];
    const get = (id: bigint) => this.#get(id);
    for await (const row of findPets(get, unknown, unnamed, this.#knownIds, context)) {
      found.push(row);
      await this.#record(row.index, 'created', row);
      this.#showProgress();
    }
    // Like a row that was sent, the search shows that the hold is over.
    if (this.#options.ignoreHold) await this.#recordHold(this.#clock.now());
  }

  /**
   * Fetches a pet, unless the run has ended. Waits for the rate limit as a row does. `listPets` has no filter for an id, and `getPet`
   * would warn of its removal, which the user did not choose.
   */
  async #get(id: bigint, maxWait = longestWaitAtGate): Promise<unknown> {
    const { client, signal } = this.#options;
    while (this.#stopped === undefined)
      try {
        return await client.request({ method: 'GET', path: `/pets/${id}` }, { signal, maxWait });
      } catch (error) {
        if (error instanceof NotFoundError) break;
        // The id is requested once more, after the wait that the service stated. The client itself waits, as for any other call.
        if (maxWait < Infinity && statesWait(error)) maxWait = Infinity;
        else await this.#waitAfter(error);
      }
    return undefined;
  }

  /** Waits until what was refused because of the rate limit can be sent. Any other error, and a wait that is too long, ends the run. */
  async #waitAfter(error: unknown): Promise<void> {
    if (!(error instanceof RateLimitError)) throw error;
    const { rateLimit, reason, retryAfter: delay = 1_000 } = error;
    const now = this.#clock.now();
    // A wait that the client does not accept, as for a day or a ban: repeated 429s, or a hold beyond `maxHold`.
    const isLong = reason === 'attempts' || reason === 'hold';
    if (isLong && !this.#options.acrossDays) return this.#stop('quota', error, delay);
    // Recorded before the wait, because the process may be killed while it waits. If this fails, the run and the wait end.
    if (isLong) await this.#recordHold(now + delay);
    // Otherwise the call only waited for other requests in flight.
    const end = rateLimit?.remaining === 0 ? Number(rateLimit.resetAt) - this.#ahead : 0;
    return this.#wait(delay, Math.min(now + delay, isLong ? Infinity : end));
  }

  /** Waits for the rate limit, and reports the wait. The end of the run ends it at once. Many rows before this one can make it longer than the hold. */
  async #wait(delay: number, heldUntil: number): Promise<void> {
    this.#heldUntil = Math.max(this.#heldUntil, heldUntil);
    this.#showProgress();
    await untilAborted(this.#options.signal, () => this.#clock.sleep(delay, this.#ended.signal));
    this.#showProgress();
  }

  /** Returns false if the journal failed. The run then sends nothing more, but it reports what it knows. */
  #record(index: number, state: JournalEntry['state'], { pet, reason }: Partial<Outcome> = {}) {
    if (pet !== undefined) this.#knownIds.add(BigInt(pet.id));
    const row = this.#names[index]!;
    const entry = { row, state, id: pet && String(pet.id), reason };
    return this.#attempt(() => this.#options.journal.write(entry));
  }

  /** What fails ends the run, and is part of its report: the outcomes before it are known. Once `signal` is aborted, that is what ended it. */
  async #attempt(work: () => unknown, signal?: AbortSignal): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (failure) {
      if (signal?.aborted) this.#stop('aborted', signal.reason);
      else this.#stop('failure', failure);
      return false;
    }
  }

  #stop(reason: BulkStop['reason'], error: unknown, delay = 0): void {
    const retryAt = reason === 'quota' ? new Date(this.#clock.now() + delay) : undefined;
    const message = describeStop(reason, error, delay, retryAt);
    // Several rows may stop because of the quota. The one with a response counts, whose code and message distinguish a ban from a used-up quota.
    const { code } = { ...(error as { readonly code?: unknown } | undefined) };
    const before = this.#stopped;
    // A wait that the end of the run has ended says nothing new.
    if (before && error === this.#ended.signal.reason) return;
    const isClearer = reason === 'quota' && code !== undefined && before?.reason === reason;
    if (!before || isClearer) this.#stopped = { reason, retryAt, message, error };
    else if (reason === 'failure' && !before.message.includes(message))
      this.#stopped = { ...before, message: `${before.message}; ${message}` };
    this.#ended.abort();
  }

  #showProgress(): void {
    const { created, earlier, found, rejected, unknown } = this.#rows;
    const now = this.#clock.now();
    const progress = {
      total: this.#options.rows.length,
      done: created.length + earlier.length + found.length + rejected.length + unknown.length,
      created: created.length,
      rejected: rejected.length,
      unknown: unknown.length,
      heldUntil: this.#heldUntil > now ? new Date(this.#heldUntil) : undefined,
      estimatedEnd: this.#estimate.end(this.#queue.length, Math.max(now, this.#heldUntil)),
    };
    // Not awaited: a slow listener does not delay the rows.
    void this.#attempt(() => this.#options.onProgress?.(progress), this.#options.signal);
  }

  async #close(): Promise<void> {
    // The last entry, because a row that was sent after a hold means that a later run was allowed to send.
    if (this.#stopped?.retryAt) await this.#recordHold(this.#stopped.retryAt);
    const before = this.#stopped?.message;
    await this.#attempt(() => this.#options.journal.close?.());
    // A journal that was moved says the same again, unless it could not be written again.
    if (before !== undefined && before !== this.#stopped?.message)
      this.#rows.unrecorded = [...this.#rows.created];
  }

  #recordHold(until: number | Date): Promise<boolean> {
    const entry: JournalEntry = { row: '', state: 'held', reason: new Date(until).toISOString() };
    return this.#attempt(() => this.#options.journal.write(entry));
  }
}
