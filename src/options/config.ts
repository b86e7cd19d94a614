import { systemClock, type Clock } from '../utils/clock.js';
import {
  environments,
  environmentVariable,
  withPathPrefix,
  type Environment,
} from '../contract/environments.js';
import { plans } from '../contract/rate-limits.js';
import { ConfigurationError } from '../errors/errors.js';
import type { ApiKey, PetStoreClientOptions, RateLimitOptions, Validation } from './options.js';
import type { RateLimitGate } from '../rate-limit/types.js';
import { keyProblem } from '../errors/redact.js';
import type { Int64Mode } from '../types.js';

/** The options with every default in place and every value checked: what the rest of the client reads. */
export interface Config {
  readonly apiKey: ApiKey;
  /** With `/v1`, without a slash at the end. */
  readonly baseUrl: string;
  readonly origin: string;
  /** For messages: `production`, `staging`, or the host of a base address of one's own. */
  readonly label: string;
  /** The variable to set, while the address is a placeholder. */
  readonly placeholderFor: string | undefined;
  readonly timeout: number | false;
  readonly totalTimeout: number | false;
  readonly retryLimit: number;
  readonly rateLimit: GateConfig | false;
  readonly validation: Validation;
  readonly int64: Int64Mode;
  readonly headers: Headers;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  readonly onEvent: PetStoreClientOptions['onEvent'];
}

export interface GateConfig {
  readonly maxHold: number;
  readonly maxWait: number;
  readonly maxQueue: number;
  readonly maxConcurrency: number;
  readonly perMinute: number | undefined;
  readonly gate: RateLimitGate | undefined;
}

const known = new Set<string>([
  'apiKey',
  'environment',
  'baseUrl',
  'timeout',
  'totalTimeout',
  'retry',
  'rateLimit',
  'validation',
  'int64',
  'headers',
  'fetch',
  'clock',
  'onEvent',
  'allowInsecureHttp',
] satisfies (keyof PetStoreClientOptions)[]);

/** Checks options, and puts defaults in place. Throws a {@link ConfigurationError} that names the option and what it takes. */
export function configure(options: PetStoreClientOptions): Config {
  checkNames('option', options, known);
  return {
    apiKey: apiKeyOf(options.apiKey),
    ...addressOf(options),
    timeout: checkTimeout('timeout', options.timeout) ?? 10_000,
    totalTimeout: checkTimeout('totalTimeout', options.totalTimeout) ?? false,
    retryLimit: checkRetry(options.retry) ?? 2,
    rateLimit: rateLimitOf(options.rateLimit),
    validation: oneOf('validation', options.validation, ['tolerant', 'strict']) ?? 'tolerant',
    int64: oneOf('int64', options.int64, ['number', 'bigint']) ?? 'number',
    headers: checkHeaders(options.headers),
    fetch: aFunction('fetch', options.fetch),
    clock: clockOf(options.clock),
    onEvent: aFunction('onEvent', options.onEvent),
  };
}

function clockOf(clock: Clock | undefined): Clock {
  if (clock === undefined) return systemClock;
  for (const method of ['now', 'monotonic', 'sleep'] as const)
    if (typeof (clock as Partial<Clock> | null)?.[method] !== 'function')
      throw new ConfigurationError(
        'clock must be a Clock: an object with the functions now, monotonic and sleep',
      );
  return clock;
}

function apiKeyOf(option: unknown): ApiKey {
  if (typeof option === 'function') return option as ApiKey;
  const key = option ?? environmentVariable('PETSTORE_API_KEY');
  if (key === undefined)
    throw new ConfigurationError(
      'no API key: pass the option apiKey, or set the variable PETSTORE_API_KEY',
    );
  checkKey(key);
  return key;
}

/** Throws when a key cannot be sent; the message says why, and repeats nothing of it. */
function checkKey(key: unknown): asserts key is string {
  const problem = keyProblem(key);
  if (problem !== undefined) throw new ConfigurationError(`the API key cannot be sent: ${problem}`);
}

function addressOf(
  options: PetStoreClientOptions,
): Pick<Config, 'baseUrl' | 'origin' | 'label' | 'placeholderFor'> {
  const insecure = aBoolean('allowInsecureHttp', options.allowInsecureHttp) ?? false;
  if (options.baseUrl !== undefined) {
    if (options.environment !== undefined)
      throw new ConfigurationError('baseUrl and environment are both set: pass one of them');
    const given: unknown = options.baseUrl;
    const baseUrl = checkAddress(
      'baseUrl',
      typeof given === 'string' || given instanceof URL ? String(given) : '',
      insecure,
    );
    const { origin, host } = new URL(baseUrl);
    return { baseUrl, origin, label: host, placeholderFor: undefined };
  }
  const label: Environment =
    oneOf('environment', options.environment, Object.keys(environments) as Environment[]) ??
    'production';
  const { variable, placeholder } = environments[label];
  const address = environmentVariable(variable);
  const baseUrl = checkAddress(`the variable ${variable}`, address ?? placeholder, insecure);
  return {
    baseUrl,
    origin: new URL(baseUrl).origin,
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
  const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !loopback && !allowInsecureHttp) {
    throw new ConfigurationError(
      `${name} is plain http, over which the API key travels in the clear: use https, or set allowInsecureHttp: true`,
    );
  }
  return withPathPrefix(address);
}

