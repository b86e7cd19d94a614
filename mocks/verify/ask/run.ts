/** Asks what is planned, one request at a time, and with manners. */
import { afterwards, burst, hasKey, type Ask } from '../asks.js';
import type { Settings } from '../settings.js';
import type { Progress } from '../types.js';
import { Budget } from './budget.js';
import { answerOf, createdPet, isAnswered, petsOf, type Exchange } from './exchange.js';
import { announcedWait, longestMinute, readRate } from './rate.js';
import { send } from './send.js';

/** So many failures one after the other end a run. */
const mostFailures = 3;
/** With a larger limit a 429 takes too many requests: a key of the Free plan is needed. */
const mostInBurst = 350;

/** What was seen in a run. */
export interface Seen {
  readonly exchanges: readonly Exchange[];
  readonly petsCreated: readonly string[];
  readonly allowed: Settings['allowed'];
  /** Why the run ended before everything was asked. */
  readonly stopped?: string | undefined;
  /** Why no more bodies were sent. */
  readonly postsEnded?: string | undefined;
  /** Why the limit was not reached on purpose. */
  readonly notLimited?: string | undefined;
}

/** Asks everything. Rejects for nothing: an abort is a reason to stop. */
export async function askAll(settings: Settings, wanted: readonly Ask[]): Promise<Seen> {
  const run = new Run(settings);
  try {
    await run.askAll(wanted);
  } catch (error) {
    if (settings.signal?.aborted !== true) throw error;
    run.ends.stopped = 'it was interrupted';
  }
  const { exchanges, petsCreated, ends } = run;
  return { exchanges, petsCreated, allowed: settings.allowed, ...ends };
}

/** One run: what has come back, and why it stops. */
class Run {
  readonly exchanges: Exchange[] = [];
  readonly petsCreated: string[] = [];
  readonly ends: {
    -readonly [Why in 'stopped' | 'postsEnded' | 'notLimited']?: Seen[Why];
  } = {};
  readonly #settings: Settings;
  readonly #budget: Budget;
  #failures = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#budget = new Budget(settings.maxRequests);
  }

  async askAll([first, ...others]: readonly Ask[]): Promise<void> {
    await this.#send(first!);
    if (!petsOf(answerOf(this.exchanges, 'list'))) return;
    if (others.some(({ wait }) => wait)) await this.#waitForQuiet();
    for (const ask of others) {
      // Without headers nothing shows how requests are counted.
      if (ask.wait !== undefined && !this.#lastRate()) continue;
      if (ask === burst) await this.#reachLimit();
      else await this.#send(ask);
    }
  }

  /** The path with the id that it takes; undefined where there is none. */
  #pathOf({ path }: Ask): string | undefined {
    const [, name] = /\{(\w+)\}/.exec(path) ?? [];
    if (name === undefined) return path;
    const pet =
      name === 'created'
        ? createdPet(answerOf(this.exchanges, 'newPet'))
        : petsOf(answerOf(this.exchanges, 'wholeList'))?.[0];
    return pet && path.replace(`{${name}}`, String(pet.id));
  }

  /** Sends one request, after the wait it takes; undefined where it may not be sent. */
  async #send(ask: Ask): Promise<Exchange | undefined> {
    const { clock } = this.#settings;
    const path = this.#pathOf(ask);
    const isOver = ask.method === 'POST' && this.ends.postsEnded !== undefined;
    if (this.ends.stopped !== undefined || isOver || path === undefined) return undefined;
    await this.#wait(ask.wait ?? 0, 'another moment of the window');
    const permission = this.#budget.permission(ask, clock.now());
    if ('never' in permission) {
      // What spends no quota of the key may run out alone.
      if (hasKey(ask)) this.ends.stopped = permission.never;
      return undefined;
    }
    await this.#wait(permission.at - clock.now(), `a new window: ${permission.why}`);
    this.#report(ask.name);
    const exchange = await send(this.#settings, { ...ask, path });
    this.exchanges.push(exchange);
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
      this.ends.stopped = `${mostFailures} failures in a row, the last: ${failed ?? `status ${status}`}`;
    if (status === 429 && ask.needs !== 'rate-limit')
      this.ends.stopped = 'a 429 that was not asked for: the quota is used up';
    if (ask.method !== 'POST' || status !== 201) return;
    this.petsCreated.push(String(createdPet(answer)?.id ?? 'unknown'));
    if (ask.creates !== true)
      this.ends.postsEnded =
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
    const { limit, remaining } = this.#lastRate() ?? { limit: 0, remaining: 0 };
    this.ends.notLimited = whyNotLimited(limit, remaining + 2, this.#budget.left);
    if (this.ends.notLimited !== undefined) return;
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
    const last = this.exchanges.findLast(({ ask, answer }) => ask.key === 'own' && answer);
    return last?.answer && readRate(last.answer, last.receivedAt);
  }

  async #wait(ms: number, why: string): Promise<void> {
    if (ms <= 0) return;
    this.#report('', { ms, why });
    await this.#settings.clock.sleep(ms, this.#settings.signal);
  }

  #report(name: string, waits?: Progress['waits']): void {
    this.#settings.onProgress({
      name,
      requests: this.exchanges.length,
      maxRequests: this.#settings.maxRequests,
      remaining: this.#lastRate()?.remaining,
      ...(waits && { waits }),
    });
  }
}

function whyNotLimited(limit: number, needed: number, left: number): string | undefined {
  if (limit === 0) return 'no response has rate-limit headers';
  if (limit > mostInBurst)
    return `a limit of more than ${mostInBurst} requests: ask with a key of the Free plan`;
  if (left >= needed) return undefined;
  return `it takes ${needed} requests to reach the limit, and --max-requests leaves ${left}`;
}
