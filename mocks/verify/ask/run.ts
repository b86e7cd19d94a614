/** Asks what is planned, one request at a time, and with manners. */
import { afterwards, burst, hasKey, probe, type Ask } from '../asks.js';
import type { Settings } from '../settings.js';
import type { Progress } from '../types.js';
import { announcedWait } from './announced-wait.js';
import { Budget, longestMinute } from './budget.js';
import { answerOf, createdPet, isAnswered, petsOf, type Exchange } from './exchange.js';
import { readRate } from './rate.js';
import { send } from './send.js';

/** So many failures one after the other end a run. */
const mostFailures = 3;
/** With a larger limit a 429 takes too many requests: a key of the Free plan is needed. */
const mostInBurst = 350;

/** What was seen in a run. */
export interface Seen {
  readonly exchanges: readonly Exchange[];
  /** Why the run ended before everything was asked. */
  readonly stopped: string | undefined;
  /** Why no more bodies were sent. */
  readonly postsEnded: string | undefined;
  /** Why the limit was not reached on purpose. */
  readonly notLimited: string | undefined;
  readonly petsCreated: readonly string[];
  readonly allowed: Settings['allowed'];
}

/** Says how long to wait before one more request that shows how the minute is counted, ms; undefined where none would. `sent`: such requests so far. */
export type NextProbe = (
  exchanges: readonly Exchange[],
  sent: number,
) => Promise<number | undefined>;

/** One run: what has come back, and why it stops. */
export class Run {
  readonly #settings: Settings;
  readonly #budget: Budget;
  readonly #onProgress: (progress: Progress) => void;
  readonly #exchanges: Exchange[] = [];
  readonly #pets: string[] = [];
  #stopped: string | undefined;
  #postsEnded: string | undefined;
  #notLimited: string | undefined;
  #failures = 0;

  constructor(settings: Settings, onProgress: (progress: Progress) => void) {
    this.#settings = settings;
    this.#budget = new Budget(settings.maxRequests);
    this.#onProgress = onProgress;
  }

