/** Asks what the cases want to know, one request at a time. */
import type { GivenAssumptions } from '../assumptions/assumptions.js';
import { Budget, longestMinute } from './ask/budget.js';
import { readRate } from './ask/rate.js';
import { type Ask, type Exchange, hasKey, identityOf } from './ask/request.js';
import { send } from './ask/send.js';
import { answerOf, type Case, createdId, exchangeOf, type Known } from './case.js';
import * as ask from './cases/asks.js';
import { fitWindows } from './windows/fit.js';
import { nextProbe } from './windows/probe.js';
import { isUsed } from './windows/samples.js';
import type { Settings } from './settings.js';
import type { Progress } from './types.js';

/** The most requests that distinguish the ways of counting. */
const mostProbes = 5;
/** So many failures one after the other end a run. */
const mostFailures = 3;

/** What was seen in a run. */
export interface Seen {
  readonly known: Known;
  /** Why the run ended before everything was asked. */
  readonly stopped: string | undefined;
  /** Why no more bodies were sent. */
  readonly postsEnded: string | undefined;
  readonly petsCreated: readonly string[];
}

/** One run: what is asked, what has come back, and why it stops. */
export class Run {
  readonly #settings: Settings;
  readonly #cases: readonly Case[];
  readonly #budget: Budget;
  readonly #onProgress: (progress: Progress) => void;
  readonly #exchanges: Exchange[] = [];
  readonly #pets: string[] = [];
  readonly #asked = new Set<string>();
  #stopped: string | undefined;
  #postsEnded: string | undefined;
  #failures = 0;
  #current = 0;

  constructor(
    settings: Settings,
    cases: readonly Case[],
    onProgress: (progress: Progress) => void,
  ) {
    this.#settings = settings;
    this.#cases = cases;
    this.#budget = new Budget(settings.maxRequests);
    this.#onProgress = onProgress;
  }

