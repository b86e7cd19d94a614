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
import type { Call } from '../call/call.js';
import { ConfigurationError } from '../errors/errors.js';
import { DeadlineExceeded, unsentRequest } from '../http/failures.js';
import { readWait } from '../rate-limit/headers.js';
import { longestAddition } from '../rate-limit/rules/hold.js';

/** The first delay before a retry is at most this, in ms; it doubles with each attempt, up to `longestDelay`. */
const firstDelay = 500;
const longestDelay = 8_000;
/** The number of 429s after which a call ends, so that one bad endpoint cannot block the others. */
const maxRateLimitedAttempts = 5;
/** Statuses of failures that may be temporary. The service interface defines none of them except 429, which the gate handles. */
const retryableStatuses: readonly number[] = [408, 500, 502, 503, 504];
/** The retry budget of a client: a retry takes some tokens, a success returns one. */
const allTokens = 500;
const tokensOfRetry = 5;

/** Decides which attempts of a client are followed by another. Its tokens keep a long outage from multiplying the load. */
export class RetryPolicy {
  #tokens = allTokens;
  succeeded(): void {
    this.#tokens = Math.min(allTokens, this.#tokens + 1);
  }

  /** Waits until the next attempt may go to the gate. Returns `false`, at once, if none follows. The last attempt ended with `response`, or with `failure`. */
  async pause(call: Call, response: Response | undefined, failure: unknown): Promise<boolean> {
    const {
      config,
      rateLimitedCount,
      signal,
      waitedForLimit
    } = call;
    const {
      gate,
      clock,
      maxRetries,
      maxHold,
      maxWait
    } = config;
    // The gate has learned of the 429 from the response, and holds the next attempt.
    if (response?.status === 429) return stryMutAct_9fa48("98") ? gate !== false || rateLimitedCount < maxRateLimitedAttempts : stryMutAct_9fa48("97") ? false : stryMutAct_9fa48("96") ? true : (stryCov_9fa48("96", "97", "98"), (stryMutAct_9fa48("100") ? gate === false : stryMutAct_9fa48("99") ? true : (stryCov_9fa48("99", "100"), gate !== (stryMutAct_9fa48("101") ? true : (stryCov_9fa48("101"), false)))) && (stryMutAct_9fa48("104") ? rateLimitedCount >= maxRateLimitedAttempts : stryMutAct_9fa48("103") ? rateLimitedCount <= maxRateLimitedAttempts : stryMutAct_9fa48("102") ? true : (stryCov_9fa48("102", "103", "104"), rateLimitedCount < maxRateLimitedAttempts)));
    const count = call.attempts.length - rateLimitedCount;
    const isTemporary = response === undefined ? !isFinal(failure) : retryableStatuses.includes(response.status);
    const mayRetry = count <= maxRetries && this.#tokens >= tokensOfRetry;
    if (!isTemporary || !mayRetry || !call.isSafe) return false;
    const stated = response && readWait(response.headers, clock.now());
    // Full jitter, so that callers do not retry at the same moment.
    const backoff = Math.random() * Math.min(longestDelay, firstDelay * 2 ** (count - 1));
    const ms = Math.max(stated ?? 0, backoff);
    // After a 503 the gate holds this call, too.
    const isHeld = stated !== undefined && response?.status === 503 && gate !== false;
    const added = isHeld ? longestAddition : 0;
    const isTooLong = stated !== undefined && (stated > maxHold || stated + added > maxWait - waitedForLimit);
    if (isTooLong || clock.monotonic() + ms + added >= call.deadline) return false;
    this.#tokens -= tokensOfRetry;
    // What the service has stated is a wait for the rate limit: it counts for `maxWait`, and is shown.
    if (stated) call.beginWait('overload', false);
    stryMutAct_9fa48("105") ? call.waitedForLimit -= stated ?? 0 : (stryCov_9fa48("105"), call.waitedForLimit += stryMutAct_9fa48("106") ? stated && 0 : (stryCov_9fa48("106"), stated ?? 0));
    try {
      if (ms > 0) await clock.sleep(ms, signal);
    } catch (failure) {
      throw new ConfigurationError(stryMutAct_9fa48("108") ? "" : (stryCov_9fa48("108"), 'the option clock failed'), stryMutAct_9fa48("109") ? {} : (stryCov_9fa48("109"), {
        cause: failure
      }));
    } finally {
      call.endWait();
    }
    return true;
  }
}

/** No other attempt follows after `totalTimeout`, a failure of a function of the caller, or a connection that can never succeed. */
function isFinal(failure: unknown): boolean {
  return failure instanceof DeadlineExceeded ? failure.option === 'totalTimeout' : failure instanceof ConfigurationError || unsentRequest(failure)?.[2] === true;
}