import {
  environments,
  environmentVariable,
  howToSet,
  type Environment,
} from '../contract/environments.js';
import { describeValue } from '../contract/json.js';
import { ConfigurationError } from '../errors/errors.js';
import { redact, withheld } from '../errors/redact.js';
import type { EventListener } from '../events/emitter.js';
import { logLevels, logListener, type Logger, type LogLevel } from '../events/logger.js';
import { warnOfLogLevel, warnOfPlaceholder } from '../events/notices.js';
import type { Priority, RateLimitGate } from '../rate-limit/types.js';
import { clockOf, systemClock } from '../utils/clock.js';
import { isBrowser, isBrowserPage } from '../utils/platform.js';
import { version } from '../utils/version.js';
import { isMockKey, keyProblem, resolveAddress } from './address.js';
import {
  boolean,
  check,
  clockRow,
  functionRow,
  msFrom,
  objectWith,
  oneOf,
  row,
  timeout,
  type Checked,
  type Row,
} from './check.js';
import { checkHeaders, type HeaderRecord } from './headers.js';
import type {
  ApiKey,
  GateOfKey,
  HeadersFunction,
  PetStoreClientOptions,
  RequestOptions,
} from './options.js';

/** Headers for every attempt, or a function that gives those of one. */
export type HeaderSource = HeaderRecord | HeadersFunction;

/** The options of a client, or of one call, each checked and with a value. */
export type Config = Readonly<ReturnType<typeof resolve>>;

/** `instanceof` is not used, because the signal may come from another realm, such as a test environment. */
function isSignal(value: unknown): boolean {
  const signal = value as Partial<AbortSignal> | null;
  return typeof signal?.addEventListener === 'function' && typeof signal.aborted === 'boolean';
}

const gateRow: Row<RateLimitGate | undefined> = /* @__PURE__ */ objectWith<RateLimitGate>(
  'a RateLimitGate',
  'acquire',
);

