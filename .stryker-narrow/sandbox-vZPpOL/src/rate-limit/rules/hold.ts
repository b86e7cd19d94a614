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
import type { WaitCause } from '../types.js';
import { pad } from './hold-rule.js';

/** Spread of the first requests of several processes (ms). With a larger spread, the first process would take the whole window. */
export const largestJitter = 100;
/** What a hold adds, at most, to the time that the service states (ms). */
export const longestAddition = pad + largestJitter;

/** A time in which nothing is sent. Of two holds, the one that ends later counts. Monotonic ms. */
export interface Hold {
  /** Nothing is sent before this moment: `endsAt` with pad and jitter. */
  readonly resumeAt: number;
  /** A call whose maxHold is shorter is rejected, whether the service stated the hold or the gate chose it. */
  readonly endsAt: number;
  /** Whether the service stated a time in a header, so that it is no estimate. */
  readonly fromServer: boolean;
  readonly cause: WaitCause;
}

/** Before the first hold. */
export const noHold: Hold = {
  resumeAt: -Infinity,
  endsAt: stryMutAct_9fa48("71") ? +Infinity : (stryCov_9fa48("71"), -Infinity),
  fromServer: false,
  cause: 'probe'
};