import {
  checkHeaders,
  checkNames,
  checkRetry,
  checkTimeout,
  inRange,
  oneOf,
  type Config,
} from './config.js';
import { ConfigurationError } from '../errors/errors.js';
import type { RequestOptions, Validation } from './options.js';
import type { Priority } from '../rate-limit/types.js';

/** How long an attempt may take, and which option says so. */
export interface Bound {
  readonly ms: number;
  readonly name: 'timeout' | 'totalTimeout';
  /** The value of the option, for messages. */
  readonly option: number;
}

/** The options of one call, over those of its client. */
export interface ResolvedRequestOptions {
  readonly timeout: number | false;
  readonly totalTimeout: number | false;
  /** The moment, monotonic ms, at which the whole call must be over. */
  readonly deadline: number;
  readonly maxWait: number;
  readonly retryLimit: number;
  readonly validation: Validation;
  readonly priority: Priority;
  readonly headers: Headers;
}

const known: ReadonlySet<string> = new Set([
  'signal',
  'timeout',
  'totalTimeout',
  'headers',
  'retry',
  'maxWait',
  'validation',
  'priority',
] satisfies (keyof RequestOptions)[]);

/** The signal of a call, if what was given is one. Not by instanceof: it may come from another realm, as that of a test environment. */
export function signalOf(options: RequestOptions): AbortSignal | undefined {
  const signal = (options as RequestOptions | null)?.signal as
    Partial<AbortSignal> | null | undefined;
  return typeof signal?.addEventListener === 'function' && typeof signal.aborted === 'boolean'
    ? (signal as AbortSignal)
    : undefined;
}

/** Checks the options of a call. Throws a {@link ConfigurationError} that names the option. */
export function resolveRequestOptions(
  config: Config,
  options: RequestOptions,
): ResolvedRequestOptions {
  checkNames('option of the call', options, known);
  if (options.signal !== undefined && signalOf(options) === undefined)
    throw new ConfigurationError(
      'signal must be an AbortSignal: of an AbortController, pass its signal',
    );
  const totalTimeout = checkTimeout('totalTimeout', options.totalTimeout) ?? config.totalTimeout;
  return {
    timeout: checkTimeout('timeout', options.timeout) ?? config.timeout,
    totalTimeout,
    deadline: totalTimeout === false ? Infinity : config.clock.monotonic() + totalTimeout,
    maxWait:
      inRange('maxWait', options.maxWait, 0, 'ms') ??
      (config.rateLimit === false ? Infinity : config.rateLimit.maxWait),
    retryLimit: checkRetry(options.retry) ?? config.retryLimit,
    validation:
      oneOf('validation', options.validation, ['tolerant', 'strict']) ?? config.validation,
    priority: oneOf('priority', options.priority, ['normal', 'high']) ?? 'normal',
    headers:
      options.headers === undefined
        ? config.headers
        : merged(config.headers, checkHeaders(options.headers)),
  };
}

/** What bounds an attempt that begins now: its own timeout, or what is left of the whole call's. */
export function boundOf(
  { timeout, totalTimeout, deadline }: ResolvedRequestOptions,
  now: number,
): Bound | undefined {
  const left = deadline - now;
  if (totalTimeout !== false && (timeout === false || left <= timeout))
    return { ms: left, name: 'totalTimeout', option: totalTimeout };
  return timeout === false ? undefined : { ms: timeout, name: 'timeout', option: timeout };
}

function merged(base: Headers, over: Headers): Headers {
  const headers = new Headers(base);
  over.forEach((value, name) => headers.set(name, value));
  return headers;
}