  /**
   * Asks everything. Rejects for nothing: an abort is a reason to stop. `nextProbe`: where the counting of the minute is
   * asked for.
   */
  async ask(wanted: readonly Ask[], nextProbe: NextProbe | undefined): Promise<Seen> {
    try {
      await this.#askAll(wanted, nextProbe);
    } catch (error) {
      if (this.#settings.sender.signal?.aborted !== true) throw error;
      this.#stopped = 'it was interrupted';
    }
    return {
      exchanges: this.#exchanges,
      stopped: this.#stopped,
      postsEnded: this.#postsEnded,
      notLimited: this.#notLimited,
      petsCreated: this.#pets,
      allowed: this.#settings.allowed,
    };
  }

  async #askAll(wanted: readonly Ask[], nextProbe: NextProbe | undefined): Promise<void> {
    const [first, ...others] = wanted;
    await this.#send(first!);
    if (!petsOf(answerOf(this.#exchanges, 'list'))) return;
    if (nextProbe) await this.#waitForQuiet();
    for (const ask of others) {
      const path = this.#pathOf(ask);
      if (ask !== burst && path !== undefined) await this.#send({ ...ask, path });
    }
    for (let sent = 0; nextProbe && this.#stopped === undefined; sent++) {
      const wait = await nextProbe(this.#exchanges, sent);
      if (wait === undefined) break;
      await this.#wait(wait, 'another moment of the window');
      await this.#send(probe);
    }
    if (wanted.includes(burst)) await this.#reachLimit();
  }

  /** The path with the id that it takes; undefined where there is none. */
  #pathOf({ path }: Ask): string | undefined {
    const [listed] = petsOf(answerOf(this.#exchanges, 'wholeList')) ?? [];
    const ids = { listed, created: createdPet(answerOf(this.#exchanges, 'newPet')) };
    const [, name] = /\{(\w+)\}/.exec(path) ?? [];
    if (name === undefined) return path;
    const pet = ids[name as keyof typeof ids];
    return pet && path.replace(`{${name}}`, String(pet.id));
  }

  /** Sends one request, after the wait it takes; undefined where it may not be sent. */
  async #send(ask: Ask): Promise<Exchange | undefined> {
    const { sender } = this.#settings;
    if (this.#stopped !== undefined) return undefined;
    if (ask.method === 'POST' && this.#postsEnded !== undefined) return undefined;
    const permission = this.#budget.permission(ask, sender.now());
    if ('never' in permission) {
      // What spends no quota of the key may run out alone.
      if (hasKey(ask)) this.#stopped = permission.never;
      return undefined;
    }
    await this.#wait(permission.at - sender.now(), `a new window: ${permission.why}`);
    this.#report(ask.name);
    const exchange = withoutOrders(await send(sender, ask));
    this.#exchanges.push(exchange);
    this.#budget.note(exchange);
    this.#look(exchange);
    return exchange;
  }

  /** Ends the run where going on would do harm. */
  #look({ ask, answer, failed }: Exchange): void {
    const status = answer?.status;
    const isDown = status === undefined || (status >= 500 && status !== 501);
    this.#failures = isDown ? this.#failures + 1 : 0;
    if (this.#failures >= mostFailures)
      this.#stopped = `${mostFailures} failures in a row, the last: ${failed ?? `status ${status}`}`;
    if (status === 429 && ask.needs !== 'rate-limit')
      this.#stopped = 'a 429 that was not asked for: the quota is used up';
    if (ask.method !== 'POST' || status !== 201) return;
    this.#pets.push(String(createdPet(answer)?.id ?? 'unknown'));
    if (ask.creates !== true)
      this.#postsEnded =
        'the service created a pet from a body that it must refuse, so no more bodies were sent';
  }

  /** A key that was used in the last minute would distort the counting, so its windows are left to run out. */
  async #waitForQuiet(): Promise<void> {
    const rate = this.#lastRate();
    if (!rate || rate.limit < 2 || rate.remaining === rate.limit - 1) return;
    if (rate.resetIn > longestMinute) return;
    await this.#wait(longestMinute, 'quiet: the key was used in the last minute');
  }

  /** Asks until a request is refused, and once more after the wait that the 429 announces. */
  async #reachLimit(): Promise<void> {
    const rate = this.#lastRate();
    if (!rate) return void (this.#notLimited = 'no response has rate-limit headers');
    const { limit, remaining } = rate;
    const { left } = this.#budget;
    if (limit > mostInBurst)
      this.#notLimited = `a limit of more than ${mostInBurst} requests: ask with a key of the Free plan`;
    else if (left < remaining + 2)
      this.#notLimited = `it takes ${remaining + 2} requests to reach the limit, and --max-requests leaves ${left}`;
    if (this.#notLimited !== undefined) return;
    for (let sent = 1; sent <= limit + 20; sent++) {
      const exchange = await this.#send(burst);
      if (!exchange) return;
      if (!isAnswered(exchange) || exchange.answer.status !== 429) continue;
      const wait = announcedWait(exchange);
      if (wait === undefined) return;
      await this.#wait(wait, 'the wait that the 429 has announced');
      await this.#send(afterwards);
      return;
    }
  }

  #lastRate() {
    const last = this.#exchanges.findLast(({ ask, answer }) => ask.key === 'own' && answer);
    return last?.answer && readRate(last.answer, last.receivedAt);
  }

  async #wait(ms: number, why: string): Promise<void> {
    if (ms <= 0) return;
    this.#report('', { ms, why });
    await this.#settings.sleep(ms, this.#settings.sender.signal);
  }

  #report(name: string, waits?: Progress['waits']): void {
    this.#onProgress({
      name,
      requests: this.#exchanges.length,
      maxRequests: this.#settings.maxRequests,
      remaining: this.#lastRate()?.remaining,
      ...(waits && { waits }),
    });
  }
}

/** Real orders are nobody's business: they are dropped before anything looks at them. */
function withoutOrders(exchange: Exchange): Exchange {
  if (exchange.ask.name !== 'storeOrders' || exchange.answer?.status !== 200) return exchange;
  return { ...exchange, answer: { ...exchange.answer, text: '', json: undefined } };
}
