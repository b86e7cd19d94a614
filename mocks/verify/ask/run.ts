/** Sends the planned requests, one at a time, within the rate limit. */
import { hasKey, type Ask, type Closed } from '../asks.js';
import type { Settings } from '../settings.js';
import { answerOf, createdPet, petsOf, type Exchange, type Exchanges } from './exchange.js';
import { announcedWait, longestMinute, type Rate } from './rate.js';
import { send } from './send.js';

/** So many failures one after the other end a run. */
const mostFailures = 3;
/** With a larger limit a 429 takes too many requests: a key of the Free plan is needed. */
const mostInBurst = 350;
/** How often the run may wait for a new window. */
const mostWaits = 8;

/** What was seen in a run. */
export type Seen = Readonly<Pick<Run, 'exchanges' | 'closed'>>;

/** Asks everything. Rejects for nothing: an abort is a reason to stop. */
export async function askAll(settings: Settings, wanted: readonly Ask[]): Promise<Seen> {
  const run = new Run(settings);
  try {
    await run.askAll(wanted);
  } catch (error) {
    if (settings.signal?.aborted !== true) throw error;
    run.closed.all = 'it was interrupted';
  }
  return run;
}

/** Why a planned request was not sent, with the flag that would send it. */
export const whyNotSent = (
  { needs }: Pick<Ask, 'needs'>,
  { closed }: Pick<Seen, 'closed'>,
): string => (needs && closed[needs]) ?? closed.all ?? 'it depends on an answer that did not come';

/** Why none of several planned requests was sent. */
export const whyNoneSent = (asks: readonly Ask[], seen: Pick<Seen, 'closed'>): string =>
  [...new Set(asks.map((ask) => whyNotSent(ask, seen)))].join('; ') || 'no answer shows it';

/** One run: what has come back, and why it stops. */
class Run {
  readonly exchanges: Exchange[] = [];
  readonly closed: Closed;
  readonly #settings: Settings;
  #waits = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.closed = { ...settings.closed };
  }

  async askAll([first, ...others]: readonly Ask[]): Promise<void> {
    await this.#send(first!);
    if (!petsOf(answerOf(this.exchanges, 'list'))) return;
    if (others.some(({ wait }) => wait)) await this.#waitForQuiet();
    for (const ask of others) {
      // Only the headers show how requests are counted.
      if (ask.wait !== undefined && !this.#lastRate()) continue;
      if (ask.name === 'burst') await this.#reachLimit(ask);
      else if (ask.name !== 'afterwards' || (await this.#isWaitOver())) await this.#send(ask);
    }
  }

  /** The path with the id that it takes; undefined where there is none. */
  #pathOf({ path }: Ask): string | undefined {
    if (!path.includes('{')) return path;
    const pet = path.includes('{created}')
      ? createdPet(answerOf(this.exchanges, 'newPet'))
      : petsOf(answerOf(this.exchanges, 'wholeList'))?.[0];
    return pet && path.replace(/\{\w+\}/, String(pet.id));
  }

  /** Sends one request, after the wait it takes; undefined where it may not be sent. */
  async #send(ask: Ask): Promise<Exchange | undefined> {
    const path = this.#pathOf(ask);
    const isOver = 'all' in this.closed || (ask.needs && ask.needs in this.closed);
    if (isOver || path === undefined) return undefined;
    await this.#wait(ask.wait ?? 0, 'another moment of the window');
    const never = await this.#waitForQuota(ask);
    if (never !== undefined) {
      // A request that uses no quota of the key may run out of quota alone.
      if (hasKey(ask)) this.closed.all = never;
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
    // If a reset means one more request, the second wait lasts a whole minute.
    const wait = this.#waits % 2 === 1 ? low.resetAt + 1_000 - now : longestMinute;
    await this.#wait(wait, `a new window: ${why}`);
    return undefined;
  }

  /** Ends the run where going on would do harm. */
  #look({ ask, answer, failed }: Exchange): void {
    const { status } = answer ?? {};
    const last = this.exchanges.slice(-mostFailures);
    if (last.length === mostFailures && last.every(isDown))
      this.closed.all = `${mostFailures} failures in a row, the last: ${failed ?? `status ${status}`}`;
    if (status === 429 && ask.needs !== 'rate-limit')
      this.closed.all = 'a 429 that was not asked for: the quota is used up';
    // Any success may have created a pet, also where its status is not 201.
    if (ask.method === 'POST' && Number(status) < 300 && ask.needs !== 'create')
      this.closed.posts = this.closed.create =
        'the service accepted a body that it must refuse: no more were sent';
  }

  /** A key that was used in the last minute would distort the counting, so its windows are left to run out. */
  async #waitForQuiet(): Promise<void> {
    const rate = this.#lastRate();
    if (!rate || rate.limit < 2 || rate.remaining === rate.limit - 1) return;
    if (rate.resetIn > longestMinute) return;
    await this.#wait(longestMinute, 'quiet: the key was used in the last minute');
  }

  /** Asks until a request is refused. */
  async #reachLimit(burst: Ask): Promise<void> {
    const { limit, remaining } = this.#lastRate() ?? { limit: 0, remaining: 0 };
    const left = this.#settings.maxRequests - this.exchanges.length;
    if (limit === 0) this.closed['rate-limit'] = 'no response has rate-limit headers';
    else if (limit > mostInBurst)
      this.closed['rate-limit'] =
        `a limit of more than ${mostInBurst} requests: ask with a key of the Free plan`;
    else if (left < remaining + 2)
      this.closed['rate-limit'] =
        `it takes ${remaining + 2} requests to reach the limit, and --max-requests leaves ${left}`;
    for (let sent = 1; sent <= limit + 20; sent++) {
      const exchange = await this.#send(burst);
      if (!exchange || exchange.answer?.status === 429) return;
    }
  }

  /** Sits out the wait that a 429 has just announced; false where there is none. */
  async #isWaitOver(): Promise<boolean> {
    const last = this.exchanges.at(-1)!;
    if (last.answer?.status !== 429) return false;
    const wait = announcedWait(last.answer);
    if (wait === undefined) return false;
    await this.#wait(wait, 'the wait that the 429 has announced');
    return true;
  }

  #lastRate(): Rate | undefined {
    return this.exchanges.findLast(({ ask, answer }) => ask.key === 'own' && answer)?.answer?.rate;
  }

  async #wait(ms: number, why: string): Promise<void> {
    if (ms <= 0) return;
    this.#report(`waits ${Math.ceil(ms / 1_000)} s for ${why}`, ms);
    await this.#settings.clock.sleep(ms, this.#settings.signal);
  }

  /** `wait`: how long it takes, ms. */
  #report(doing: string, wait = 0): void {
    const { maxRequests, onProgress } = this.#settings;
    const { remaining } = this.#lastRate() ?? {};
    const left = remaining === undefined ? '' : ` · ${remaining} left this minute`;
    onProgress(`${this.exchanges.length} of ${maxRequests} requests${left} · ${doing}`, wait);
  }
}

