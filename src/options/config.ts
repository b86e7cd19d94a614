import {
  environments,
  environmentVariable,
  howToSet,
  type Environment,
} from '../contract/environments.js';
import { plans } from '../contract/rate-limits.js';
import { ConfigurationError } from '../errors/errors.js';
import type { EventListener } from '../events/emitter.js';
import { warnOfPlaceholder } from '../events/notices.js';
import { logLevels, logListener, type Logger, type LogLevel } from '../events/logger.js';
import { Redactor } from '../errors/redact.js';
import type { RateLimitGate } from '../rate-limit/types.js';
import type { Int64Mode } from '../types.js';
import { clockOf, systemClock, type Clock } from '../utils/clock.js';
import { isBrowser, isBrowserPage } from '../utils/platform.js';
import { version } from '../utils/version.js';
import { resolveAddress, type Address } from './address.js';
import { isMockKey, keyProblem } from './api-key.js';
import type { ApiKey, GateOfKey, PetStoreClientOptions, RateLimitOptions } from './options.js';
import { sharedRules, type ResolvedRequestOptions } from './request-options.js';
import {
  boolean,
  checkGiven,
  checkOptions,
  functionCheck,
  numberFrom,
  objectWith,
  oneOf,
  rule,
  textOf,
  type HeaderRecord,
  type Rules,
} from './validate.js';

/** The validated options with all defaults, as the rest of the client reads them. */
export interface Config extends Address {
  readonly apiKey: ApiKey;
  readonly rateLimit: GateConfig | false;
  readonly int64: Int64Mode;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  /** The longest response body that is read. */
  readonly maxResponseBytes: number;
  /** The receivers of events: the option `onEvent`, and the logger. */
  readonly listeners: readonly EventListener[];
  /** Whether the console shows a long wait: only if nothing else shows it. */
  readonly warnsOfLongWait: boolean;
  /** The default options of a call. */
  readonly request: ResolvedRequestOptions;
}

export interface GateConfig {
  readonly maxHold: number;
  readonly maxWait: number;
  readonly maxQueue: number;
  readonly maxConcurrency: number;
  /** Requests per minute of the option `plan`. */
  readonly plan: number | undefined;
  readonly gate: RateLimitGate | GateOfKey | undefined;
}

const requestCount = /* @__PURE__ */ numberFrom(1, 'requests');
const planChecks = { perMinute: { check: requestCount }, perDay: { check: requestCount } };

/** Requests per minute of a plan, by its name or as given. */
function plan(value: unknown, name: string): number {
  if (typeof value !== 'object' || value === null)
    return plans[oneOf(['free', 'pro', 'business'])(value, name)].perMinute;
  const { perMinute } = checkGiven(textOf(name, 'an object'), planChecks, value);
  // The message for an absent value is that of a wrong one.
  return requestCount(perMinute, `${name}.perMinute`);
}

/** Checks a gate: the option, or what its function returns. */
export const gateObject = /* @__PURE__ */ objectWith<RateLimitGate>(
  ['acquire'],
  'a RateLimitGate: an object with a function acquire',
);

function gate(value: unknown, name: string): RateLimitGate | GateOfKey {
  return typeof value === 'function' ? (value as GateOfKey) : gateObject(value, name);
}

const gateRules = /* @__PURE__ */ (() =>
  ({
    maxHold: rule(numberFrom(0, 'ms'), 120_000),
    maxWait: rule(numberFrom(0, 'ms'), Infinity),
    maxQueue: rule(numberFrom(0, 'calls'), 10_000),
    maxConcurrency: rule(requestCount, Infinity),
    plan: rule(plan, undefined),
    gate: rule(gate, undefined),
  }) satisfies Rules & Record<keyof RateLimitOptions, unknown>)();

function rateLimit(value: unknown): GateConfig | false {
  const what = 'false, or an object of options, such as { maxWait: 30000 }';
  return value !== false && checkOptions(textOf('rateLimit', what), gateRules, value);
}

const clientRules = /* @__PURE__ */ (() =>
  ({
    apiKey: rule(checkKey, undefined),
    environment: rule(oneOf(Object.keys(environments) as Environment[]), undefined),
    baseUrl: rule(address, undefined),
    ...sharedRules,
    rateLimit: rule(rateLimit, rateLimit({})),
    int64: rule(oneOf(['number', 'bigint']), 'number' as const),
    fetch: rule(functionCheck<typeof globalThis.fetch>(), undefined),
    clock: rule(
      objectWith<Clock>(
        ['now', 'monotonic', 'sleep'],
        'a Clock: an object with the functions now, monotonic and sleep',
      ),
      undefined,
    ),
    maxResponseBytes: rule(numberFrom(1, 'bytes'), 16 * 2 ** 20),
    onEvent: rule(functionCheck<EventListener>(), undefined),
    logger: rule(
      objectWith<Logger>(
        ['debug', 'info', 'warn', 'error'],
        'a logger: an object with the functions debug, info, warn and error',
      ),
      undefined,
    ),
    logLevel: rule(oneOf(logLevels), undefined),
    allowInsecureHttp: rule(boolean, false),
    dangerouslyAllowBrowser: rule(boolean, false),
  }) satisfies Rules & Record<keyof PetStoreClientOptions, unknown>)();

