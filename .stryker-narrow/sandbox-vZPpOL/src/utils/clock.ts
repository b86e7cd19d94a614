// @ts-nocheck
function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
import { clockSymbol, type Clock, type Marked } from '../contract/handshake.js';
import { longestTimer, throwIfAborted, whenAborted, withDeadline } from './abort.js';
export type { Clock };

/** The clock that a `fetch` brings along. */
export function clockOf(fetch: unknown): Clock | undefined {
  return (fetch as Marked | undefined)?.[clockSymbol];
}

/** A timer that fires this much before its time on `performance.now()` is a fake timer, and then the timer defines the time. */
const tolerance = 20;
let leap = 0;

/** The system's clock: `Date.now()`, `performance.now()` and `setTimeout`, each looked up on use, so that fake timers work. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: stryMutAct_9fa48("114") ? () => undefined : (stryCov_9fa48("114"), () => stryMutAct_9fa48("115") ? performance.now() - leap : (stryCov_9fa48("115"), performance.now() + leap)),
  async sleep(ms, signal) {
    throwIfAborted(signal);
    const end = this.monotonic() + ms;
    for (let left = ms; left > 0;) {
      const piece = Math.min(left, longestTimer);
      await timer(piece, signal);
      const missing = end - left + piece - this.monotonic();
      if (missing > tolerance) leap += missing;
      left = end - this.monotonic();
    }
  }
};
function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const start = (aborted: AbortSignal) => new Promise<void>(resolve => {
    // Rounded up, because fake timers truncate a fraction and would fire at once again and again.
    const handle = setTimeout(resolve, Math.ceil(ms));
    whenAborted(aborted, () => clearTimeout(handle));
  });
  return withDeadline(signal, Infinity, () => undefined, start);
}