function rateLimitOf(options: RateLimitOptions | false | undefined): GateConfig | false {
  if (options === false) return false;
  const given = options === undefined ? {} : options;
  checkNames(
    'option of rateLimit',
    given,
    new Set(['maxHold', 'maxWait', 'maxQueue', 'maxConcurrency', 'plan', 'gate']),
  );
  if (
    given.gate !== undefined &&
    typeof (given.gate as Partial<RateLimitGate> | null)?.acquire !== 'function'
  ) {
    throw new ConfigurationError(
      'rateLimit.gate must be a RateLimitGate: an object with a function acquire',
    );
  }
  return {
    maxHold: inRange('rateLimit.maxHold', given.maxHold, 0, 'ms') ?? 120_000,
    maxWait: inRange('rateLimit.maxWait', given.maxWait, 0, 'ms') ?? Infinity,
    maxQueue: inRange('rateLimit.maxQueue', given.maxQueue, 0, 'calls') ?? 10_000,
    maxConcurrency:
      inRange('rateLimit.maxConcurrency', given.maxConcurrency, 1, 'requests') ?? Infinity,
    perMinute: perMinuteOf(given.plan),
    gate: given.gate,
  };
}

function perMinuteOf(plan: RateLimitOptions['plan']): number | undefined {
  if (typeof plan === 'object' && (plan as unknown) !== null) {
    checkNames('option of rateLimit.plan', plan, new Set(['perMinute', 'perDay']));
    inRange('rateLimit.plan.perDay', plan.perDay, 1, 'requests');
    // Given, but as undefined: NaN is in no range.
    return inRange(
      'rateLimit.plan.perMinute',
      (plan.perMinute as number | undefined) ?? NaN,
      1,
      'requests',
    );
  }
  const name = oneOf('rateLimit.plan', plan, ['free', 'pro', 'business']);
  return name === undefined ? undefined : plans[name].perMinute;
}

/** A timeout in ms, or `false`; `undefined` when it is not given. */
export function checkTimeout(
  name: string,
  value: number | false | undefined,
): number | false | undefined {
  if (value === undefined || value === false || (typeof value === 'number' && value > 0))
    return value === Infinity ? false : value;
  throw new ConfigurationError(
    `${name} must be a number of ms above 0, or false for none, got ${show(value)}`,
  );
}

export function checkRetry(retry: { readonly limit?: number } | undefined): number | undefined {
  if (retry === undefined) return undefined;
  checkNames('option of retry', retry, new Set(['limit']));
  const limit = inRange('retry.limit', retry.limit, 0, 'tries');
  if (limit !== undefined && (limit > 10 || !Number.isInteger(limit)))
    throw new ConfigurationError(`retry.limit must be an integer from 0 to 10, got ${limit}`);
  return limit;
}

/** Headers of a user, as `Headers`. The values stay out of the message. */
export function checkHeaders(
  given: Readonly<Record<string, string>> | Headers | undefined,
): Headers {
  if (given !== undefined && (typeof given !== 'object' || (given as unknown) === null))
    throw new ConfigurationError(
      `headers must be an object of names and values, or Headers, got ${show(given)}`,
    );
  const pairs = given === undefined ? [] : isIterable(given) ? [...given] : Object.entries(given);
  for (const pair of pairs) {
    const [name, value] = Array.isArray(pair) ? (pair as unknown[]) : [];
    if (typeof name !== 'string')
      throw new ConfigurationError(
        'headers: what can be iterated must give pairs of a name and a value',
      );
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
      throw new ConfigurationError(
        `headers: ${JSON.stringify(name.slice(0, 40))} is no header name`,
      );
    if (typeof value !== 'string' || /[^\t\x20-\xff]/.test(value))
      throw new ConfigurationError(`headers: the value of ${name} cannot be sent`);
  }
  const headers = new Headers(pairs as [string, string][]);
  for (const name of ['authorization', 'cookie']) {
    if (headers.has(name))
      throw new ConfigurationError(
        `headers: ${name} cannot be set here${name === 'cookie' ? '' : ': use the option apiKey'}`,
      );
  }
  return headers;
}

/** A number from `minimum` up; `undefined` when it is not given. */
export function inRange(
  name: string,
  value: number | undefined,
  minimum: number,
  unit: string,
): number | undefined {
  if (value === undefined || (typeof value === 'number' && value >= minimum)) return value;
  throw new ConfigurationError(
    `${name} must be a number of ${unit} from ${minimum} up, got ${show(value)}`,
  );
}

export function oneOf<T extends string>(
  name: string,
  value: unknown,
  values: readonly T[],
): T | undefined {
  if (value === undefined || values.includes(value as T)) return value as T | undefined;
  throw new ConfigurationError(`${name} must be one of ${values.join(', ')}, got ${show(value)}`);
}

function isIterable(given: object): given is Iterable<unknown> {
  return Symbol.iterator in given;
}

function aBoolean(name: string, value: boolean | undefined): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new ConfigurationError(`${name} must be true or false, got ${show(value)}`);
}

function aFunction<T>(name: string, value: T): T {
  if (value === undefined || typeof value === 'function') return value;
  throw new ConfigurationError(`${name} must be a function, got ${show(value)}`);
}

export function checkNames(kind: string, given: unknown, names: ReadonlySet<string>): void {
  if (typeof given !== 'object' || given === null)
    throw new ConfigurationError(`the ${kind} list must be an object, got ${show(given)}`);
  const unknown = Object.keys(given).find((name) => !names.has(name));
  if (unknown === undefined) return;
  const near = [...names].find((name) => name.toLowerCase() === unknown.toLowerCase());
  throw new ConfigurationError(
    `unknown ${kind}: ${unknown.slice(0, 40)}${near === undefined ? `; known: ${[...names].join(', ')}` : `: did you mean ${near}?`}`,
  );
}

/** Numbers and booleans as they are, all else by kind: a value may be private. */
function show(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? String(value)
    : typeof value === 'string'
      ? 'another string'
      : typeof value;
}
