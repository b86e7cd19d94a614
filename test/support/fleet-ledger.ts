import type { GateCall, GatePermit, GateResponse, RateLimitGate } from '../../src/index.js';
import type { FleetEvent } from '../../src/fleet/index.js';
import { longLease } from '../../src/fleet/rules/constants.js';
import type { FleetOperation, FleetReply } from '../../src/fleet/rules/operations.js';
import { settled } from './world.js';
import { problemsOfReport, type Asked, type News, type Sent, type Watched } from './fleet-news.js';

/** The option `storeTimeout`, ms. */
const timeout = 250;
const rankOf = ({ priority, place }: GateCall) => (priority === 'high' ? place - 1e9 : place);

/**
 * Stands between the calls of one process and its gate, and between the gate and the store. It knows what the process was granted
 * and what became of its requests, so what it may send and has to tell the store. What differs is in `problems`. The process must
 * not stand still.
 */
export class Ledger {
  readonly problems: string[] = [];
  readonly #waiting = new Set<GateCall>();
  /** Permits in hand. If `#mayBeFewer`: at most so many. */
  #held = 0;
  #sequence = 0;
  readonly #own: Watched;
  readonly #open = new Set<Sent>();
  #mayBeFewer = false;
  #isProbeNext = false;
  #leaseEnd = -Infinity;
  #lease = { size: 0, at: -Infinity };
  #cap = 1;
  #reply: FleetReply | undefined;
  /** How many share the limit, 0 while it is unknown. */
  #processes = 0;
  #stateLostAt = -Infinity;
  #isAlone = false;
  #wasRefused = false;
  #calledAt = -Infinity;
  #limitedUntil = -Infinity;
  #rtt = 0;
  #news: News[] = [];
  #total = 0;
  #asked: Asked | undefined;
  #known = { acknowledged: 0, generation: '', repeats: 0 };
  #acknowledgedAt = -1e12;
  #failures = 0;
  #failingSince = 0;
  #events: string[] = [];
  /** The newest turn in which calls were sent or rejected, those that were sent, and how many were rejected. */
  #turn = { at: -Infinity, sent: [] as GateCall[], rejected: 0 };

  constructor(own: Watched) {
    this.#own = own;
  }

