import {
  ConfigurationError,
  ConnectionError,
  PetStoreError,
  RequestValidationError,
  ResponseValidationError,
  TimeoutError,
  type ErrorDetails,
} from '../errors/errors.js';
import { howToSet } from '../contract/environments.js';
import {
  CallbackError,
  codesOf,
  DeadlineExceeded,
  InvalidBodyFailure,
  unconnectedCode,
} from '../http/failures.js';
import { isSafeMethod } from '../http/build-request.js';
import { describeIssues, type Issue } from '../errors/issues.js';
import { GateRefusedError, type RateLimit } from '../rate-limit/types.js';
import { isBrowser } from '../utils/platform.js';
import { toRateLimitError } from './to-rate-limit-error.js';
import type { CallContext } from './call-context.js';
import {
  nextStep,
  messageOf,
  singleLine,
  shownIssue,
  shownMessage,
  shownText,
  errorDetails,
  mockHint,
  usesMockKey,
} from './messages.js';

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
  const { redactor } = context;
  if (failure instanceof GateRefusedError)
    return toRateLimitError(context, failure.reason, failure.retryAfter, known);
  const details = errorDetails(context);
  if (failure instanceof InvalidBodyFailure) return invalidBody(failure, context, details);
  if (failure instanceof DeadlineExceeded) return timedOut(failure, context, details);
  if (failure instanceof CallbackError) {
    const cause = redactor.cause(failure.cause);
    const reason = cause === undefined ? '' : `: ${cause.message.slice(0, shownMessage)}`;
    const why = redactor.text(failure.message) + reason;
    // A fetch that was called, but gave no response, may have sent the request.
    const message = messageOf(context, why, nextStep(context, undefined));
    return new ConfigurationError(message, { ...details, cause });
  }
  // Their messages may contain values that the caller passed.
  if (failure instanceof RequestValidationError) {
    const issues = redactor.json(failure.issues, shownIssue) as Issue[];
    return new RequestValidationError(singleLine(redactor.text(failure.message, shownText)), {
      ...details,
      issues,
    });
  }
  if (failure instanceof ConfigurationError)
    return new ConfigurationError(messageOf(context, redactor.text(failure.message)), details);
  if (failure instanceof PetStoreError) return failure;
  if (context.request === undefined) return unreadable(failure, context, details);
  return connectionLost(failure, context, { ...details, cause: redactor.cause(failure) });
}

/** For example, a getter of an argument throws. */
function unreadable(
  failure: unknown,
  { redactor }: CallContext,
  details: ErrorDetails,
): RequestValidationError {
  const cause = redactor.cause(failure);
  const why = cause?.message ?? 'no reason given';
  const message = `cannot be read: ${why.slice(0, shownMessage)}`;
  return new RequestValidationError(
    singleLine(`${details.operation}: the arguments ${message}. Nothing was sent.`),
    {
      ...details,
      cause,
      issues: [{ path: [], message }],
    },
  );
}

function timedOut(
  { option, ms }: DeadlineExceeded,
  context: CallContext,
  details: ErrorDetails,
): TimeoutError {
  const { attempts, isUnsure } = context;
  const raise = `${isUnsure ? '' : 'it was not processed: '}raise ${option}, or try again later`;
  const next = attempts.length > 0 ? nextStep(context, raise) : 'nothing was sent';
  const message = messageOf(context, `no response within ${option} (${ms} ms)`, next);
  return new TimeoutError(message, { ...details, requestSent: isUnsure ? 'unknown' : 'no' });
}

function connectionLost(
  failure: unknown,
  context: CallContext,
  details: ErrorDetails,
): ConnectionError {
  const { config, redactor } = context;
  const codes = codesOf(failure);
  const code = unconnectedCode(failure);
  const what = redactor
    .text(code ?? codes[0] ?? details.cause?.message ?? 'no reason given')
    .slice(0, shownMessage);
  const { baseUrl, fetch } = config;
  // A fetch of the caller's own need not use the address.
  const placeholderFor = fetch === undefined ? config.placeholderFor : undefined;
  const next =
    code === undefined
      ? [nextStep(context, 'try again later')]
      : placeholderFor === undefined
        ? [`the service was not reached at ${baseUrl}: check the address and the network`]
        : [];
  if (placeholderFor !== undefined)
    next.push(`${baseUrl} is only a placeholder: ${howToSet('baseUrl', placeholderFor)}`);
  if (placeholderFor !== undefined || (!fetch && usesMockKey(context))) next.push(mockHint);
  // A page is not told why a request failed. Its console says it.
  const cors =
    codes.length === 0 && details.cause?.name === 'TypeError' && isBrowser()
      ? ', or the browser blocked it (CORS): see the console'
      : '';
  const requestSent = context.isUnsure ? 'unknown' : 'no';
  return new ConnectionError(
    messageOf(context, `the connection failed (${what})${cors}`, next.join('; ')),
    { ...details, requestSent },
  );
}

function invalidBody(
  { message, raw, issues }: InvalidBodyFailure,
  context: CallContext,
  details: ErrorDetails,
): ResponseValidationError {
  const { redactor } = context;
  const { status } = raw.response;
  const next = isSafeMethod(context.request)
    ? undefined
    : 'the request took effect: do not send it again';
  const what = issues.length === 0 ? message : `${message}: ${describeIssues(issues)}`;
  return new ResponseValidationError(
    messageOf(context, `${status}, but ${redactor.text(what, shownIssue)}`, next),
    {
      ...details,
      issues: redactor.json(issues, shownIssue) as Issue[],
      status,
      text: redactor.text(raw.text, shownText),
    },
  );
}
