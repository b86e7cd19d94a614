import {
  environments,
  environmentVariable,
  howToSet,
  operationPath,
  pathPrefix,
} from '../contract/environments.js';
import { clockSymbol, type Marked } from '../contract/handshake.js';
import { ConfigurationError } from '../errors/errors.js';
import { redact } from '../errors/redact.js';
import { Emitter } from '../events/emitter.js';
import { logLevels, logListener, type LogLevel } from '../events/logger.js';
import { warnOnce } from '../events/notices.js';
import type { Priority, RateLimitGate } from '../rate-limit/types.js';
import { firstOf, ignoreFailure } from '../utils/abort.js';
import { systemClock } from '../utils/clock.js';
import { isBrowser, isBrowserPage } from '../utils/platform.js';
import { version } from '../utils/version.js';
import { isMockKey, keyProblem } from './api-key.js';
import { check, opaqueKind, type Given, type Row, type Rows } from './check.js';
import * as must from './check.js';
import { checkHeaders } from './headers.js';
import type { PetStoreClientOptions, RequestOptions, SharedOptions } from './options.js';
import type { Int64Mode } from '../types.js';

/** The options of a client, or of one call, each checked and with a value. */
export type Config = Readonly<ReturnType<typeof resolve>>;

const aTime: Row = [
  'a number of ms above 0, or false for none',
  (value) => value === false || (typeof value === 'number' && value > 0),
];
const aBound: Row = ['a number of ms from 0 up', /* @__PURE__ */ must.inRange(0)];
const aGate: Row = /* @__PURE__ */ must.objectWith('a RateLimitGate', 'acquire');

/** The options that a client and a call both have. */
const sharedRows: Rows<SharedOptions> = {
  timeout: aTime,
  totalTimeout: aTime,
  maxRetries: /* @__PURE__ */ must.integer(0, 10),
  maxWait: aBound,
  maxHold: aBound,
  validation: /* @__PURE__ */ must.oneOf('tolerant', 'strict'),
  headers: [
    'an object of names and values, Headers, or a function that returns them',
    (value) => ['object', 'function'].includes(typeof value),
  ],
  signal: [
    'an AbortSignal (of an AbortController, pass its signal)',
    // `instanceof` would refuse a signal of another realm, such as that of a test environment.
    (value) => opaqueKind(value) === 'AbortSignal',
  ],
};

const callRows: Rows<RequestOptions> = /* @__PURE__ */ (() => ({
  ...sharedRows,
  priority: must.oneOf('normal', 'high'),
}))();

/** The options of a client with any type of ids. */
type AnyOptions = PetStoreClientOptions<Int64Mode>;

const clientRows: Rows<AnyOptions> = /* @__PURE__ */ (() => ({
  // Checked by `keyProblem`, which shows no part of it.
  apiKey: ['a key', () => true],
  environment: must.oneOf(...Object.keys(environments)),
  baseUrl: [
    'an absolute URL, such as https://api.petstore.example',
    (value) => typeof value === 'string' || opaqueKind(value) === 'URL',
  ],
  ...sharedRows,
  gate: [
    `false, ${aGate[0]}, or a function that returns one, as createFleetGate({ store })`,
    (value) => value === false || typeof value === 'function' || aGate[1](value),
  ],
  int64: must.oneOf('number', 'bigint'),
  fetch: must.aFunction,
  clock: must.aClock,
  onEvent: must.aFunction,
  logger: must.objectWith('a logger', 'debug', 'info', 'warn', 'error'),
  logLevel: must.oneOf(...logLevels),
  allowInsecureHttp: must.aBoolean,
  dangerouslyAllowBrowser: must.aBoolean,
}))();

const defaults = {
  // Node's fetch gives up connecting after 10 to 11 s. Then it is known that nothing was sent.
  timeout: 15_000,
  totalTimeout: false,
  maxRetries: 2,
  maxWait: Infinity,
  maxHold: 120_000,
  validation: 'tolerant',
  int64: 'number',
  priority: 'normal' as Priority,
} as const;

/** Checks the gate that a function `gate` has returned. Without the check, its calls would go through the shared gate. */
export function checkGate(gate: unknown): RateLimitGate {
  // A promise is refused, but Node must not report its rejection as unhandled.
  ignoreFailure(() => gate);
  must.checkValue('its result', aGate, gate);
  return gate as RateLimitGate;
}

/**
 * Checks options, and puts defaults in place. Throws a {@link ConfigurationError} that names the option and what it takes,
 * and never shows the key, even where the key stands in the name of an option.
 */
export function configure(options: AnyOptions): Config {
  try {
    return resolve(check<AnyOptions>('the client', clientRows, options));
  } catch (failure) {
    const given: unknown = (options as AnyOptions | null)?.apiKey;
    const key = given ?? environmentVariable('PETSTORE_API_KEY');
    if (!(failure instanceof ConfigurationError)) throw failure;
    // A message may contain a short key by chance, as one of its own words. Only a quoted value is the key.
    const isTold =
      typeof key === 'string' && (key.length >= 8 || failure.message.includes(`"${key}"`));
    const shown = redact(failure.message, isTold ? [key] : []);
    if (shown === failure.message) throw failure;
    throw new ConfigurationError(`an option is wrong: ${shown}`);
  }
}

