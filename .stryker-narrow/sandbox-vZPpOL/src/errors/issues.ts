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
import type { StandardResult } from '../utils/standard-schema.js';

/** One problem of a value: its path, and what is expected there. */
export interface Issue {
  /** The path to the value, such as `['categoryId']` or `[3, 'status']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong, and what is expected: `must be one of available, pending, sold, got "lost"`. */
  readonly message: string;
}

/** An issue that a schema reports: Zod's, or those of a Standard Schema. */
export type SchemaIssue = NonNullable<StandardResult<unknown>['issues']>[number];

/** The largest number of issues that an error lists. One more issue says how many are omitted. */
const maxIssues = 20;
/** The largest number of issues that a message shows. */
const maxShownIssues = 3;

/** Converts the first issues of a schema to issues of an error. `prefix` is the path of the checked value itself. */
export function toIssues(issues: readonly SchemaIssue[], prefix: readonly (string | number)[] = []): Issue[] {
  const listed = issues.slice(0, maxIssues).map(({
    message,
    path = []
  }): Issue => {
    const keys = path.map(part => typeof part === 'object' ? part.key : part);
    const shown = keys.map(stryMutAct_9fa48("18") ? () => undefined : (stryCov_9fa48("18"), key => (stryMutAct_9fa48("21") ? typeof key !== 'symbol' : stryMutAct_9fa48("20") ? false : stryMutAct_9fa48("19") ? true : (stryCov_9fa48("19", "20", "21"), typeof key === (stryMutAct_9fa48("22") ? "" : (stryCov_9fa48("22"), 'symbol')))) ? String(key) : key));
    return {
      path: [...prefix, ...shown],
      message
    };
  });
  if (issues.length > maxIssues) listed.push({
    path: [],
    message: `has further issues: ${issues.length - maxIssues}`
  });
  return listed;
}

/** Issues as text for a message: `categoryId is required: an integer (int64); status must be one of …`. `whole` names the value itself. */
export function describeIssues(issues: readonly Issue[], whole = 'the value'): string {
  const shown = issues.slice(0, maxShownIssues);
  const lines = shown.map(({
    path,
    message
  }) => `${formatPath(path) || whole} ${message}`);
  const more = issues.length > maxIssues ? 'many' : issues.length - maxShownIssues;
  return lines.join('; ') + (issues.length > maxShownIssues ? `; and ${more} more` : '');
}
function formatPath(path: Issue['path']): string {
  const steps = path.map(part => typeof part === 'number' ? `[${part}]` : `.${part}`);
  return steps.join('').replace(/^\./, '');
}