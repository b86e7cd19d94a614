import type { Clock } from '../../utils/clock.js';
import { ClockBounds } from '../clock-bounds.js';
import type { News, ReportedRateLimit, ReportedWindow } from './report.js';
import type { FleetReply, PeekReply, SyncOperation, SyncReply } from '../rules/operations.js';
import type { FleetStore, MemberEvent } from '../types.js';
import { idleSleep } from './timer.js';
import type { HoldTimes } from './waiting-calls.js';

/** What a process holds and wants when it asks. */
export type Holding = Pick<
  SyncOperation,
  'unsent' | 'inFlight' | 'need' | 'high' | 'rate' | 'lastLease' | 'rtt'
>;

/** The answer of the store. */
export interface Answered {
  readonly reply: SyncReply;
  /** What has changed since the last reply. */
  readonly events: readonly MemberEvent[];
}

/** Why there is no answer, and whether the store counts as lost with this failure. */
export interface Unanswered {
  readonly failure: string;
  readonly isLost: boolean;
}

/** ms until the store is tried again after the first failure, the second, and so on. */
const retryDelays = [500, 1_000, 2_000, 4_000];
/** Failures in a row after which the store counts as lost. */
const failuresUntilLost = 2;
/** Longer ago than anything that matters; `Infinity` would not survive JSON. */
const longAgo = 1e12;

/** Runs the operations of one process on the store: numbers them, learns the store's clock, and waits no longer than the timeout. */
export class StoreLink {
  /** How far the store's clock is ahead of the local monotonic one. */
  readonly offset = new ClockBounds();
  /** How far the service's clock is ahead of the local monotonic one. */
  readonly service = new ClockBounds();
  readonly state: string;
  /** Requests per minute of the plan, if the client has the option `plan`. */
  perMinute: number | undefined;
  /** When to ask again, monotonic ms. */
  retryAt = -Infinity;
  /** Failures in a row. */
  failures = 0;
  #repeats = 0;
  /** When the first of them was sent, monotonic ms. */
  failingSince = 0;
  readonly #store: FleetStore;
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #perDay: number | undefined;
  readonly #member = randomName();
  #sequence = 0;
  #generation = '';
  #acknowledged = 0;
  #acknowledgedAt = -longAgo;

  constructor(
    store: FleetStore,
    state: string,
    clock: Clock,
    timeout: number,
    perDay: number | undefined,
  ) {
    this.#store = store;
    this.state = state;
    this.#clock = clock;
    this.#timeout = timeout;
    this.#perDay = perDay;
  }

  /** Reports and asks in one trip. Never rejects. */
  async exchange(holding: Holding, news: News): Promise<Answered | Unanswered> {
    const sentAt = this.#clock.monotonic();
    const operation = this.#operation(holding, news, sentAt);
    try {
      return this.#answered((await this.#run(operation)) as SyncReply, operation, sentAt);
    } catch (failure) {
      if (this.failures === 0) this.failingSince = sentAt;
      this.failures += 1;
      const delay = retryDelays[Math.min(this.failures, retryDelays.length) - 1]!;
      this.retryAt = this.#clock.monotonic() + delay;
      return { failure: reasonOf(failure), isLost: this.failures === failuresUntilLost };
    }
  }

