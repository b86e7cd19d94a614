import type { Priority } from '../rate-limit/types.js';
import type { HeadersFunction, RequestOptions, Validation } from './options.js';
import {
  checkGiven,
  checkOptions,
  headers,
  must,
  numberFrom,
  oneOf,
  rule,
  textOf,
  timeout,
  type Checks,
  type HeaderRecord,
} from './validate.js';

/** The options of one call, each with a value: of the call, or of the client. */
export interface ResolvedRequestOptions {
  readonly signal: AbortSignal | undefined;
  readonly timeout: number | false;
  readonly totalTimeout: number | false;
  readonly maxWait: number;
  readonly maxHold: number;
  /** Attempts after the first. */
  readonly retry: number;
  readonly validation: Validation;
  readonly priority: Priority;
  /** In order: a later source takes the place of an earlier one. */
  readonly headers: readonly HeaderSource[];
}

/** Headers for every attempt, or a function that gives those of one. */
export type HeaderSource = HeaderRecord | HeadersFunction;

function headerSource(value: unknown): HeaderSource {
  return typeof value === 'function' ? (value as HeadersFunction) : headers(value);
}

/** Attempts after the first: `retry.limit`. */
function retry(value: unknown): number {
  const text = textOf('retry', 'an object of options, such as { limit: 2 }');
  const limit = must<number>(
    'an integer from 0 to 10',
    (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 10,
  );
  return checkOptions(text, { limit: rule(limit, 2) }, value).limit;
}

/** `instanceof` is not used, because the signal may come from another realm, such as a test environment. */
function isSignal(value: unknown): value is AbortSignal {
  const signal = value as Partial<AbortSignal> | null | undefined;
  return typeof signal?.addEventListener === 'function' && typeof signal.aborted === 'boolean';
}

/** The signal of a call, if the value is a signal. */
export function signalOf(options: RequestOptions | undefined): AbortSignal | undefined {
  const signal = options?.signal;
  return isSignal(signal) ? signal : undefined;
}

/** The options that a client and a call both have. */
export const sharedRules = /* @__PURE__ */ (() => ({
  timeout: rule(timeout, 10_000),
  totalTimeout: rule(timeout, false as const),
  headers: rule(headerSource, undefined),
  retry: rule(retry, 2),
  validation: rule(oneOf(['tolerant', 'strict']), 'tolerant' as const),
}))();

export const requestChecks = /* @__PURE__ */ (() =>
  ({
    ...sharedRules,
    signal: {
      check: must<AbortSignal>('an AbortSignal (of an AbortController, pass its signal)', isSignal),
    },
    maxWait: { check: numberFrom(0, 'ms') },
    maxHold: { check: numberFrom(0, 'ms') },
    priority: { check: oneOf(['normal', 'high']) },
  }) satisfies Checks & Record<keyof RequestOptions, unknown>)();

const requestText = {
  kind: 'option of the call',
  prefix: '',
  mustBe: 'the options of the call must be an object, such as { signal, timeout: 5000 }',
};

/** Validates the options of a call. Absent options have the values of `defaults`. Throws a {@link ConfigurationError} that names the option. */
export function resolveRequestOptions(
  options: RequestOptions,
  defaults: ResolvedRequestOptions,
): ResolvedRequestOptions {
  const { headers: own, ...given } = checkGiven(requestText, requestChecks, options);
  const headers = own === undefined ? defaults.headers : [...defaults.headers, own];
  return { ...defaults, ...given, headers };
}