/** The options that a client and a call both have. */
const sharedRows = /* @__PURE__ */ (() => ({
  // Node's fetch gives up connecting after 10 to 11 s. Then it is known that nothing was sent.
  timeout: timeout(15_000),
  totalTimeout: timeout(false),
  maxRetries: row<number, number>(
    'an integer from 0 to 10',
    (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 10,
    2,
  ),
  maxWait: msFrom(0, Infinity),
  maxHold: msFrom(0, 120_000),
  validation: oneOf(['tolerant', 'strict'], 'tolerant' as const),
  headers: row<unknown>(
    'an object of names and values, Headers, or a function that returns them',
    (value) => ['object', 'function'].includes(typeof value),
  ),
  signal: row<AbortSignal>('an AbortSignal (of an AbortController, pass its signal)', isSignal),
}))();

const callRows = /* @__PURE__ */ (() =>
  ({
    ...sharedRows,
    priority: oneOf(['normal', 'high'], 'normal' as const),
  }) satisfies Record<keyof RequestOptions, Row>)();

const clientRows = /* @__PURE__ */ (() =>
  ({
    apiKey: row<ApiKey | null>('a string, or a function that returns one', () => true),
    environment: oneOf(Object.keys(environments) as Environment[], undefined),
    baseUrl: row<string | URL>(
      'an absolute URL, such as https://api.petstore.example',
      (value) => typeof value === 'string' || value instanceof URL,
    ),
    ...sharedRows,
    gate: row<RateLimitGate | GateOfKey | false>(
      `false, ${gateRow[0]}, or a function that returns one`,
      (value) => value === false || typeof value === 'function' || gateRow[1](value),
    ),
    int64: oneOf(['number', 'bigint'], 'number' as const),
    fetch: functionRow<typeof globalThis.fetch>(),
    clock: clockRow,
    onEvent: functionRow<EventListener>(),
    logger: objectWith<Logger>('a logger', 'debug', 'info', 'warn', 'error'),
    logLevel: oneOf(logLevels, undefined),
    allowInsecureHttp: boolean,
    dangerouslyAllowBrowser: boolean,
  }) satisfies Record<keyof PetStoreClientOptions, Row>)();

/** Checks the gate that a function `gate` has returned. Without the check, its calls would go through the shared gate. */
export function checkGate(gate: unknown): RateLimitGate {
  const [mustBe, accepts] = gateRow;
  if (accepts(gate)) return gate as RateLimitGate;
  throw new ConfigurationError(`its result must be ${mustBe}, got ${describeValue(gate)}`);
}

/**
 * Checks options, and puts defaults in place. Throws a {@link ConfigurationError} that names the option and what it takes,
 * and never shows the key, even where the key stands in the name of an option.
 */
export function configure(options: PetStoreClientOptions): Config {
  try {
    return resolve(check('the client', clientRows, options));
  } catch (failure) {
    const key: unknown =
      (options as PetStoreClientOptions | null)?.apiKey ?? environmentVariable('PETSTORE_API_KEY');
    if (!(failure instanceof ConfigurationError) || typeof key !== 'string') throw failure;
    // A shorter key may be a word of the message itself.
    const message = key.length < 8 ? failure.message : redact(failure.message, [key]);
    throw message === withheld ? new ConfigurationError(`an option is wrong: ${message}`) : failure;
  }
}

function resolve(checked: Checked<typeof clientRows>) {
  const { environment, baseUrl, onEvent, logger, signal, headers, ...options } = checked;
  const apiKey = checkKey(checked.apiKey) ?? checkKey(environmentVariable('PETSTORE_API_KEY'));
  if (apiKey === undefined)
    throw new ConfigurationError(`no API key: ${howToSet('apiKey', 'PETSTORE_API_KEY')}`);
  if (!checked.dangerouslyAllowBrowser) refuseKeyInPage(apiKey);
  const address = resolveAddress(environment, baseUrl, checked.allowInsecureHttp);
  const level = checked.logLevel ?? levelOfEnvironment();
  // With a fetch of the caller's own, or a key of the mock, the address need not exist.
  const isExpected = checked.fetch !== undefined || isMockKey(apiKey) || level === 'off';
  if (address.placeholderFor !== undefined && !isExpected)
    warnOfPlaceholder(address.placeholderFor, address.baseUrl);
  const listeners = onEvent === undefined ? [] : [onEvent];
  // Without a level, events are logged only if there is a logger.
  const isLogging = level === undefined ? logger !== undefined : level !== 'off';
  if (isLogging) listeners.push(logListener(logger ?? console, level ?? 'warn'));
  return {
    ...options,
    ...address,
    apiKey,
    clock: checked.clock ?? clockOf(checked.fetch) ?? systemClock,
    /** The receivers of events: the option `onEvent`, and the logger. */
    listeners,
    /** Whether the console shows a long wait: only if nothing else shows it. */
    warnsOfLongWait: listeners.length === 0 && level !== 'off',
    /** The signals that end a call: that of the client, and that of the call. */
    signals: signal === undefined ? [] : [signal],
    priority: 'normal' as Priority,
    /** In order: a later source takes the place of an earlier one. In a browser, a user agent would be one more header that a preflight has to allow. */
    headers: [
      ...(isBrowser() ? [] : [{ 'user-agent': `petstore-client/${version}` }]),
      ...headerSources(headers, false),
    ],
  };
}

/** The options of a call. Absent options have the values of the client. */
export function configureCall(config: Config, options: RequestOptions, isRaw: boolean): Config {
  const { signal, headers, ...checked } = check('the call', callRows, options);
  const given = Object.entries(checked).filter(
    ([name]) => options[name as keyof RequestOptions] !== undefined,
  );
  return {
    ...config,
    ...Object.fromEntries(given),
    signals: signal === undefined ? config.signals : [...config.signals, signal],
    headers: [...config.headers, ...headerSources(headers, isRaw)],
  };
}

function headerSources(headers: unknown, isRaw: boolean): HeaderSource[] {
  if (headers === undefined) return [];
  return [
    typeof headers === 'function' ? (headers as HeadersFunction) : checkHeaders(headers, isRaw),
  ];
}

/** Checks the option `apiKey`. `null` means absent. The message has the reason, and no part of the key. */
function checkKey(key: unknown): ApiKey | undefined {
  if (key === undefined || key === null || typeof key === 'function')
    return (key ?? undefined) as ApiKey | undefined;
  const problem = keyProblem(key);
  if (problem !== undefined) throw new ConfigurationError(`the API key cannot be sent: ${problem}`);
  return key as string;
}

/** A key in the code of a page is public. The keys of the mock are no secret. */
function refuseKeyInPage(key: ApiKey): void {
  if (typeof key === 'function' || !isBrowserPage() || isMockKey(key)) return;
  throw new ConfigurationError(
    'apiKey is a string in a browser, where every visitor of the page can read it: call the service from a server, ' +
      "or pass a function that returns the visitor's own key. To allow it, set dangerouslyAllowBrowser: true",
  );
}

/** A wrong value is mentioned, and does not stop the program. */
function levelOfEnvironment(): LogLevel | undefined {
  const level = environmentVariable('PETSTORE_LOG');
  if (level === undefined || logLevels.includes(level as LogLevel)) return level as LogLevel;
  warnOfLogLevel(level, logLevels);
  return undefined;
}
