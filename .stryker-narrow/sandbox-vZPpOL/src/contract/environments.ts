/** The prefix of every path: the version of the service. Service interface: "Versioning", 1. */
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
export const pathPrefix = '/v1';

/**
 * The two environments. The interface writes their addresses as `{base_url}` and `{staging_base_url}`: `variable`
 * contains the address; `placeholder`, on a reserved domain that never resolves, is used if the variable is not set.
 */
export const environments = {
  production: {
    variable: 'PETSTORE_BASE_URL',
    placeholder: 'https://api.petstore.example'
  },
  staging: {
    variable: 'PETSTORE_STAGING_BASE_URL',
    placeholder: 'https://staging.petstore.example'
  }
} as const;

/** `production` or `staging`. Service interface: "What the service does". */
export type Environment = keyof typeof environments;

/** `address` without query, fragment and trailing slashes, and with the `/v1` prefix exactly once. */
export function withPathPrefix(address: string): URL {
  const url = new URL(address);
  url.search = url.hash = '';
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(pathPrefix) ? path : path + pathPrefix;
  return url;
}

/** Reads the environment variables; `undefined` where there are none, as in a page, or where access to them is denied. */
function fromEnvironment<T>(read: (variables: Variables) => T): T | undefined {
  try {
    const {
      env
    } = (globalThis as {
      process?: {
        env?: Variables;
      };
    }).process ?? {};
    return env && read(env);
  } catch {
    return undefined;
  }
}
type Variables = Readonly<Record<string, string | undefined>>;

/** An environment variable, if it is set. Never throws. */
export function environmentVariable(name: string): string | undefined {
  return fromEnvironment(variables => variables[name]?.trim() || undefined);
}

/** For messages: how to set an option that has a variable too. Where there are no variables, the option alone. */
export function howToSet(option: string, variable: string): string {
  const hint = fromEnvironment(() => `, or set the variable ${variable}`) ?? '';
  return stryMutAct_9fa48("10") ? `` : (stryCov_9fa48("10"), `pass the option ${option}${hint}`);
}

/** The end of an address that is the path of an operation, such as `/pets`: the client adds it itself. */
export function operationPath(address: string): string | undefined {
  return /\/pets(?:\/\d+)?(?=\/*$)/.exec(new URL(address).pathname)?.[0];
}