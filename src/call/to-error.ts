import { howToSet } from '../contract/environments.js';
import {
  ConfigurationError,
  ConnectionError,
  RequestValidationError,
  ResponseValidationError,
  TimeoutError,
  type ErrorDetails,
  type PetStoreError,
} from '../errors/errors.js';
import { describeIssues, type Issue } from '../errors/issues.js';
import { safeCause, singleLine } from '../errors/redact.js';
import {
  CallbackError,
  DeadlineExceeded,
  describeFailure,
  unsentRequest,
} from '../http/failures.js';
import { ResponseFailure } from '../http/fetch.js';
import { GateRefusedError, type RateLimit } from '../rate-limit/types.js';
import { isBrowser } from '../utils/platform.js';
import type { CallContext } from './call-context.js';
import { describeRateLimit } from './describe-rate-limit.js';
import {
  describeStatus,
  mockHint,
  shownMessage,
  shownText,
  usesMockKey,
  type Description,
} from './describe-status.js';

/** The largest number of characters that an error keeps of an issue. */
const shownIssue = 500;

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
  if (context.request === undefined && !(failure instanceof CallbackError))
    return notBuilt(failure, context);
  const [Type, what, next, fields] = describe(failure, context, known);
  return new Type(context.message(what, next), { ...detailsOf(context), ...fields });
}

function describe(
  failure: unknown,
  context: CallContext,
  known: RateLimit | undefined,
): Description {
  if (failure instanceof GateRefusedError) return describeRateLimit(failure, context, known);
  if (failure instanceof ResponseFailure) {
    const { ok, status } = failure.raw.response;
    if (ok) return invalidBody(failure, context);
    return status === 429
      ? describeRateLimit(failure, context, known)
      : describeStatus(failure.raw, context);
  }
  if (failure instanceof DeadlineExceeded) return timedOut(failure, context);
  if (failure instanceof CallbackError) return callbackFailed(failure, context);
  return connectionFailed(failure, context);
}

/** Options or arguments are wrong, or a getter of an argument throws. Nothing was sent. */
function notBuilt(failure: unknown, context: CallContext): PetStoreError {
  const details = detailsOf(context);
  if (failure instanceof ConfigurationError)
    return new ConfigurationError(
      context.message(context.text(failure.message), undefined),
      details,
    );
  const isInvalid = failure instanceof RequestValidationError;
  const cause = isInvalid ? undefined : safeCause(failure, context.keys);
  const unread = `cannot be read: ${cause?.message ?? 'no reason given'}`;
  const issues = isInvalid ? failure.issues : [{ path: [], message: unread }];
  const problem = `${context.operation}: ${describeIssues(issues, 'the argument')}`;
  return new RequestValidationError(
    `${singleLine(context.text(problem, shownText))}. Nothing was sent.`,
    { ...details, cause, issues: safeIssues(issues, context) },
  );
}

function invalidBody(failure: ResponseFailure, context: CallContext): Description {
  const { message, raw, issues, cause } = failure;
  const { status } = raw.response;
  const what = issues.length === 0 ? message : `${message}: ${describeIssues(issues)}`;
  return [
    ResponseValidationError,
    `${status}, but ${context.text(what, shownIssue)}`,
    context.isSafe ? undefined : tookEffect,
    {
      cause: safeCause(cause, context.keys),
      issues: safeIssues(issues, context),
      status,
      text: context.text(raw.text, shownText),
    },
  ];
}

const tookEffect = 'the request took effect: do not send it again';

function timedOut({ option, ms }: DeadlineExceeded, context: CallContext): Description {
  const { attempts, isUnsure, isSafe } = context;
  const last = attempts.at(-1);
  // After a response that was read whole, only its schema can take so long.
  const isRead = last?.failure === undefined && Math.floor(Number(last?.status) / 100) === 2;
  const status = isRead || last?.failure === 'timeout' ? last?.status : undefined;
  const part = isRead ? 'verdict of the schema' : 'complete body';
  const missing = status === undefined ? 'no response' : `${status}, but no ${part}`;
  const raise = `${isUnsure ? '' : 'it was not processed: '}raise ${option}, or try again later`;
  const next = last === undefined ? 'nothing was sent' : context.nextStep(raise);
  return [
    TimeoutError,
    `${missing} within ${option} (${ms} ms)`,
    status === undefined || isSafe ? next : tookEffect,
    { requestSent: status !== undefined ? 'yes' : isUnsure ? 'unknown' : 'no' },
  ];
}

/** A function of the caller failed. A `fetch` that was called, but gave no response, may have sent the request. */
function callbackFailed(failure: CallbackError, context: CallContext): Description {
  const cause = safeCause(failure.cause, context.keys);
  const reason = cause === undefined ? '' : `: ${cause.message.slice(0, shownMessage)}`;
  const what = context.text(failure.message) + reason;
  return [ConfigurationError, what, context.nextStep(undefined), { cause }];
}

function connectionFailed(failure: unknown, context: CallContext): Description {
  const { baseUrl, fetch, ...config } = context.config;
  const cause = safeCause(failure, context.keys);
  const { code, reason } = describeFailure(failure);
  const unsent = unsentRequest(failure);
  // A fetch of the caller's own need not use the address.
  const placeholderFor = fetch === undefined ? config.placeholderFor : undefined;
  const steps: (string | undefined)[] = [];
  if (unsent === undefined) steps.push(context.nextStep('try again later'));
  else if (placeholderFor === undefined)
    steps.push(
      unsent[1] || `the service was not reached at ${baseUrl}: check the address and the network`,
    );
  if (placeholderFor !== undefined)
    steps.push(`${baseUrl} is only a placeholder: ${howToSet('baseUrl', placeholderFor)}`);
  if (placeholderFor !== undefined || (fetch === undefined && usesMockKey(context)))
    steps.push(mockHint);
  // A page is not told why a request failed. Its console says it.
  const isHidden = code === undefined && cause?.name === 'TypeError' && isBrowser();
  const cors = isHidden ? ', or the browser blocked it (CORS): see the console' : '';
  return [
    ConnectionError,
    `the connection failed (${context.text(reason || 'no reason given').slice(0, shownMessage)})${cors}`,
    steps.join('; '),
    {
      cause,
      code: code === undefined ? undefined : context.text(code),
      requestSent: context.isUnsure ? 'unknown' : 'no',
    },
  ];
}

function safeIssues(issues: readonly Issue[], context: CallContext): Issue[] {
  return context.json(issues, shownIssue) as Issue[];
}

/** The details that every error of a call has. */
function detailsOf(context: CallContext): ErrorDetails {
  const { operation, attempts, url } = context;
  return { operation: context.text(operation), attempts, url, curl: toCurl(context) };
}

/** The request of a call as a `curl` command that can be pasted. It contains a shell variable in place of the API key. */
function toCurl(context: CallContext): string | undefined {
  const { request } = context;
  if (request === undefined) return undefined;
  const words = [
    // -g: curl does not treat brackets and braces in an address as patterns.
    request.method === 'HEAD' ? 'curl -g --head' : `curl -g -i -X ${request.method}`,
    quote(context.text(request.url)),
    `-H "Authorization: Bearer $PETSTORE_API_KEY"`,
  ];
  const { body, contentType } = request;
  if (body !== undefined)
    words.push(
      `-H ${quote(context.text(`Content-Type: ${contentType}`))}`,
      typeof body === 'string' ? `--data-raw ${quote(context.text(body))}` : '--data-binary @BODY',
    );
  return words.join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
