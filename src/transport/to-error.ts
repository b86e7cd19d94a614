import { howToSet } from '../contract/environments.js';
import {
  ConfigurationError,
  ConnectionError,
  PetStoreError,
  RequestValidationError,
  ResponseValidationError,
  TimeoutError,
  type ErrorDetails,
} from '../errors/errors.js';
import { describeIssues, type Issue } from '../errors/issues.js';
import { safeCause, singleLine } from '../errors/redact.js';
import { isSafeMethod } from '../http/build-request.js';
import {
  CallbackError,
  DeadlineExceeded,
  describeFailure,
  InvalidBodyFailure,
  unsentRequest,
} from '../http/failures.js';
import { GateRefusedError, type RateLimit } from '../rate-limit/types.js';
import { isBrowser } from '../utils/platform.js';
import type { CallContext } from './call-context.js';
import {
  errorDetails,
  messageOf,
  mockHint,
  nextStep,
  shownIssue,
  shownMessage,
  shownText,
  usesMockKey,
} from './messages.js';
import { toRateLimitError } from './to-rate-limit-error.js';

/**
 * Turns whatever stopped a call into what its caller sees: one of our errors, free of the key, or the reason of an abort
 * as it is. `known` is the quota as the client knows it.
 */
export function toError(
  failure: unknown,
  context: CallContext,
  known: RateLimit | undefined,
): unknown {
  if (context.signal?.aborted) return context.signal.reason;
  if (failure instanceof GateRefusedError)
    return toRateLimitError(context, failure.reason, failure.retryAfter, known);
  const details = errorDetails(context);
  if (failure instanceof InvalidBodyFailure) return invalidBody(failure, context, details);
  if (failure instanceof DeadlineExceeded) return timedOut(failure, context, details);
  if (failure instanceof CallbackError) return callbackFailed(failure, context, details);
  if (failure instanceof RequestValidationError) {
    const issues = context.json(failure.issues, shownIssue) as Issue[];
    const message = singleLine(context.text(failure.message, shownText));
    return new RequestValidationError(message, { ...details, issues });
  }
  if (failure instanceof ConfigurationError)
    return new ConfigurationError(messageOf(context, context.text(failure.message)), details);
  if (failure instanceof PetStoreError) return failure;
  if (context.request === undefined) return unreadable(failure, context, details);
  return connectionFailed(failure, context, details);
}

function invalidBody(
  { message, raw, issues, cause }: InvalidBodyFailure,
  context: CallContext,
  details: ErrorDetails,
): ResponseValidationError {
  const { status } = raw.response;
  const next = isSafeMethod(context.request)
    ? undefined
    : 'the request took effect: do not send it again';
  const what = issues.length === 0 ? message : `${message}: ${describeIssues(issues)}`;
  return new ResponseValidationError(
    messageOf(context, `${status}, but ${context.text(what, shownIssue)}`, next),
    {
      ...details,
      cause: safeCause(cause, context.keys),
      issues: context.json(issues, shownIssue) as Issue[],
      status,
      text: context.text(raw.text, shownText),
    },
  );
}

function timedOut(
  { option, ms }: DeadlineExceeded,
  context: CallContext,
  details: ErrorDetails,
): TimeoutError {
  const { attempts, isUnsure, request } = context;
  const status = attempts.at(-1)?.failure === 'timeout' ? attempts.at(-1)?.status : undefined;
  const what =
    status === undefined
      ? `no response within ${option} (${ms} ms)`
      : `${status}, but no complete body within ${option} (${ms} ms)`;
  const raise = `${isUnsure ? '' : 'it was not processed: '}raise ${option}, or try again later`;
  const next =
    status !== undefined && !isSafeMethod(request)
      ? 'the request took effect: do not send it again'
      : attempts.length > 0
        ? nextStep(context, raise)
        : 'nothing was sent';
  const requestSent = status !== undefined ? 'yes' : isUnsure ? 'unknown' : 'no';
  return new TimeoutError(messageOf(context, what, next), { ...details, requestSent });
}

/** A function of the caller failed. A `fetch` that was called, but gave no response, may have sent the request. */
function callbackFailed(
  failure: CallbackError,
  context: CallContext,
  details: ErrorDetails,
): ConfigurationError {
  const cause = safeCause(failure.cause, context.keys);
  const reason = cause === undefined ? '' : `: ${cause.message.slice(0, shownMessage)}`;
  const why = context.text(failure.message) + reason;
  const message = messageOf(context, why, nextStep(context, undefined));
  return new ConfigurationError(message, { ...details, cause });
}

/** For example, a getter of an argument throws. */
function unreadable(
  failure: unknown,
  context: CallContext,
  details: ErrorDetails,
): RequestValidationError {
  const cause = safeCause(failure, context.keys);
  const message = `cannot be read: ${(cause?.message ?? 'no reason given').slice(0, shownMessage)}`;
  return new RequestValidationError(
    singleLine(`${details.operation}: the arguments ${message}. Nothing was sent.`),
    { ...details, cause, issues: [{ path: [], message }] },
  );
}

function connectionFailed(
  failure: unknown,
  context: CallContext,
  details: ErrorDetails,
): ConnectionError {
  const { baseUrl, fetch, ...config } = context.config;
  const cause = safeCause(failure, context.keys);
  const { code, reason } = describeFailure(failure);
  const unsent = unsentRequest(failure);
  const what = context.text(reason || 'no reason given').slice(0, shownMessage);
  // A fetch of the caller's own need not use the address.
  const placeholderFor = fetch === undefined ? config.placeholderFor : undefined;
  const steps: (string | undefined)[] = [];
  if (unsent === undefined) steps.push(nextStep(context, 'try again later'));
  else if (placeholderFor === undefined)
    steps.push(
      unsent.nextStep ??
        `the service was not reached at ${baseUrl}: check the address and the network`,
    );
  if (placeholderFor !== undefined)
    steps.push(`${baseUrl} is only a placeholder: ${howToSet('baseUrl', placeholderFor)}`);
  if (placeholderFor !== undefined || (fetch === undefined && usesMockKey(context)))
    steps.push(mockHint);
  // A page is not told why a request failed. Its console says it.
  const isHidden = code === undefined && cause?.name === 'TypeError' && isBrowser();
  const cors = isHidden ? ', or the browser blocked it (CORS): see the console' : '';
  return new ConnectionError(
    messageOf(context, `the connection failed (${what})${cors}`, steps.join('; ')),
    {
      ...details,
      cause,
      code: code === undefined ? undefined : context.text(code),
      requestSent: context.isUnsure ? 'unknown' : 'no',
    },
  );
}
