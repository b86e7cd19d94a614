import {
  environments,
  environmentVariable,
  operationPath,
  withPathPrefix,
  type Environment,
} from '../contract/environments.js';
import { describe } from '../contract/json.js';
import { plans } from '../contract/rate-limits.js';
import { ConfigurationError } from '../errors/errors.js';

/** The address of the service. */
export interface Address {
  /** With `/v1`, without a slash at the end. */
  readonly baseUrl: string;
  readonly origin: string;
  /** For messages: the host, or the environment if the address is a placeholder. */
  readonly label: string;
  /** The variable to set if the address is a placeholder. */
  readonly placeholderFor: string | undefined;
}

/** The address that the options name: an environment or a `baseUrl`, never both. */
export function resolveAddress(
  environment: Environment | undefined,
  baseUrl: string | URL | undefined,
  allowInsecureHttp: boolean,
): Address {
  if (baseUrl !== undefined && environment !== undefined)
    throw new ConfigurationError('baseUrl and environment are both set: pass one of them');
  const name = environment ?? 'production';
  const { variable, placeholder } = environments[name];
  const address = baseUrl ?? environmentVariable(variable);
  const source = baseUrl === undefined ? `the variable ${variable}` : 'baseUrl';
  const { href, origin, host } = checkAddress(
    source,
    String(address ?? placeholder),
    allowInsecureHttp,
  );
  return {
    baseUrl: href,
    origin,
    label: address === undefined ? name : host,
    placeholderFor: address === undefined ? variable : undefined,
  };
}

function checkAddress(name: string, address: string, allowInsecureHttp: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isLoopback = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  const isPlain = url?.protocol === 'http:' && (isLoopback || allowInsecureHttp);
  if (url === undefined || (url.protocol !== 'https:' && !isPlain))
    throw new ConfigurationError(
      `${name} must be an absolute URL, such as https://api.petstore.example (http:// does not encrypt the API key: it is for localhost, or with allowInsecureHttp: true)` +
        (/^[./]/.test(address) ? ' (in a page: location.origin + "/api")' : ''),
    );
  if (url.username + url.password + url.search !== '')
    throw new ConfigurationError(
      `${name} holds a user name, a password or a query: the service takes the API key alone, and each call its own query`,
    );
  const path = operationPath(address);
  if (path !== undefined)
    throw new ConfigurationError(
      `${name} ends in ${path}, the path of an operation, which is added for each call: leave it out; if it is a folder of the service, add /v1`,
    );
  return withPathPrefix(address);
}

/** True for a key that every mock service knows. */
export function isMockKey(key: unknown): boolean {
  return Object.keys(plans).some((name) => key === `mock-${name}`);
}

/** How keys are passed wrongly, and what to do. The first that fits counts. */
const mistakes: readonly (readonly [RegExp, string])[] = [
  [/^\s*$/, 'it is empty'],
  [/^\s*bearer\s+\S/i, 'it begins with "Bearer ": pass the key alone'],
  [/\s/, 'it holds white space or a line break: trim it'],
  [/[^\x21-\x7e]|["'`\\]/, 'it holds quotes, a backslash or characters outside printable ASCII'],
];

/** What is wrong with a key, without any part of the key; `undefined` if it can be sent. */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return `it must be a string, got ${describe(key)}`;
  return mistakes.find(([pattern]) => pattern.test(key))?.[1];
}
