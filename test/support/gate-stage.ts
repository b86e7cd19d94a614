import type { Clock, GateCall, GatePermit, HoldChange } from '../../src/index.js';
import { Gate } from '../../src/gate/gate.js';
import { patientCall } from './gate-call.js';

const epoch = Date.UTC(2026, 0, 1);
export const minute = 60_000;

/** What a response says. Times are ms from now on the clock of the service. */
export interface Said {
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetIn?: number | undefined;
  /** In seconds, or the text of the header. */
  readonly retryAfter?: number | string;
  /** Where the `Date` is: 0 by default, `null` for none. */
  readonly date?: number | null;
  readonly age?: number;
}

/** A call at the gate, and what became of it so far. */
export interface Asked {
  permit?: GatePermit;
  refusal?: unknown;
  answer: (status: number, said?: Said) => Promise<void>;
}

/** What {@link stage} gives. */
export type Stage = ReturnType<typeof stage>;

/** A gate, by default without jitter, on a clock that a test moves, which begins at `now`, by default far from 0. */
export function stage(random = () => 0, now = 1_000_000) {
  let sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  /** How far the clock of the service and the local wall clock go ahead of the monotonic clock, beside the same epoch. */
  const ahead = { service: 0, wall: 0 };
  const clock: Clock = {
    now: () => epoch + now + ahead.wall,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const entry = { until: now + ms, wake: resolve };
        sleeping.push(entry);
        signal?.addEventListener('abort', () => {
          sleeping = sleeping.filter((one) => one !== entry);
          reject(signal.reason as Error);
        });
      }),
  };
  const gate = new Gate(clock, random);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  /** An instant on the clock of the service. */
  const instant = (ms: number) => epoch + now + ahead.service + ms;
  const headers = ({ limit, remaining, resetIn, retryAfter, date = 0, age }: Said) => {
    const all = {
      Date: date === null ? undefined : new Date(instant(date)).toUTCString(),
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': resetIn === undefined ? undefined : instant(resetIn) / 1_000,
      'Retry-After': retryAfter,
      Age: age,
    };
    return new Headers(
      Object.entries(all).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
  };
  /** Asks for a permit, and lets the gate do what it does at once. */
  const ask = async (call: Partial<GateCall> = {}): Promise<Asked> => {
    const asked: Asked = {
      answer: async (status, said = {}) => {
        asked.permit!.settle({ status, headers: headers(said) });
        await settled();
      },
    };
    gate.acquire({ ...patientCall, maxHold: 120_000, ...call }).then(
      (permit) => (asked.permit = permit),
      (refusal: unknown) => (asked.refusal = refusal),
    );
    await settled();
    return asked;
  };
  /** Lets time pass, timer by timer. */
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end; await settled()) {
      const next = sleeping.toSorted((a, b) => a.until - b.until)[0];
      now = Math.min(end, next?.until ?? end);
      if (next === undefined || next.until > now) continue;
      sleeping = sleeping.filter((one) => one !== next);
      next.wake();
    }
  };
  /** Sends one request, which gets this answer. */
  const send = async (status: number, said?: Said, took = 0) => {
    const asked = await ask();
    await pass(took);
    await asked.answer(status, said);
  };
  /** The hold that a call meets which asks now and gives up at once; `undefined`: there is none. */
  const hold = async () => {
    const changes: HoldChange[] = [];
    const stop = new AbortController();
    const onHold = (change: HoldChange) => void changes.push(change);
    const asked = await ask({ signal: stop.signal, onHold, maxHold: Infinity });
    stop.abort();
    asked.permit?.cancel();
    await settled();
    return changes.find((change) => change.type === 'hold');
  };
  return {
    ...{ gate, now: () => now, timers: () => sleeping.length, ahead, instant },
    ...{ ask, send, hold, pass },
    /** Sends the next request as soon as that can be. Returns how long the gate holds after its response, in whole ms. */
    async heldAfter(status: number, said?: Said) {
      await pass((await hold())?.delay ?? 0);
      await send(status, said);
      return Math.round((await hold())?.delay ?? 0);
    },
    /** How many calls that ask now are sent before any is answered. They stay in flight. */
    async inFlight() {
      const stop = new AbortController();
      const asked = [];
      do asked.push(await ask({ signal: stop.signal }));
      while (asked.at(-1)!.permit !== undefined);
      stop.abort();
      await settled();
      return asked.length - 1;
    },
  };
}

export async function askMany(at: Stage, count: number, call: Partial<GateCall> = {}) {
  const all: Asked[] = [];
  for (let n = 0; n < count; n += 1) all.push(await at.ask(call));
  return all;
}

export const granted = (all: readonly Asked[]): number =>
  all.filter(({ permit }) => permit !== undefined).length;
export const refused = (all: readonly Asked[]): number =>
  all.filter(({ refusal }) => refusal !== undefined).length;
export const pro = (remaining: number): Said => ({ limit: 300, remaining, resetIn: minute });
