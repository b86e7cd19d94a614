/** The prefix of every path: the version of the service. Service interface: "Versioning", 1. */
export const pathPrefix = '/v1';

/**
 * The two environments. The interface writes their addresses as `{base_url}` and `{staging_base_url}`: `variable` is
 * where each is read from, `placeholder` stands in where it is unset (a reserved domain that never resolves).
 */
export const environments = {
  production: { variable: 'PETSTORE_BASE_URL', placeholder: 'https://api.petstore.example' },
  staging: {
    variable: 'PETSTORE_STAGING_BASE_URL',
    placeholder: 'https://staging.petstore.example',
  },
} as const;

/** `production` or `staging`. Service interface: "What the service does". */
export type Environment = keyof typeof environments;

/** `address` without query, fragment and trailing slashes, and with the `/v1` prefix exactly once. */
export function withPathPrefix(address: string): string {
  const url = new URL(address);
  url.search = url.hash = '';
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(pathPrefix) ? path : path + pathPrefix;
  return url.href;
}

/** The environment variables; `undefined` where there are none, as in a page, or where access to them is denied. */
function variables(): Record<string, string | undefined> | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env;
  } catch {
    return undefined;
  }
}

/** An environment variable, if it is set. Never throws, even if access to the environment is denied. */
export function environmentVariable(name: string): string | undefined {
  try {
    const value = variables()?.[name]?.trim();
    return value === '' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** For messages: how to set an option that has a variable too. Where there are no variables, the option alone. */
export function howToSet(option: string, variable: string): string {
  return `pass the option ${option}${variables() ? `, or set the variable ${variable}` : ''}`;
}

/** The end of an address that is the path of an operation, such as `/pets`: the client adds it itself. */
export function operationPath(address: string): string | undefined {
  return /\/pets(?:\/\d+)?$/.exec(new URL(address).pathname.replace(/\/+$/, ''))?.[0];
}
