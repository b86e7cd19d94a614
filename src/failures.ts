import { ErrorSchema } from './contract/schemas.js';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  PetStoreError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
  type ApiErrorDetails,
  type ErrorDetails,
  type Issue,
  type RequestSent,
} from './errors.js';
import { Expired, type Answer } from './exchange.js';
import { describeIssues } from './prepare.js';
import { readRateLimit, readRetryAfter } from './rate-limit/headers.js';
import { parseHttpDate } from './rate-limit/http-date.js';
import { GateRefusal } from './rate-limit/types.js';
import type { Run } from './run.js';
import { createScrubber, shownHeaders, type Scrubber } from './secrets.js';
import { toCurl } from './curl.js';

/** The key function threw, or its promise rejected. */
export class KeyFailure extends Error {
  constructor(cause: unknown) {
    super('the key function failed', { cause });
  }
}

/** The service answered, and not with success. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('refused');
    this.answer = answer;
  }
}

/** The answer says success, and its body is not what the contract says. */
export class BodyProblem extends Error {
  readonly answer: Answer;
  readonly issues: readonly Issue[];

  constructor(message: string, answer: Answer, issues: readonly Issue[] = []) {
    super(message);
    this.answer = answer;
    this.issues = issues;
  }
}

const shownText = 1_000;
const shownMessage = 200;

/** Turns whatever stopped a call into what its caller sees: one of our errors, free of the key, or the reason of an abort as it is. */
export function toError(failure: unknown, run: Run): unknown {
  if (run.signal?.aborted) return run.signal.reason;
  if (failure instanceof PetStoreError) return failure;
  const scrub = createScrubber(run.keys);
  const details: ErrorDetails = { operation: run.operation, attempts: run.attempts, curl: toCurl(run, scrub) };
  if (failure instanceof GateRefusal) return rateLimited(run, scrub, details, failure.reason, failure.retryAfter);
  if (failure instanceof Refused && failure.answer.response.status === 429) {
    return rateLimited(run, scrub, details, 'attempts', retryAfterOf(failure.answer.response, run));
  }
  if (failure instanceof Refused) return refused(failure.answer, run, scrub, details);
  if (failure instanceof BodyProblem) return invalidBody(failure, run, scrub, details);
  if (failure instanceof Expired) {
    const { name, option } = failure.bound;
    const advice =
      run.request?.method === 'GET' ? `raise ${name}, or try again later` : 'it may have been processed: look before sending it again';
    return new TimeoutError(`${about(run)}: no answer within ${name} (${option} ms)${tries(run)}; ${advice}`, {
      ...details,
      requestSent: 'unknown',
    });
  }
  const cause = scrub.cause(failure instanceof KeyFailure ? failure.cause : failure);
  if (failure instanceof KeyFailure) {
    return new ConfigurationError(`${about(run)}: the function apiKey failed${cause === undefined ? '' : `: ${cause.message}`}`, {
      ...details,
      cause,
    });
  }
  return connectionLost(failure, run, { ...details, cause });
}

/** `createPet on staging`. */
function about({ operation, config }: Run): string {
  return `${operation} on ${config.label}`;
}

function tries({ attempts }: Run): string {
  return attempts.length > 1 ? ` (${attempts.length} attempts)` : '';
}

const notConnected =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

function connectionLost(failure: unknown, run: Run, details: ErrorDetails): ConnectionError {
  const codes = codesOf(failure);
  const code = codes.find((one) => notConnected.test(one));
  const requestSent: RequestSent = code === undefined ? 'unknown' : 'no';
  const advice =
    run.config.placeholderFor !== undefined
      ? `${run.config.baseUrl} is only a placeholder: set the variable ${run.config.placeholderFor}, or pass baseUrl`
      : requestSent === 'no'
        ? `the service was not reached at ${run.config.baseUrl}: check the address and the network`
        : run.request?.method === 'GET'
          ? 'try again later'
          : 'it may have been processed: look before sending it again';
  const what = code ?? codes[0] ?? details.cause?.message.slice(0, shownMessage) ?? 'no reason given';
  return new ConnectionError(`${about(run)}: the connection failed (${what})${tries(run)}; ${advice}`, { ...details, requestSent });
}

function codesOf(failure: unknown, depth = 0): string[] {
  if (typeof failure !== 'object' || failure === null || depth > 5) return [];
  const { code, cause, errors } = failure as { code?: unknown; cause?: unknown; errors?: unknown };
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])].flatMap((one) => codesOf(one, depth + 1));
  return typeof code === 'string' ? [code, ...inner] : inner;
}