const isDown = ({ answer }: Exchange) =>
  answer === undefined || (answer.status >= 500 && answer.status !== 501);

/**
 * The quota of which one more request would leave too little to others, by the headers that the service has sent so far;
 * undefined where none is so low. A quota may be counted for each operation: of several, the one that resets last.
 */
function lowQuota(exchanges: Exchanges, ask: Ask, now: number): Rate | undefined {
  // The newest quota of each scope, with its end on the clock of this machine.
  const levels = new Map<string, Rate>();
  for (const [at, { ask: other, answer, receivedAt }] of exchanges.entries()) {
    if (!answer?.rate || keyOf(other) !== keyOf(ask)) continue;
    const { limit, remaining, resetIn } = answer.rate;
    const resetAt = receivedAt + (Number.isNaN(resetIn) ? 60_000 : resetIn);
    // Later requests may have been counted here too, whatever their key and operation.
    const left = remaining - (exchanges.length - 1 - at);
    const isLow = resetAt > now && left <= (hasKey(ask) ? reserveOf(limit) : 1);
    levels.delete(operationOf(other));
    if (isLow) levels.set(operationOf(other), { ...answer.rate, resetAt });
  }
  return [...levels.values()].toSorted((one, other) => other.resetAt - one.resetAt)[0];
}

/** So many requests of a quota are left to others: 5, or 5 % of it, but never more than half. */
const reserveOf = (limit: number) =>
  Math.min(Math.max(5, Math.ceil(limit / 20)), Math.floor(limit / 2));

const keyOf = ({ key }: Ask) => (key === 'invalid' ? 'none' : key);

function operationOf({ method, path }: Ask): string {
  if (path.startsWith('/pets/')) return `${method} of one`;
  return path.startsWith('/pets') ? method : 'other';
}
