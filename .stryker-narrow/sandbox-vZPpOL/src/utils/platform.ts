/**
 * Decodes UTF-8. It is created when the package is loaded, before ky. In an environment without the web standards, such as
 * jest-environment-jsdom, this throws an error that says what is missing and what to do. ky would say `TextEncoder is not defined`.
 */
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
export const decoder: TextDecoder = /* @__PURE__ */checkedDecoder();
function checkedDecoder(): TextDecoder {
  // Without `fetch`, which can be an option.
  const needed = 'AbortController Headers ReadableStream Request Response TextDecoder TextEncoder';
  const globals = globalThis as Readonly<Record<string, unknown>>;
  const missing = stryMutAct_9fa48("116") ? needed.split(' ') : (stryCov_9fa48("116"), needed.split(stryMutAct_9fa48("117") ? "" : (stryCov_9fa48("117"), ' ')).filter(stryMutAct_9fa48("118") ? () => undefined : (stryCov_9fa48("118"), name => stryMutAct_9fa48("121") ? globals[name] !== undefined : stryMutAct_9fa48("120") ? false : stryMutAct_9fa48("119") ? true : (stryCov_9fa48("119", "120", "121"), globals[name] === undefined))));
  if (missing.length === 0) return new TextDecoder();
  throw new Error(`petstore-client needs ${missing.join(', ')}, which this environment does not have. Under Jest with jsdom, use the` + ' environment jest-fixed-jsdom, or begin the test file with the comment /** @jest-environment node */');
}
interface Globals {
  readonly process?: {
    readonly versions?: {
      readonly node?: unknown;
    };
  };
  readonly window?: {
    readonly document?: unknown;
  };
  readonly navigator?: {
    readonly userAgent?: unknown;
  };
}

/**
 * True in browsers, in their pages and workers: there a request has the `User-Agent` of the browser. False in Node (also with the
 * `window` of jsdom or happy-dom), Deno, Bun and the edge runtimes.
 */
export function isBrowser(): boolean {
  const {
    process,
    navigator
  } = globalThis as Globals;
  // Bundlers put a `process` without `versions.node` into a page.
  return process?.versions?.node === undefined && String(navigator?.userAgent).startsWith('Mozilla/');
}

/** True in a page of a browser, and false in its workers. */
export function isBrowserPage(): boolean {
  return isBrowser() && (globalThis as Globals).window?.document !== undefined;
}