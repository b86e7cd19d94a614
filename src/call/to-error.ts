import { howToSet } from '../contract/environments.js';
import {
  ConfigurationError,
  ConnectionError,
  RequestValidationError,
  ResponseValidationError,
  TimeoutError,
  type PetStoreError,
} from '../errors/errors.js';
import { describeIssues } from '../errors/issues.js';
import { safeCause, singleLine } from '../errors/redact.js';
import { DeadlineExceeded, describeFailure, ResponseFailure } from '../http/failures.js';
import { isMockKey } from '../options/api-key.js';
import { GateRefusedError } from '../rate-limit/types.js';
import { isBrowser } from '../utils/platform.js';
import type { Call } from './call.js';
import { describeRateLimit } from './rate-limit-error.js';
import { describeStatus, mockHint, shownLength, type Description } from './status-error.js';

const tookEffect = 'the request took effect: do not send it again';

/** Converts a failure to the error that the caller receives, without the key. Its message, in one line: what happened, after how many attempts, and what to do next. */
export function toError(failure: unknown, call: Call): PetStoreError {
  const [Type, what, next, fields] = descriptionOf(failure, call);
  const { attempts, subject, url } = call;
  const count = attempts.length > 1 ? ` (${attempts.length} attempts)` : '';
  const message = `${subject}: ${what}${count}${next ? `; ${next}` : ''}`;
  const details = { operation: call.redact(call.operation), attempts, url, curl: toCurl(call) };
  return new Type(singleLine(message), { ...details, ...fields });
}

function descriptionOf(failure: unknown, call: Call): Description {
  if (failure instanceof ConfigurationError) return misconfigured(failure, call);
  if (call.request === undefined) return notBuilt(failure, call);
  if (failure instanceof GateRefusedError) return describeRateLimit(failure, call);
  if (failure instanceof DeadlineExceeded) return timedOut(failure, call);
  if (!(failure instanceof ResponseFailure)) return connectionFailed(failure, call);
  const { ok, status } = failure.raw.response;
  if (ok) return invalidBody(failure, call);
  return status === 429 ? describeRateLimit(undefined, call) : describeStatus(failure.raw, call);
}

/** An option is wrong, or a function of the caller failed. A `fetch` that was called, but gave no response, may have sent the request. */
function misconfigured(failure: ConfigurationError, call: Call): Description {
  const cause = safeCause(failure.cause, call.keys);
  const reason = cause ? `: ${cause.message.slice(0, shownLength.message)}` : '';
  const what = call.redact(failure.message) + reason;
  return [ConfigurationError, what, call.nextStep(undefined), { cause }];
}

/** Arguments are wrong, or a getter of an argument throws. */
function notBuilt(failure: unknown, call: Call): Description {
  const isRead = failure instanceof RequestValidationError;
  const cause = isRead ? undefined : safeCause(failure, call.keys);
  const unread = `cannot be read: ${cause?.message ?? 'no reason given'}`;
  const issues = isRead ? failure.issues : [{ path: [], message: unread }];
  const what = call.redact(describeIssues(issues, 'the argument'), shownLength.text);
  const fields = { cause, issues: call.redact(issues, shownLength.issue) };
  return [RequestValidationError, what, 'nothing was sent', fields];
}

function invalidBody({ message, raw, issues, cause }: ResponseFailure, call: Call): Description {
  const { status } = raw.response;
  const what = issues.length === 0 ? message : `${message}: ${describeIssues(issues)}`;
  // Each issue already says what is expected, and so does the message about a schema that threw.
  const isBody = issues.length === 0 && cause === undefined;
  const reread = isBody ? 'try again later, or check baseUrl' : undefined;
  return [
    ResponseValidationError,
    `${status}, but ${call.redact(what, shownLength.issue)}`,
    call.request?.isSafe ? reread : tookEffect,
    {
      cause: safeCause(cause, call.keys),
      issues: call.redact(issues, shownLength.issue),
      status,
      text: call.redact(raw.text, shownLength.text),
    },
  ];
}

function timedOut({ option }: DeadlineExceeded, call: Call): Description {
  const { attempts, request, requestSent } = call;
  const last = attempts.at(-1);
  // After any other status, the next attempt took too long. After a complete body, the schema took too long.
  const status = String(last?.status).startsWith('2') ? last?.status : undefined;
  const part = last?.failure === undefined ? 'verdict of the schema' : 'complete body';
  const missing = status === undefined ? 'no response' : `${status}, but no ${part}`;
  const unsent = last ? 'it was not processed: ' : 'nothing was sent: ';
  const raise = `raise ${option}, or try again later`;
  const next = call.nextStep(requestSent === 'no' ? unsent + raise : raise);
  return [
    TimeoutError,
    `${missing} within ${option} (${call.config[option]} ms)`,
    status === undefined || request?.isSafe ? next : tookEffect,
    { requestSent: status === undefined ? requestSent : 'yes' },
  ];
}

function connectionFailed(failure: unknown, call: Call): Description {
  const { baseUrl, fetch, placeholderFor: variable } = call.config;
  const cause = safeCause(failure, call.keys);
  const [code, reason, unsent] = describeFailure(failure);
  // A custom fetch may ignore the address, unless it failed to connect.
  const isPlatform = fetch === undefined;
  const placeholderFor = isPlatform || unsent !== undefined ? variable : undefined;
  const unreached = `the service was not reached at ${baseUrl}: check the address and the network`;
  const steps: (string | undefined)[] = [];
  if (unsent === undefined) steps.push(call.nextStep('try again later'));
  else if (placeholderFor === undefined) steps.push(unsent[1] || unreached);
  if (placeholderFor !== undefined)
    steps.push(`${baseUrl} is only a placeholder: ${howToSet('baseUrl', placeholderFor)}`);
  if (isPlatform && (placeholderFor !== undefined || isMockKey(call.keys.at(-1))))
    steps.push(mockHint);
  // A browser shows the reason only on its console.
  const isHidden = code === undefined && cause?.name === 'TypeError' && isBrowser();
  const cors = isHidden ? ', or the browser blocked it (CORS): see the console' : '';
  const shown = call.redact(reason || 'no reason given', shownLength.message);
  return [
    ConnectionError,
    `the connection failed (${shown})${cors}`,
    steps.join('; '),
    { cause, code: code && call.redact(code), requestSent: call.requestSent },
  ];
}

/** The request of a call as a `curl` command that can be pasted. It contains a shell variable in place of the API key. */
function toCurl(call: Call): string | undefined {
  if (call.request === undefined) return undefined;
  const { method, url, body, contentType } = call.request;
  const quote = (text: string) => `'${call.redact(text).replaceAll("'", `'\\''`)}'`;
  const words = [
    // -g: curl does not treat brackets and braces in an address as patterns.
    method === 'HEAD' ? 'curl -g --head' : `curl -g -i -X ${method}`,
    quote(url),
    `-H "Authorization: Bearer $PETSTORE_API_KEY"`,
  ];
  const data = typeof body === 'string' ? `--data-raw ${quote(body)}` : '--data-binary @BODY';
  if (body !== undefined) words.push(`-H ${quote(`Content-Type: ${contentType}`)}`, data);
  return words.join(' ');
}