function resolve(checked: Given<AnyOptions>) {
  const { onEvent, logger, headers, signal, ...options } = checked;
  const { apiKey = environmentVariable('PETSTORE_API_KEY'), logLevel = levelOfEnvironment() } =
    options;
  const ownHeaders = headerSource(headers, false);
  if (apiKey === undefined)
    throw new ConfigurationError(`no API key: ${howToSet('apiKey', 'PETSTORE_API_KEY')}`);
  const problem = typeof apiKey === 'function' ? undefined : keyProblem(apiKey);
  const source = checked.apiKey === undefined ? 'variable PETSTORE_API_KEY' : 'option apiKey';
  if (problem !== undefined)
    throw new ConfigurationError(`the API key of the ${source} cannot be sent: ${problem}`);
  // A key in the code of a page is public. The keys of the mock are no secret.
  const isPublic = typeof apiKey === 'string' && isBrowserPage() && !isMockKey(apiKey);
  if (isPublic && checked.dangerouslyAllowBrowser !== true)
    throw new ConfigurationError(
      'apiKey is a string in a browser, where every visitor of the page can read it: call the service from a server, ' +
        "or pass a function that returns the visitor's own key. To allow it, set dangerouslyAllowBrowser: true",
    );
  const address = resolveAddress(checked);
  // Without a level, events are logged only if there is a logger.
  const level = logLevel ?? (logger && 'warn');
  // With a custom `fetch` or a key of the mock, the address need not exist, because a test may intercept the requests.
  const isExpected = checked.fetch !== undefined || isMockKey(apiKey) || level === 'off';
  const { baseUrl, placeholderFor } = address;
  if (placeholderFor !== undefined && !isExpected)
    warnOnce(
      placeholderFor,
      `no address is set, so requests go to the placeholder ${baseUrl}: ${howToSet('baseUrl', placeholderFor)}. ` +
        "In a test that intercepts them, logLevel: 'off' hides this message",
    );
  const listeners = onEvent === undefined ? [] : [onEvent];
  if (level !== undefined && level !== 'off') listeners.push(logListener(logger ?? console, level));
  const known = placeholderFor === undefined ? { baseUrl, environment: undefined } : {};
  const clock =
    checked.clock ?? (checked.fetch as Marked | undefined)?.[clockSymbol] ?? systemClock;
  return {
    ...defaults,
    ...options,
    ...address,
    apiKey,
    ...firstOf(signal),
    /** The options that make the same client again: with the key, the address and the level that were found, and the headers as they were. */
    options: { ...checked, apiKey, logLevel, headers: ownHeaders, ...known },
    clock,
    /** Delivers events to the option `onEvent` and to the logger. */
    emitter: new Emitter(listeners, clock),
    logLevel: level,
    /** In order: a later source takes the place of an earlier one. In a browser, a user agent would be one more header that a preflight has to allow. */
    headers: [isBrowser() ? {} : { 'user-agent': `petstore-client/${version}` }, ownHeaders],
  };
}

/** The options of a call. Absent options have the values of the client. */
export function configureCall(config: Config, options: RequestOptions, isRaw: boolean): Config {
  const { signal, headers, ...given } = check<RequestOptions>('the call', callRows, options);
  return {
    ...config,
    ...given,
    headers: [...config.headers, headerSource(headers, isRaw)],
    // Last: if wrong headers throw, it has no listeners yet.
    ...firstOf(config.signal, signal),
  };
}

/** Headers for every attempt, or a function that gives those of one. */
function headerSource(headers: SharedOptions['headers'] = {}, isRaw: boolean) {
  return typeof headers === 'function' ? headers : checkHeaders(headers, isRaw);
}

/** Warns about a wrong value, and ignores it. */
function levelOfEnvironment(): LogLevel | undefined {
  const value = environmentVariable('PETSTORE_LOG');
  const level = logLevels.find((one) => one === value);
  if (value !== level)
    warnOnce(
      'log-level',
      `the variable PETSTORE_LOG is ${JSON.stringify(value)}, and is ignored: it must be one of ${logLevels.join(', ')}`,
    );
  return level;
}

/** The address that the options name: an environment or a `baseUrl`, never both. */
function resolveAddress(options: Given<AnyOptions>) {
  const { environment, baseUrl, allowInsecureHttp = false } = options;
  if (baseUrl !== undefined && environment !== undefined)
    throw new ConfigurationError('baseUrl and environment are both set: pass one of them');
  const name = environment ?? 'production';
  const { variable, placeholder } = environments[name];
  const given = baseUrl ?? environmentVariable(variable);
  const address = String(given ?? placeholder);
  const problem = addressProblem(address, allowInsecureHttp);
  const source = baseUrl === undefined ? `the variable ${variable}` : 'baseUrl';
  if (problem !== undefined) throw new ConfigurationError(`${source} ${problem}`);
  const { origin, host, pathname } = new URL(address);
  const path = pathname.replace(/\/+$/, '');
  return {
    /** With `/v1` exactly once, without query, fragment and slashes at the end. */
    baseUrl: origin + (path.endsWith(pathPrefix) ? path : path + pathPrefix),
    origin,
    /** For messages: the host, or the environment if the address is a placeholder. */
    label: given === undefined ? name : host,
    /** The variable to set if the address is a placeholder. */
    placeholderFor: given === undefined ? variable : undefined,
  };
}

function addressProblem(address: string, allowInsecureHttp: boolean): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    const inPage = /^[./]/.test(address) ? ' (in a page: location.origin + "/api")' : '';
    return `must be an absolute URL, such as https://api.petstore.example${inPage}`;
  }
  const isLoopback = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback && !allowInsecureHttp)
    return 'must begin with https://, because http:// does not encrypt the API key: it is for localhost, or with allowInsecureHttp: true';
  if (url.username + url.password + url.search !== '')
    return 'contains a user name, a password or a query: the service takes the API key alone, and each call its own query';
  const path = operationPath(address);
  if (path === undefined) return undefined;
  return `ends in ${path}, the path of an operation, which is added for each call: leave it out; if it is a folder of the service, add /v1`;
}