const clientText = {
  kind: 'option',
  prefix: '',
  mustBe: "the options of the client must be an object, such as { apiKey: 'my-key' }",
};

/**
 * Checks options, and puts defaults in place. Throws a {@link ConfigurationError} that names the option and what it takes,
 * and never shows the key, even where the key stands in the name of an option.
 */
export function configure(options: PetStoreClientOptions): Config {
  try {
    return resolve(options);
  } catch (failure) {
    const key: unknown = (options as PetStoreClientOptions | null)?.apiKey;
    // A short key is not a secret, and occurs in many words by chance.
    if (!(failure instanceof ConfigurationError) || typeof key !== 'string' || key.length < 8)
      throw failure;
    const redactor = new Redactor();
    redactor.add(key);
    throw new ConfigurationError(redactor.text(failure.message));
  }
}

function resolve(options: PetStoreClientOptions): Config {
  const checked = checkOptions(clientText, clientRules, options);
  const { rateLimit, int64, fetch, clock, maxResponseBytes } = checked;
  const { timeout, totalTimeout, retry, validation } = checked;
  const apiKey = checked.apiKey ?? keyOfEnvironment();
  if (!checked.dangerouslyAllowBrowser) checkKeyInPage(apiKey);
  const address = resolveAddress(checked.environment, checked.baseUrl, checked.allowInsecureHttp);
  const level = checked.logLevel ?? levelOfEnvironment();
  // With a fetch of the caller's own, or a key of the mock, the address need not exist.
  if (address.placeholderFor !== undefined && fetch === undefined)
    if (level !== 'off' && !isMockKey(apiKey))
      warnOfPlaceholder(address.placeholderFor, address.baseUrl);
  return {
    ...address,
    apiKey,
    rateLimit,
    int64,
    fetch,
    clock: clock ?? clockOf(fetch) ?? systemClock,
    maxResponseBytes,
    ...observers(checked.onEvent, checked.logger, level),
    request: {
      signal: undefined,
      timeout,
      totalTimeout,
      maxWait: rateLimit === false ? Infinity : rateLimit.maxWait,
      maxHold: rateLimit === false ? Infinity : rateLimit.maxHold,
      retry,
      validation,
      priority: 'normal',
      headers: [userAgent(), checked.headers].filter((source) => source !== undefined),
    },
  };
}

/** What servers tell about themselves. In a browser it would be one more header that a preflight has to allow. */
function userAgent(): HeaderRecord | undefined {
  return isBrowser() ? undefined : { 'user-agent': `petstore-client/${version}` };
}

function levelOfEnvironment(): LogLevel | undefined {
  const variable = environmentVariable('PETSTORE_LOG');
  return variable === undefined
    ? undefined
    : oneOf(logLevels)(variable, 'the variable PETSTORE_LOG');
}

/** The receivers of events. Without a level, events are logged only if there is a logger, with the level `warn`. */
function observers(
  onEvent: EventListener | undefined,
  logger: Logger | undefined,
  level: LogLevel | undefined,
): Pick<Config, 'listeners' | 'warnsOfLongWait'> {
  const listeners = onEvent === undefined ? [] : [onEvent];
  const isLogging = level === undefined ? logger !== undefined : level !== 'off';
  if (isLogging) listeners.push(logListener(logger ?? console, level ?? 'warn'));
  return { listeners, warnsOfLongWait: listeners.length === 0 && level !== 'off' };
}

/** Checks the option `apiKey`. `null` means absent. The message has the reason, and no part of the key. */
function checkKey(value: unknown): ApiKey | undefined {
  if (typeof value === 'function') return value as ApiKey;
  if (value === null) return undefined;
  const problem = keyProblem(value);
  if (problem !== undefined) throw new ConfigurationError(`the API key cannot be sent: ${problem}`);
  return value as string;
}

function keyOfEnvironment(): ApiKey {
  const key = checkKey(environmentVariable('PETSTORE_API_KEY') ?? null);
  if (key !== undefined) return key;
  throw new ConfigurationError(`no API key: ${howToSet('apiKey', 'PETSTORE_API_KEY')}`);
}

/** A key in the code of a page is public. The keys of the mock are no secret. */
function checkKeyInPage(key: ApiKey): void {
  if (typeof key === 'function' || !isBrowserPage()) return;
  if (isMockKey(key)) return;
  throw new ConfigurationError(
    'apiKey is a string in a browser, where every visitor of the page can read it: call the service from a server, ' +
      "or pass a function that returns the visitor's own key. To allow it, set dangerouslyAllowBrowser: true",
  );
}

/** A base address as text. Other values fail the check of the address, whose message says what to pass. */
function address(value: unknown): string {
  return typeof value === 'string' || value instanceof URL ? String(value) : '';
}
