import type { Clock, GateCall, GatePermit } from '../../src/index.js';
import { Gate } from '../../src/rate-limit/gate.js';

export const epoch = Date.UTC(2026, 0, 1);
export const minute = 60_000;

export interface Said {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetIn?: number;
  readonly retryAfter?: number;
}

/** A call at the gate, and what became of it so far. */
export interface Asked {
  permit?: GatePermit;
  refusal?: unknown;
  answer: (status: number, said?: Said) => Promise<void>;
}

/** What {@link stage} gives. */
export interface Stage {
  readonly gate: Gate;
  readonly now: () => number;
  readonly timers: () => number;
  /** Asks for a permit, and lets the gate do what it does at once. */
  readonly ask: (call?: Partial<GateCall>) => Promise<Asked>;
  /** Lets time pass, timer by timer. */
  readonly pass: (ms: number) => Promise<void>;
}

/** A gate without jitter, on a clock that a test moves, far from 0. */
export function stage(): Stage {
  let now = 1_000_000;
  let sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => epoch + now,
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
  const gate = new Gate(clock, () => 0);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const headers = ({ limit, remaining, resetIn, retryAfter }: Said) => {
    const all = {
      Date: new Date(epoch + now).toUTCString(),
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': resetIn === undefined ? undefined : (epoch + now + resetIn) / 1_000,
      'Retry-After': retryAfter,
    };
    return new Headers(
      Object.entries(all).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
  };
  return {
    gate,
    now: () => now,
    timers: () => sleeping.length,
    async ask(call: Partial<GateCall> = {}): Promise<Asked> {
      const asked: Asked = {
        answer: async (status, said = {}) => {
          asked.permit!.settle({ status, headers: headers(said) });
          await settled();
        },
      };
      const whole: GateCall = {
        ...{
          signal: undefined,
          priority: 'normal',
          waitUntil: Infinity,
          maxHold: 120_000,
          maxQueue: Infinity,
        },
        ...{ maxConcurrency: Infinity, onHold: undefined, place: 0, isRetry: false },
        ...call,
      };
      gate.acquire(whole).then(
        (permit) => (asked.permit = permit),
        (refusal: unknown) => (asked.refusal = refusal),
      );
      await settled();
      return asked;
    },
    async pass(ms: number): Promise<void> {
      for (const end = now + ms; now < end; await settled()) {
        const next = sleeping.toSorted((a, b) => a.until - b.until)[0];
        now = Math.min(end, next?.until ?? end);
        if (next === undefined || next.until > now) continue;
        sleeping = sleeping.filter((one) => one !== next);
        next.wake();
      }
    },
  };
}

export async function askMany(
  at: Stage,
  count: number,
  call: Partial<GateCall> = {},
): Promise<Asked[]> {
  const all: Asked[] = [];
  for (let n = 0; n < count; n += 1) all.push(await at.ask(call));
  return all;
}

export const granted = (all: readonly Asked[]): number =>
  all.filter(({ permit }) => permit !== undefined).length;
export const refused = (all: readonly Asked[]): number =>
  all.filter(({ refusal }) => refusal !== undefined).length;
export const pro = (remaining: number): Said => ({ limit: 300, remaining, resetIn: minute });
