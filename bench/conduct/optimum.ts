import type { Limiter } from './scenario.js';

const minute = 60_000;

/** What the rule allows: calls when each moment, in order, each as soon as the limit lets it through. */
export interface Rule {
  readonly limit: number;
  readonly window: Limiter['window'];
  /** The moment, on the service's clock, at which the run starts: aligned windows begin at whole minutes of it. */
  readonly epoch: number;
  /** The quota is spent when the run starts. */
  readonly spent: boolean;
}

/**
 * When each of the calls, wanted at `wanted` ms (sorted), would be served by a client that knew everything: in order,
 * without latency, each at the first moment at which the limit allows it.
 */
export function optimum(wanted: readonly number[], rule: Rule): number[] {
  const served: number[] = [];
  const admit = rules[rule.window](rule);
  let last = 0;
  for (const at of wanted) {
    last = admit(Math.max(at, last), served);
    served.push(last);
  }
  return served;
}

type Admit = (at: number, served: readonly number[]) => number;

/** Windows of a minute: one begins at `beginOf` the first moment after the one before. */
function counted(
  limit: number,
  begin: number,
  used: number,
  beginOf: (at: number) => number,
): Admit {
  return (at) => {
    const moment = used < limit ? at : Math.max(at, begin + minute);
    if (moment >= begin + minute) [begin, used] = [beginOf(moment), 0];
    used++;
    return moment;
  };
}

const rules: Record<Limiter['window'], (rule: Rule) => Admit> = {
  fixed({ limit, epoch, spent }) {
    const beginOf = (at: number) => Math.floor((epoch + at) / minute) * minute - epoch;
    return counted(limit, beginOf(0), spent ? limit : 0, beginOf);
  },
  'from-first': ({ limit }) => counted(limit, -Infinity, 0, (at) => at),
  sliding({ limit }) {
    return (at, served) => Math.max(at, (served[served.length - limit] ?? -Infinity) + minute);
  },
  'token-bucket'({ limit }) {
    const interval = minute / limit;
    let full = -Infinity;
    return (at) => {
      const moment = Math.max(at, full - (limit - 1) * interval);
      full = Math.max(full, moment) + interval;
      return moment;
    };
  },
};