function refused(answer: Answer, run: Run, scrub: Scrubber, details: ErrorDetails): ApiError {
  const { status } = answer.response;
  const api = apiDetails(answer, scrub, details);
  const is = (message: string) => `${about(run)}: ${message}${tries(run)}`;
  const text = is(`${status} ${summary(api)}`);
  if (status === 400) return new BadRequestError(`${text}; nothing was changed: mend the argument`, api);
  if (status === 401) return new AuthenticationError(`${text}; check the API key, and that it belongs to ${run.config.label}`, api);
  if (status === 404) return new NotFoundError(`${text}; check the identifier or path`, api);
  if (status >= 500) {
    const advice = run.request?.method === 'GET' ? 'try again later' : 'it may have been processed: look before sending it again';
    return new ServerError(`${text}; ${advice}`, api);
  }
  const redirect = status < 400;
  return new ApiError(
    redirect ? is(`${status || 'a redirect'}; redirects are refused, so that the API key stays with this address: check baseUrl`) : text,
    api,
  );
}

function apiDetails({ response, text }: Answer, scrub: Scrubber, details: ErrorDetails): ApiErrorDetails {
  const parsed = parse(text);
  const error = ErrorSchema.safeParse(parsed);
  return {
    ...details,
    status: response.status,
    code: error.success ? scrub.text(error.data.code) : undefined,
    body: parsed === undefined ? scrub.text(text.slice(0, shownText)) : scrub.json(parsed),
    headers: shownHeaders(response.headers, scrub),
    rateLimit: readRateLimit(response.headers),
  };
}

/** Error bodies are read with care: whatever a proxy sends must not hide the status. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function summary({ code, body }: ApiErrorDetails): string {
  const message = (body as { message?: unknown } | null | undefined)?.message;
  if (code !== undefined && typeof message === 'string') return `${code}: ${message.slice(0, shownMessage)}`;
  if (body === '') return 'with an empty body';
  return typeof body === 'string' && /^\s*</.test(body)
    ? 'with an HTML page, from a proxy perhaps'
    : 'with a body that is no error of the contract';
}

function rateLimited(
  run: Run,
  scrub: Scrubber,
  details: ErrorDetails,
  reason: RateLimitError['reason'],
  retryAfter: number | undefined,
): RateLimitError {
  const { clock, rateLimit } = run.config;
  const api: ApiErrorDetails =
    run.refusal === undefined
      ? { ...details, status: 429, code: undefined, body: undefined, headers: new Headers(), rateLimit: run.known() }
      : apiDetails(run.refusal, scrub, details);
  const retryAt = retryAfter === undefined ? undefined : new Date(clock.now() + retryAfter);
  const answered = run.attempts.some(({ status }) => status === 429);
  const requestSent = answered ? 'yes' : run.attempts.length > 0 ? 'unknown' : 'no';
  const because = {
    attempts: `429 ${run.refused === 1 ? 'and no gate to wait at' : `${run.refused} times`}`,
    hold: `the service holds this key longer than maxHold (${rateLimit === false ? 0 : rateLimit.maxHold} ms)`,
    wait: 'the wait for the rate limit would pass maxWait or totalTimeout',
    queue: `maxQueue (${rateLimit === false ? 0 : rateLimit.maxQueue}) calls wait for the rate limit already`,
  }[reason];
  const when = retryAt === undefined ? 'try again later' : `try again after ${retryAt.toISOString()}`;
  const text = `${about(run)}: ${because}${tries(run)}; it was not processed: ${when}`;
  return new RateLimitError(text, { ...api, reason, retryAfter, retryAt, requestSent });
}

/** The wait that a 429 tells, placed by its own Date header, else by the local clock. */
function retryAfterOf({ headers }: Response, { config }: Run): number | undefined {
  const now = parseHttpDate(headers.get('date') ?? '') ?? config.clock.now();
  const reset = readRateLimit(headers)?.resetAt.getTime();
  const told = readRetryAfter(headers.get('retry-after'), (instant) => instant - now, reset === undefined ? undefined : reset - now);
  return told ?? (reset === undefined ? undefined : Math.max(0, reset - now));
}

function invalidBody({ message, answer, issues }: BodyProblem, run: Run, scrub: Scrubber, details: ErrorDetails): ResponseValidationError {
  const { status } = answer.response;
  const effect = run.request?.method === 'GET' ? '' : '; the request took effect: do not send it again';
  const what = issues.length === 0 ? message : `${message}: ${describeIssues(issues)}`;
  return new ResponseValidationError(scrub.text(`${about(run)}: ${status}, but ${what}${effect}`), {
    ...details,
    issues: scrub.json(issues) as Issue[],
    status,
    text: scrub.text(answer.text.slice(0, shownText)),
  });
}
