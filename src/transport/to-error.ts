import {
  ConfigurationError,
  ConnectionError,
  PetStoreError,
  RequestValidationError,
  ResponseValidationError,
  TimeoutError,
  type ErrorDetails,
  type Issue,
} from '../errors/errors.js';
import { toCurl } from './curl.js';
import { Expired } from '../http/fetch.js';
import { BodyProblem, OwnFailure, Refused } from '../http/failures.js';
import { describeIssues, isHarmless } from '../http/build-request.js';
import { GateRefusal } from '../rate-limit/types.js';
import { rateLimited, refused, retryAfterOf } from './api-error.js';
import type { Run } from './call-context.js';
import { fieldsOf } from '../errors/redact.js';
import { about, advice, line, shownMessage, shownText, tries } from './messages.js';

/** Turns whatever stopped a call into what its caller sees: one of our errors, free of the key, or the reason of an abort as it is. */
export function toError(failure: unknown, run: Run): unknown {
  if (run.signal?.aborted) return run.signal.reason;
  const { scrub } = run;
  const details: ErrorDetails = { operation: scrub.text(run.operation), attempts: run.attempts, curl: toCurl(run, scrub) };
  if (failure instanceof GateRefusal) return rateLimited(run, details, failure.reason, failure.retryAfter);
  if (failure instanceof Refused && failure.answer.response.status === 429) {
    return rateLimited(run, details, 'attempts', retryAfterOf(failure.answer.response, run));
  }
  if (failure instanceof Refused) return refused(failure.answer, run, details);
  if (failure instanceof BodyProblem) return invalidBody(failure, run, details);
  if (failure instanceof Expired) return timedOut(failure, run, details);
  if (failure instanceof OwnFailure) {
    const cause = scrub.cause(failure.cause);
    const why = cause === undefined ? scrub.text(failure.message) : `${failure.message}: ${cause.message.slice(0, shownMessage)}`;
    return new ConfigurationError(line(`${about(run)}: ${why}`), { ...details, cause });
  }
  // Their messages may show what the caller has passed.
  if (failure instanceof RequestValidationError) {
    const issues = scrub.json(failure.issues) as Issue[];
    return new RequestValidationError(line(scrub.text(failure.message)), { ...details, issues });
  }
  if (failure instanceof ConfigurationError) return new ConfigurationError(line(`${about(run)}: ${scrub.text(failure.message)}`), details);
  if (failure instanceof PetStoreError) return failure;
  if (run.request === undefined) return unreadable(failure, run, details);
  return connectionLost(failure, run, { ...details, cause: scrub.cause(failure) });
}

/** An argument whose getter throws, say. */
function unreadable(failure: unknown, { scrub }: Run, details: ErrorDetails): RequestValidationError {
  const cause = scrub.cause(failure);
  const message = `cannot be read: ${cause === undefined ? 'no reason given' : cause.message.slice(0, shownMessage)}`;
  return new RequestValidationError(line(`${details.operation}: the arguments ${message}. Nothing was sent.`), {
    ...details,
    cause,
    issues: [{ path: [], message }],
  });
}

function timedOut({ bound }: Expired, run: Run, details: ErrorDetails): TimeoutError {
  const sent = run.attempts.length > 0;
  const what = `${about(run)}: no answer within ${bound.name} (${bound.option} ms)${tries(run)}`;
  return new TimeoutError(`${what}; ${sent ? advice(run, `raise ${bound.name}, or try again later`) : 'nothing was sent'}`, {
    ...details,
    requestSent: sent ? 'unknown' : 'no',
  });
}

const notConnected =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

function connectionLost(failure: unknown, run: Run, details: ErrorDetails): ConnectionError {
  const { config, scrub } = run;
  const codes = codesOf(failure);
  const code = codes.find((one) => notConnected.test(one));
  const what = scrub.text(code ?? codes[0] ?? details.cause?.message ?? 'no reason given').slice(0, shownMessage);
  const placeholder =
    config.placeholderFor === undefined
      ? []
      : [`${config.baseUrl} is only a placeholder: set the variable ${config.placeholderFor}, or pass baseUrl`];
  const [notReached] = [...placeholder, `the service was not reached at ${config.baseUrl}: check the address and the network`];
  const next = code === undefined ? [advice(run, 'try again later'), ...placeholder].join('; ') : notReached;
  return new ConnectionError(line(`${about(run)}: the connection failed (${what})${tries(run)}; ${next}`), {
    ...details,
    requestSent: code === undefined && run.attempts.length > 0 ? 'unknown' : 'no',
  });
}

/** The codes of an error and its causes, outermost first. */
function codesOf(failure: unknown, depth = 0): string[] {
  if (typeof failure !== 'object' || failure === null || depth > 5) return [];
  const { code, cause, errors } = fieldsOf(failure);
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])].flatMap((one) => codesOf(one, depth + 1));
  return typeof code === 'string' ? [code, ...inner] : inner;
}

function invalidBody({ message, answer, issues }: BodyProblem, run: Run, details: ErrorDetails): ResponseValidationError {
  const { scrub } = run;
  const { status } = answer.response;
  const effect = run.request !== undefined && isHarmless(run.request) ? '' : '; the request took effect: do not send it again';
  const what = issues.length === 0 ? message : `${message}: ${describeIssues(issues)}`;
  return new ResponseValidationError(line(`${about(run)}: ${status}, but ${scrub.text(what)}${tries(run)}${effect}`), {
    ...details,
    issues: scrub.json(issues) as Issue[],
    status,
    text: scrub.text(answer.text).slice(0, shownText),
  });
}