  get #now(): number {
    return this.#own.clock.monotonic();
  }

  /** Notes it unless it is so. */
  #must(isSo: boolean, what: string): void {
    if (!isSo) this.problems.push(`${what}, at ${this.#now}`);
  }

  /** The gate, of which it sees each call. */
  watch(gate: RateLimitGate): RateLimitGate {
    return { acquire: (call) => this.#acquire(gate, call) };
  }

  async #acquire(gate: RateLimitGate, call: GateCall): Promise<GatePermit> {
    await this.#own.turn();
    this.#look();
    this.#calledAt = this.#now;
    const isReady = this.#isReady && call.signal?.aborted !== true;
    this.#waiting.add(call);
    try {
      const acquired = gate.acquire(call);
      // The call goes on meanwhile: an operation may begin in the same turn.
      if (isReady)
        void settled(acquired).then((isUsed) => this.#must(isUsed, 'a permit is not used'));
      return this.#permit(await acquired, this.#send(call));
    } catch (failure) {
      this.#waiting.delete(call);
      this.#thisTurn.rejected += 1;
      this.#wasRefused ||= (failure as { reason?: string }).reason === 'wait';
      throw failure;
    }
  }

  /** No call waits in a hold, or in a window that is used up, longer than it may. */
  #look(): void {
    const { decision, holdEndsAt = 0, resetAt = 0 } = this.#isAlone ? {} : (this.#reply ?? {});
    const end = Math.max(holdEndsAt, decision === 'exhausted' ? resetAt : 0);
    const wait = Math.max(this.#limitedUntil - this.#now, end - this.#own.storeNow());
    for (const { maxHold } of this.#waiting)
      this.#must(maxHold > wait - 1_000, `a call waits in a hold of ${wait} ms`);
  }

  /** Whether a call that comes now is to be sent at once. */
  get #isReady(): boolean {
    this.#expire();
    const isHeld = this.#now < this.#limitedUntil + 2_000 || !this.#isOver(300);
    const isFree = this.#waiting.size === 0 && this.#open.size < this.#cap && !this.#mayBeFewer;
    return this.#held > 0 && isFree && !isHeld && !this.#isAlone;
  }

  /** Whether the hold that the store reported is over, and was `margin` ms ago. */
  #isOver(margin = 0): boolean {
    return this.#own.storeNow() - margin >= (this.#reply?.resumeAt ?? 0);
  }

  /** Permits are not used after their lease. */
  #expire(): void {
    if (this.#now >= this.#leaseEnd) this.#held = 0;
  }

  get #thisTurn() {
    if (this.#now !== this.#turn.at) this.#turn = { at: this.#now, sent: [], rejected: 0 };
    return this.#turn;
  }

  #send(call: GateCall): Sent {
    this.#expire();
    this.#waiting.delete(call);
    this.#thisTurn.sent.push(call);
    // The clock of the store, of 13 digits, is exact to a quarter of a microsecond.
    this.#must(this.#now > this.#limitedUntil - 1e-3, 'a call is sent in a hold of its process');
    if (!this.#isAlone) {
      this.#must(this.#held > 0, 'a call is sent without a permit');
      this.#must(this.#open.size < this.#cap, 'more are in flight than the store allows');
      this.#must(this.#isOver(), 'a call is sent in a hold of the fleet');
      const isFirst = [...this.#waiting].every((other) => rankOf(other) > rankOf(call));
      this.#must(isFirst, 'a call is sent before one that is first');
    }
    const isLeased = this.#held > 0 && this.#open.size < this.#cap;
    const sent = { at: this.#now, isProbe: isLeased && this.#isProbeNext, isLeased };
    this.#isProbeNext &&= !isLeased;
    if (isLeased) this.#held -= 1;
    this.#open.add(sent);
    return sent;
  }

  #permit(inner: GatePermit, sent: Sent): GatePermit {
    const { isProbe, isLeased, at: sentAt } = sent;
    const end = async (work: () => void) => {
      await this.#own.turn();
      this.#open.delete(sent);
      work();
    };
    return {
      settle: (response) =>
        void end(() => {
          this.#read(response, sent);
          inner.settle(response);
        }),
      lose: () =>
        void end(() => {
          this.#news.push({ at: this.#now, sentAt, isProbe, isLost: true });
          inner.lose();
        }),
      cancel: () =>
        void end(() => {
          const isKept = isLeased && this.#now < this.#leaseEnd;
          if (isKept) this.#held += 1;
          if (isKept) this.#isProbeNext = isProbe;
          inner.cancel();
        }),
    };
  }

  #read({ status, headers }: GateResponse, sent: Sent): void {
    const read = (name: string, unit = 1) => unit * Number(headers.get(name) ?? NaN);
    const limit = read('X-RateLimit-Limit');
    const remaining = read('X-RateLimit-Remaining');
    const asked = read('Retry-After', 1_000);
    this.#expire();
    this.#rtt = Math.min(this.#now - sent.at, 5_000);
    // Without a Retry-After the other statuses are responses like any other; a 403 without headers is not from the service.
    const isOther = (status === 503 || (status === 403 && limit >= 0)) && asked >= 0;
    const news = { at: this.#now, sentAt: sent.at, isProbe: sent.isProbe };
    if (status === 429 || isOther) {
      const wait = Math.min(asked || 0, status === 503 ? 60_000 : Infinity);
      this.#limitedUntil = Math.max(this.#limitedUntil, this.#now + wait);
      this.#held = 0;
      this.#news.push({ ...news, isLost: status !== 429, wait });
      return;
    }
    this.#news.push({ ...news, isLost: false });
    this.#total += 1;
    // Others may use the quota too: no more remains than the newest response says.
    if (remaining >= 0) this.#held = Math.max(0, Math.min(this.#held, remaining - this.#open.size));
  }

  hear(event: FleetEvent): void {
    this.#events.push(event.type);
    if (event.type === 'fleet-lost') {
      this.#isAlone = this.#own.fallback === 'share';
      const share = this.#processes === 0 || !this.#isAlone ? undefined : 1 / this.#processes;
      this.#must(event.share === share, `the share is not ${share}`);
    } else if (this.#isAlone) {
      this.#isAlone = false;
      this.#mayBeFewer = true;
    }
    // The holds are lost, too.
    if (event.type === 'fleet-state-lost') this.#limitedUntil = -Infinity;
  }

  /** The process asks the store. */
  ask(operation: FleetOperation): void {
    const { unsent, need, leaves, acknowledged } = operation;
    const now = this.#now;
    if (this.#asked !== undefined) this.#conclude(this.#asked, acknowledged);
    this.#expire();
    this.#sequence += 1;
    // Calls that a response or a reply lets pass are sent after the operation that it leads to.
    const { sent, rejected } = this.#thisTurn;
    const passed = unsent > this.#held ? sent.slice(this.#held - unsent) : [];
    const atHand = this.#held + passed.length;
    const isUnused = this.#open.size + this.#waiting.size === 0;
    const isDue = isUnused && now >= this.#calledAt + (this.#reply?.returnAfter || Infinity);
    const mayHaveLess = (isDue && unsent === 0) || (this.#mayBeFewer && unsent <= atHand);
    const waiting = this.#waiting.size + passed.length - unsent;
    const least = Math.max(this.#wasRefused ? Math.min(1, need) : 0, waiting);
    const isNeeded = need >= least && need <= Math.max(least, waiting + rejected);
    this.#must(leaves ? need === 0 : isNeeded, `need is ${need}, not ${least}`);
    const expected: Partial<FleetOperation> = {
      ...{ ...this.#known, sequence: this.#sequence, acknowledgedAgo: now - this.#acknowledgedAt },
      ...{ inFlight: this.#open.size - passed.length, rtt: this.#rtt, total: this.#total },
      unsent: leaves ? 0 : mayHaveLess ? unsent : atHand,
      aloneFor: this.#failures < 2 ? 0 : now - this.#failingSince,
      lost: this.#news.filter(({ isLost }) => isLost).length,
      lastLease: unsent === 0 && now - this.#lease.at < 2_000 ? this.#lease.size : 0,
      probeDone: this.#news.some(({ isProbe }) => isProbe),
    };
    for (const [name, value] of Object.entries(expected)) {
      const said = operation[name as keyof FleetOperation];
      const what = `${name} is ${JSON.stringify(said)}, not ${JSON.stringify(value)}`;
      this.#must(said === value, what);
    }
    const offset = this.#known.acknowledged > 0 ? this.#own.storeNow() - now : undefined;
    // Responses of more than 100 s ago are reported as if they were as old.
    const news = this.#news.map((each) => ({ ...each, at: Math.max(each.at, now - 100_000) }));
    const problems = problemsOfReport(operation, news, offset, this.#own.ahead);
    for (const problem of problems) this.#must(false, problem);
    const untold = this.#news.slice(this.#asked?.news);
    const isSilent = untold.some(({ wait, at }) => wait !== undefined && now - at > timeout);
    this.#must(!isSilent || this.#failures > 0, 'a 429 is told late');
    this.#held = unsent - passed.length;
    this.#mayBeFewer = false;
    // A call may be refused after the operation began.
    this.#wasRefused &&= rejected > 0;
    this.#asked = { operation, at: now, news: this.#news.length };
  }

  /** The store has answered an operation. */
  answer(reply: FleetReply, operation: FleetOperation): void {
    const asked = this.#asked!;
    // The process has given an operation up that took longer.
    if (asked.operation !== operation || this.#now - asked.at > timeout) return;
    asked.reply = reply;
    this.#reply = reply;
    this.#cap = reply.inFlightCap;
    const { generation } = this.#known;
    if (generation !== '' && generation !== reply.generation) this.#stateLostAt = asked.at;
    // A new state learns of its processes one by one, until all leases have ended.
    const isGrowing = asked.at < this.#stateLostAt + longLease;
    if (reply.limit > 0 && !(isGrowing && reply.members < this.#processes))
      this.#processes = reply.members;
    // The store granted without knowing of a 429 that came meanwhile.
    const isOutdated = this.#news.slice(asked.news).some(({ wait }) => wait !== undefined);
    if (reply.granted === 0 || isOutdated) return;
    const end = asked.at + reply.leaseFor;
    this.#leaseEnd = this.#held > 0 ? Math.max(this.#leaseEnd, end) : end;
    this.#held += reply.granted;
    this.#isProbeNext = reply.probe;
    this.#lease = { size: reply.granted, at: this.#now };
  }

  /** What came of an operation: the next one says whether the process has its reply. */
  #conclude({ operation, at, reply, news }: Asked, acknowledged: number): void {
    const events: string[] = [];
    if (reply !== undefined && acknowledged === operation.sequence) {
      const { acknowledged: before, generation, repeats } = this.#known;
      if (before === 0) events.push('fleet-joined');
      else if (this.#failures > 1) events.push('fleet-rejoined');
      if (generation !== '' && generation !== reply.generation) events.push('fleet-state-lost');
      this.#known = {
        acknowledged,
        generation: operation.leaves ? '' : reply.generation,
        repeats: reply.repeat ? repeats + 1 : 0,
      };
      this.#acknowledgedAt = at;
      this.#failures = 0;
      this.#news.splice(0, news);
    } else {
      // The store may have done it.
      if (operation.leaves) this.#known.generation = '';
      this.#failures += 1;
      if (this.#failures === 1) this.#failingSince = at;
      if (this.#failures === 2) events.push('fleet-lost');
    }
    this.#must(this.#events.join() === events.join(), `it told ${this.#events.join()}`);
    this.#events = [];
  }
}