  #answered(reply: SyncReply, operation: SyncOperation, sentAt: number): Answered {
    const lostState = this.#generation !== '' && reply.generation !== this.#generation;
    const processes = reply.members;
    const events: MemberEvent[] = [];
    if (!this.offset.known) events.push({ type: 'fleet-joined', processes });
    else if (this.failures >= failuresUntilLost) events.push({ type: 'fleet-rejoined', processes });
    if (lostState) events.push({ type: 'fleet-state-lost' });
    if (lostState) this.offset.forget();
    this.#generation = reply.generation;
    this.#acknowledged = operation.sequence;
    this.#acknowledgedAt = sentAt;
    const now = this.#clock.monotonic();
    this.offset.observe(reply.now - now, reply.now - sentAt, now);
    this.failures = 0;
    this.#repeats = reply.repeat ? this.#repeats + 1 : 0;
    this.retryAt = operation.need > 0 ? this.toLocal(reply.retryAt) : -Infinity;
    return { reply, events };
  }

  /** Reads the state; `undefined` when the store fails. */
  async peek(): Promise<PeekReply | undefined> {
    try {
      return (await this.#run({ kind: 'peek', member: this.#member })) as PeekReply;
    } catch {
      return undefined;
    }
  }

  get isUsed(): boolean {
    return this.#sequence > 0;
  }

  /** Leaves the fleet. The member may join again: the next operation is like its first one. */
  async leave(): Promise<void> {
    const operation = { kind: 'leave', member: this.#member, sequence: ++this.#sequence } as const;
    this.#generation = '';
    await this.#run(operation).catch(() => undefined);
  }

  /** The hold that a reply reports, monotonic ms. */
  holdOf({ resumeAt, holdEndsAt, serverHoldUntil }: SyncReply): HoldTimes {
    return {
      resumeAt: this.toLocal(resumeAt),
      endsAt: this.toLocal(holdEndsAt),
      serverHoldUntil: this.toLocal(serverHoldUntil),
    };
  }

  /** The local moment by which the store's clock has surely reached `moment`; `-Infinity` for none. */
  toLocal(moment: number): number {
    return moment > 0 ? moment - this.offset.low : -Infinity;
  }

  #operation(holding: Holding, news: News, now: number): SyncOperation {
    return {
      kind: 'sync',
      member: this.#member,
      sequence: ++this.#sequence,
      generation: this.#generation,
      newGeneration: randomName(),
      acknowledged: this.#acknowledged,
      acknowledgedAgo: now - this.#acknowledgedAt,
      ...holding,
      repeats: this.#repeats,
      aloneFor: this.failures < failuresUntilLost ? 0 : now - this.failingSince,
      successes: news.successes,
      total: news.total,
      times: this.#requestsPerSecond(news.times),
      lost: news.lost,
      probeDone: news.probeDone,
      observation: this.#observation(news.window),
      rateLimited: this.#rateLimited(news.rateLimited),
      clock: this.#serviceClock(),
      perMinute: this.perMinute,
      perDay: this.#perDay,
    };
  }

  #requestsPerSecond(times: readonly number[]): [number, number][] {
    const counts = new Map<number, number>();
    for (const time of times) {
      // The clock of the store is known within bounds. With the later bound, a request counts too long rather than too short. The store cuts seconds in the future.
      const second = this.offset.known ? Math.floor((time + this.offset.high) / 1_000) : longAgo;
      counts.set(second, (counts.get(second) ?? 0) + 1);
    }
    return [...counts];
  }

  #observation(window: ReportedWindow | undefined): SyncOperation['observation'] {
    if (window === undefined) return undefined;
    const { limit, remaining, reset } = window.quota;
    const sentAt = this.offset.known ? window.sentAt + this.offset.low : 0;
    return { limit, remaining, reset, sentAt };
  }

  #rateLimited(limited: ReportedRateLimit | undefined): SyncOperation['rateLimited'] {
    if (limited === undefined) return undefined;
    const { limit, remaining = 0, reset } = limited.quota;
    const { status, retryAfter } = limited;
    // While the process does not know the store's clock, each 429 counts as a new one.
    const sentAt = this.offset.known ? limited.sentAt + this.offset.low : 1e15;
    return {
      status,
      limit,
      reset,
      retryAfter,
      exhausted: remaining === 0,
      sentAt,
    };
  }

  #serviceClock(): SyncOperation['clock'] {
    const { offset, service } = this;
    if (!offset.known || !service.known) return undefined;
    return { low: service.low - offset.high, high: service.high - offset.low };
  }

  async #run(operation: Parameters<FleetStore['run']>[1]): Promise<FleetReply> {
    const timer = new AbortController();
    const late = new Promise<never>((_, reject) => {
      idleSleep(this.#clock, this.#timeout, timer.signal).then(
        () => reject(new Error(`no answer within ${this.#timeout} ms`)),
        () => undefined,
      );
    });
    try {
      return await Promise.race([this.#store.run(this.state, operation), late]);
    } finally {
      timer.abort();
    }
  }
}

/** What a failure says, in one short line. The store's messages hold no API key, for the store never gets one. */
function reasonOf(failure: unknown): string {
  const text = failure instanceof Error ? failure.message : String(failure);
  return text.replaceAll(/\s+/g, ' ').slice(0, 200);
}

/** 72 random bits. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return btoa(String.fromCharCode(...bytes));
}
