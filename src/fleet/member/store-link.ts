import { systemClock, type Clock } from '../../utils/clock.js';
import { messageOf } from '../../utils/safe-reads.js';
import { ClockBounds, ServerClock } from '../../rate-limit/server-clock.js';
import type { FleetOperation, FleetReply } from '../rules/operations.js';
import { runOperation } from '../stores/run-operation.js';
import type { FleetEvent, FleetGateOptions } from '../types.js';
import type { News, ReportedRateLimit, ReportedWindow } from './report.js';
import { idleSleep } from './waits.js';
import type { Hold } from '../../rate-limit/gate-calls.js';

/** What a process holds and wants when it asks, and whether it leaves the fleet. */
export type Holding = Pick<
  FleetOperation,
  'unsent' | 'inFlight' | 'need' | 'high' | 'rate' | 'lastLease' | 'rtt' | 'leaves'
>;

/** The answer of the store. */
export interface Answered {
  readonly reply: FleetReply;
  /** What has changed since the last reply. */
  readonly events: readonly FleetEvent[];
}

/** Why there is no answer, and whether the store counts as lost with this failure. */
export interface Unanswered {
  readonly failure: string;
  readonly isLost: boolean;
}

/** What a process knows of its fleet. */
export interface LocalStatus {
  readonly reply: FleetReply | undefined;
  readonly isLost: boolean;
  readonly unsent: number;
  readonly inFlight: number;
  readonly waiting: number;
  readonly hold: number;
}

/** Where the state is, and how it is reached. */
export interface LinkOptions {
  readonly store: FleetGateOptions['store'];
  /** The name of the state. */
  readonly state: string | Promise<string>;
  readonly clock: Clock;
  /** Longest wait for one operation, ms. */
  readonly timeout: number;
  readonly perDay: number | undefined;
}

/** ms until the store is tried again after the first failure, the second and the third, and after each later one. */
const retryDelays = [500, 1_000, 2_000];
const longestRetryDelay = 4_000;
/** Failures in a row after which the store counts as lost. */
const failuresUntilLost = 2;
/** On the clock of a test, states that may be lost before the store is used no more. */
const lossesUntilRefused = 10;
/** Requests that are older, in ms, count as if they were as old: the log of the store is shorter. */
const oldestReported = 100_000;
/** Longer ago than anything that matters; `Infinity` would not survive JSON. */
const longAgo = 1e12;