  /** What is known so far. */
  get known(): Known {
    const { maxPets, maxRequests, hasSecondKey, basePath } = this.#settings;
    const exchanges = [...this.#exchanges];
    return { exchanges, fit: undefined, maxPets, maxRequests, hasSecondKey, basePath };
  }

  get seen(): Seen {
    return {
      known: this.known,
      stopped: this.#stopped,
      postsEnded: this.#postsEnded,
      petsCreated: [...this.#pets],
    };
  }

  /** Asks everything. Never rejects: an abort is a reason to stop. */
  async ask(isReached: (known: Known) => boolean): Promise<void> {
    try {
      for (const [index, one] of this.#cases.entries()) {
        this.#current = index;
        if (this.#stopped !== undefined) return;
        await this.#askCase(one);
        if (one.id === 'reach') {
          if (!isReached(this.known)) return;
          await this.#waitForQuiet();
        }
        if (this.#isLastGet(index)) await this.#distinguishWindows();
      }
    } catch (error) {
      if (this.#settings.sender.signal?.aborted !== true) throw error;
      this.#stopped = 'it was interrupted';
    }
  }

  async #askCase(one: Case): Promise<void> {
    for (;;) {
      const wanted = one.requests(this.known).find((next) => !this.#asked.has(identityOf(next)));
      if (!wanted || !(await this.#send(wanted))) return;
    }
  }

  /** Sends one request, after the wait it takes; false where it may not be sent. */
  async #send(wanted: Ask): Promise<boolean> {
    if (this.#stopped !== undefined) return false;
    if (wanted.method === 'POST' && this.#postsEnded !== undefined) return false;
    const { sender } = this.#settings;
    const earliest = Math.max(sender.now(), wanted.notBefore ?? 0);
    const permission = this.#budget.permission(wanted, earliest);
    if (permission.send === 'never') {
      // What spends no quota of the key may run out alone.
      if (hasKey(wanted)) this.#stopped = permission.why;
      return false;
    }
    await this.#wait(earliest - sender.now(), 'the limit to reset');
    if (permission.send === 'later')
      await this.#wait(permission.until - sender.now(), `a new window: ${permission.why}`);
    this.#report();
    this.#asked.add(identityOf(wanted));
    const exchange = withoutOrders(await send(sender, wanted));
    this.#exchanges.push(exchange);
    this.#budget.note(exchange);
    this.#look(exchange);
    return true;
  }

  /** Ends the run where going on would do harm. */
  #look({ ask: wanted, answer, failed }: Exchange): void {
    const status = answer?.status;
    const isDown = status === undefined || (status >= 500 && status !== 501);
    this.#failures = isDown ? this.#failures + 1 : 0;
    if (this.#failures >= mostFailures)
      this.#stopped = `${mostFailures} failures in a row, the last: ${failed ?? `status ${status}`}`;
    if (status === 429 && wanted.burst !== true)
      this.#stopped = 'a 429 that was not asked for: the quota is used up';
    if (wanted.method !== 'POST' || status !== 201) return;
    this.#pets.push(String(createdId(answer) ?? 'unknown'));
    if (wanted.creates !== true)
      this.#postsEnded =
        'the service created a pet from a body that it must refuse, so no more bodies were sent';
  }

  /** A key that was used in the last minute would distort the fit, so its windows are left to run out. */
  async #waitForQuiet(): Promise<void> {
    if (!this.#wantsWindows()) return;
    const { answer, receivedAt } = exchangeOf(this.known, ask.list)!;
    const rate = answer && readRate(answer, receivedAt);
    if (!rate || rate.limit < 2 || !isUsed(rate) || !(rate.resetIn <= longestMinute)) return;
    await this.#wait(longestMinute, 'quiet: the key was used in the last minute');
  }

  #isLastGet(index: number): boolean {
    const isGet = ({ level }: Case) => level === 'get' || level === 'never';
    return isGet(this.#cases[index]!) && !this.#cases.slice(index + 1).some(isGet);
  }

  #wantsWindows(): boolean {
    return this.#cases.some(({ id }) =>
      /^assumption\.(?:minuteWindow|resetMeaning|countingScope|unauthorizedCount|retryAfter)$/.test(
        id,
      ),
    );
  }

  /** Asks once more at the times at which the ways of counting that are left would give different answers. */
  async #distinguishWindows(): Promise<void> {
    if (!this.#wantsWindows()) return;
    for (let nth = 1; nth <= mostProbes; nth++) {
      const measured = pathRules(this.known);
      const fit = await fitWindows(this.known, measured);
      const probe = ask.get('/pets?limit=1', { nth: 100 + nth });
      const { sender } = this.#settings;
      const wait = await nextProbe(this.known, fit, measured, probe, sender.now());
      if (wait === undefined) return;
      await this.#wait(wait, 'another moment of the window');
      if (!(await this.#send(probe))) return;
    }
  }

  async #wait(ms: number, why: string): Promise<void> {
    if (ms <= 0) return;
    this.#report({ ms, why });
    await this.#settings.sleep(ms, this.#settings.sender.signal);
  }

  #report(waits?: Progress['waits']): void {
    const last = this.#exchanges.findLast(({ ask: { key } }) => key === 'own');
    this.#onProgress({
      name: this.#cases[this.#current]!.id,
      number: this.#current + 1,
      of: this.#cases.length,
      requests: this.#exchanges.length,
      maxRequests: this.#settings.maxRequests,
      remaining: last?.answer && readRate(last.answer, last.receivedAt)?.remaining,
      ...(waits && { waits }),
    });
  }
}

/** How unknown paths are counted: it changes what the windows have to explain. */
export function pathRules(known: Known): GivenAssumptions {
  const without = answerOf(known, ask.unknownPathWithoutKey)?.status;
  const orders = answerOf(known, ask.storeOrders)?.status;
  return {
    ...(without === 404 && { unknownPathNeedsKey: false }),
    ...(orders === 404 && { answers: { storeOrders: 'ignore' as const } }),
  };
}

/** Real orders are nobody's business: they are dropped before anything looks at them. */
function withoutOrders(exchange: Exchange): Exchange {
  if (exchange.ask.path !== ask.storeOrders.path || exchange.answer?.status !== 200)
    return exchange;
  return { ...exchange, answer: { ...exchange.answer, text: '', json: undefined } };
}
