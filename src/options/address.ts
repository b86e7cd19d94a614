import {
  environments,
  environmentVariable,
  withPathPrefix,
  type Environment,
} from '../contract/environments.js';
import { ConfigurationError } from '../errors/errors.js';

/** The address of the service. */
export interface Address {
  /** With `/v1`, without a slash at the end. */
  readonly baseUrl: string;
  readonly origin: string;
  /** For messages: `production`, `staging`, or the host of the option `baseUrl`. */
  readonly label: string;
  /** The variable to set if the address is a placeholder. */
  readonly placeholderFor: string | undefined;
}

/** The address that the options name: an environment or a `baseUrl`, never both. */
export function resolveAddress(
  environment: Environment | undefined,
  baseUrl: string | undefined,
  allowInsecureHttp: boolean,
): Address {
  if (baseUrl !== undefined) {
    if (environment !== undefined)
      throw new ConfigurationError('baseUrl and environment are both set: pass one of them');
    const url = checkAddress('baseUrl', baseUrl, allowInsecureHttp);
    const { origin, host } = new URL(url);
    return { baseUrl: url, origin, label: host, placeholderFor: undefined };
  }
  const label = environment ?? 'production';
  const { variable, placeholder } = environments[label];
  const address = environmentVariable(variable);
  const url = checkAddress(`the variable ${variable}`, address ?? placeholder, allowInsecureHttp);
  return {
    baseUrl: url,
    origin: new URL(url).origin,
    label,
    placeholderFor: address === undefined ? variable : undefined,
  };
}

function checkAddress(name: string, address: string, allowInsecureHttp: boolean): string {
  if (!URL.canParse(address))
    throw new ConfigurationError(
      `${name} is no address: pass an absolute URL, as https://api.petstore.example`,
    );
  const { protocol, hostname, username, password } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new ConfigurationError(`${name} must begin with https:, got ${protocol}`);
  if (username !== '' || password !== '')
    throw new ConfigurationError(
      `${name} holds a user name or password: the service takes the API key alone`,
    );
  const isLoopback = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isLoopback && !allowInsecureHttp)
    throw new ConfigurationError(
      `${name} is plain http, over which the API key travels in the clear: use https, or set allowInsecureHttp: true`,
    );
  return withPathPrefix(address);
}