/** Runs the operations of one process on the store: numbers them, learns the store's clock, and waits no longer than the timeout. */
export class StoreLink {
  /** How far the store's clock is ahead of the local monotonic one. */
  offset = new ClockBounds();
  /** How far the service's clock is ahead of the local monotonic one. */
  readonly service: ServerClock;
  /** The name of the state, known from the first operation on. */
  state = '';
  /** The store knows the process. */
  isUsed = false;
  /** When to ask again, monotonic ms. */
  retryAt = -Infinity;
  /** Failures in a row, and when the first of them was sent, monotonic ms. */
  failures = 0;
  failingSince = 0;
  readonly #options: LinkOptions;
  readonly #member = randomName();
  #repeats = 0;
  #losses = 0;
  #sequence = 0;
  #generation = '';
  #acknowledged = 0;
  #acknowledgedAt = -longAgo;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.service = new ServerClock(options.clock);
  }

  /** Reports and asks in one trip. Never rejects. */
  async exchange(holding: Holding, news: News): Promise<Answered | Unanswered> {
    const sentAt = this.#now();
    this.isUsed = true;
    const operation = this.#operation(holding, news, sentAt);
    try {
      return this.#answered(await this.#run(operation), operation, sentAt);
    } catch (failure) {
      // The store may have forgotten the process, which is no loss of its memory.
      if (operation.leaves) this.#generation = '';
      if (this.failures === 0) this.failingSince = sentAt;
      this.failures += 1;
      this.retryAt = this.#now() + (retryDelays[this.failures - 1] ?? longestRetryDelay);
      // In one short line. Messages of the store cannot contain the API key, because the store never receives it.
      const reason = messageOf(failure).replaceAll(/\s+/g, ' ').slice(0, 200);
      return { failure: reason, isLost: this.failures === failuresUntilLost };
    }
  }

  #answered(reply: FleetReply, operation: FleetOperation, sentAt: number): Answered {
    const lostState = this.#generation !== '' && reply.generation !== this.#generation;
    const { state } = this;
    const fleet = { state, processes: reply.members };
    const events: FleetEvent[] = [];
    if (!this.offset.known) events.push({ type: 'fleet-joined', ...fleet });
    else if (this.failures >= failuresUntilLost) events.push({ type: 'fleet-rejoined', ...fleet });
    if (lostState) {
      events.push({ type: 'fleet-state-lost', state });
      this.#losses += 1;
      // Another clock may have replaced the known one.
      this.offset = new ClockBounds();
    }
    // A process that has left the fleet joins again like a new one.
    this.isUsed = !operation.leaves;
    this.#generation = operation.leaves ? '' : reply.generation;
    this.#acknowledged = operation.sequence;
    this.#acknowledgedAt = sentAt;
    const now = this.#now();
    this.offset.observe(reply.now - now, reply.now - sentAt, now);
    this.failures = 0;
    this.#repeats = reply.repeat ? this.#repeats + 1 : 0;
    this.retryAt = this.toLocal(reply.retryAt);
    return { reply, events };
  }

  /** The hold that a reply reports, monotonic ms. */
  holdOf({ resumeAt, holdEndsAt, serverHoldUntil, now }: FleetReply): Hold {
    return {
      resumeAt: this.toLocal(resumeAt),
      endsAt: this.toLocal(holdEndsAt),
      // Otherwise the backoff after several 429s is longer.
      fromServer: serverHoldUntil > now && serverHoldUntil >= holdEndsAt,
      cause: '429',
    };
  }

  /** The local moment by which the store's clock has surely reached `moment`; `-Infinity` for none. */
  toLocal(moment: number): number {
    return moment > 0 ? moment - this.offset.low : -Infinity;
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #operation(holding: Holding, news: News, now: number): FleetOperation {
    const { times, window, rateLimited, ...counts } = news;
    return {
      member: this.#member,
      sequence: ++this.#sequence,
      generation: this.#generation,
      newGeneration: randomName(),
      acknowledged: this.#acknowledged,
      acknowledgedAgo: now - this.#acknowledgedAt,
      ...holding,
      ...counts,
      repeats: this.#repeats,
      aloneFor: this.failures < failuresUntilLost ? 0 : now - this.failingSince,
      times: this.#requestsPerSecond(times, now),
      observation: this.#observation(window),
      rateLimited: this.#rateLimited(rateLimited),
      clock: this.#serviceClock(),
      perDay: this.#options.perDay,
    };
  }

  #requestsPerSecond(times: readonly number[], now: number): [number, number][] {
    const counts = new Map<number, number>();
    for (const time of times) {
      // The clock of the store is known within bounds. The later bound counts a request too long rather than too short. The store limits seconds in the future.
      // After hours without the store, a report would otherwise be so long that a script in Redis takes longer than the timeout.
      const at = Math.max(time, now - oldestReported);
      const second = Math.min(longAgo, Math.floor((at + this.offset.high) / 1_000));
      counts.set(second, (counts.get(second) ?? 0) + 1);
    }
    return [...counts];
  }

  #observation(window: ReportedWindow | undefined): FleetOperation['observation'] {
    return window && { ...window.quota, sentAt: Math.max(0, window.sentAt + this.offset.low) };
  }

  #rateLimited(limited: ReportedRateLimit | undefined): FleetOperation['rateLimited'] {
    if (limited === undefined) return undefined;
    const { limit, remaining = 0, reset } = limited.quota;
    const { status, retryAfter } = limited;
    // While the process does not know the store's clock, each 429 counts as a new one.
    const sentAt = this.offset.known ? limited.sentAt + this.offset.low : 1e15;
    return { status, limit, reset, retryAfter, exhausted: remaining === 0, sentAt };
  }

  #serviceClock(): FleetOperation['clock'] {
    const { offset, service } = this;
    if (!offset.known || !service.known) return undefined;
    return { low: service.low - offset.high, high: service.high - offset.low };
  }

  async #run(operation: FleetOperation): Promise<FleetReply> {
    const { store, clock, timeout } = this.#options;
    this.state = await this.#options.state;
    const testTime = clock === systemClock ? undefined : clock.now();
    // A clock of a test moves without waiting, so that the losses beside another clock would never end.
    if (testTime !== undefined && this.#losses >= lossesUntilRefused)
      throw new Error(
        `${lossesUntilRefused} states were lost: do all clients of the store have one clock?`,
      );
    const timer = new AbortController();
    const late = idleSleep(clock, timeout, timer.signal).then(() => {
      throw new Error(`no answer within ${timeout} ms`);
    });
    try {
      return await Promise.race([runOperation(store, this.state, operation, testTime), late]);
    } finally {
      timer.abort();
    }
  }
}

/** 72 random bits. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return btoa(String.fromCharCode(...bytes));
}
