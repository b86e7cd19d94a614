/** Asks what is planned, one request at a time, and with manners. */
import { afterwards, burst, flags, hasKey, type Ask } from '../asks.js';
import type { Settings } from '../settings.js';
import type { Progress } from '../types.js';
import { lowQuota } from './budget.js';
import { answerOf, createdPet, isAnswered, petsOf, type Exchange } from './exchange.js';
import { announcedWait, longestMinute, type Rate } from './rate.js';
import { send } from './send.js';

/** So many failures one after the other end a run. */
const mostFailures = 3;
/** With a larger limit a 429 takes too many requests: a key of the Free plan is needed. */
const mostInBurst = 350;
/** How often the run may wait for a new window. */
const mostWaits = 8;

/** What was seen in a run. */
export type Seen = Pick<Run, 'exchanges' | 'allowed' | 'stopped' | 'postsEnded' | 'notLimited'>;

/** Asks everything. Rejects for nothing: an abort is a reason to stop. */
export async function askAll(settings: Settings, wanted: readonly Ask[]): Promise<Seen> {
  const run = new Run(settings);
  try {
    await run.askAll(wanted);
  } catch (error) {
    if (settings.signal?.aborted !== true) throw error;
    run.stopped = 'it was interrupted';
  }
  return run;
}

/** Why a planned request was not sent, with the flag that would send it. */
export function whyNotSent({ needs, method }: Ask, seen: Omit<Seen, 'exchanges'>): string {
  if (needs === 'rate-limit' && seen.notLimited !== undefined) return seen.notLimited;
  if (method === 'POST' && seen.postsEnded !== undefined) return seen.postsEnded;
  if (needs && !seen.allowed.has(needs)) return flags[needs];
  return seen.stopped ?? 'it depends on an answer that did not come';
}

/** One run: what has come back, and why it stops. */
class Run {
  readonly exchanges: Exchange[] = [];
  readonly allowed: Settings['allowed'];
  /** Why the run ended before everything was asked. */
  stopped?: string;
  /** Why no more bodies were sent. */
  postsEnded?: string;
  /** Why the limit was not reached on purpose. */
  notLimited?: string;
  readonly #settings: Settings;
  #waits = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.allowed = settings.allowed;
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
    const path = this.#pathOf(ask);
    const isOver = ask.method === 'POST' && this.postsEnded !== undefined;
    if (this.stopped !== undefined || isOver || path === undefined) return undefined;
    await this.#wait(ask.wait ?? 0, 'another moment of the window');
    const never = await this.#waitForQuota(ask);
    if (never !== undefined) {
      // What spends no quota of the key may run out alone.
      if (hasKey(ask)) this.stopped = never;
      return undefined;
    }
    this.#report(ask.name);
    const exchange = await send(this.#settings, { ...ask, path });
    this.exchanges.push(exchange);
    this.#look(exchange);
    return exchange;
  }

  /** Waits until one more request leaves enough of the quota to others; or says why it may not be sent at all. */
  async #waitForQuota(ask: Ask): Promise<string | undefined> {
    const { clock, maxRequests } = this.#settings;
    if (this.exchanges.length >= maxRequests)
      return `all ${maxRequests} requests that the run may send were sent`;
    const now = clock.now();
    const low = ask.needs === 'rate-limit' ? undefined : lowQuota(this.exchanges, ask, now);
    if (!low) return undefined;
    const why = `${low.remaining} of ${low.limit} requests left`;
    if (low.resetAt - now > longestMinute)
      return `${why} until ${new Date(low.resetAt).toISOString()}`;
    if (++this.#waits > mostWaits) return `${why}, after ${mostWaits} waits for a new window`;
    // Where a reset means one request more, the second wait is for a whole minute.
    const wait = this.#waits % 2 === 1 ? low.resetAt + 1_000 - now : longestMinute;
    await this.#wait(wait, `a new window: ${why}`);
    return undefined;
  }

  /** Ends the run where going on would do harm. */
  #look({ ask, answer, failed }: Exchange): void {
    const { status } = answer ?? {};
    const last = this.exchanges.slice(-mostFailures);
    if (last.length === mostFailures && last.every(isDown))
      this.stopped = `${mostFailures} failures in a row, the last: ${failed ?? `status ${status}`}`;
    if (status === 429 && ask.needs !== 'rate-limit')
      this.stopped = 'a 429 that was not asked for: the quota is used up';
    if (ask.method === 'POST' && status === 201 && ask.creates !== true)
      this.postsEnded =
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
    const left = this.#settings.maxRequests - this.exchanges.length;
    const why = whyNotLimited(limit, remaining + 2, left);
    if (why !== undefined) this.notLimited = why;
    for (let sent = 1; why === undefined && sent <= limit + 20; sent++) {
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

  #lastRate(): Rate | undefined {
    return this.exchanges.findLast(({ ask, answer }) => ask.key === 'own' && answer)?.answer?.rate;
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

const isDown = ({ answer }: Exchange) =>
  answer === undefined || (answer.status >= 500 && answer.status !== 501);

function whyNotLimited(limit: number, needed: number, left: number): string | undefined {
  if (limit === 0) return 'no response has rate-limit headers';
  if (limit > mostInBurst)
    return `a limit of more than ${mostInBurst} requests: ask with a key of the Free plan`;
  if (left >= needed) return undefined;
  return `it takes ${needed} requests to reach the limit, and --max-requests leaves ${left}`;
}
