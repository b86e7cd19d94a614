import type { GateConfig } from '../options/config.js';
import { ErrorSchema } from '../contract/schemas.js';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
  ServerError,
  type ApiErrorDetails,
} from '../errors/api-errors.js';
import type { ErrorDetails } from '../errors/errors.js';
import type { RawResponse } from '../http/fetch.js';
import { dateOf, readRateLimit, readWait } from '../rate-limit/headers.js';
import type { CallContext } from './call-context.js';
import {
  subject,
  nextStep,
  singleLine,
  shownMessage,
  shownText,
  attemptCount,
} from './messages.js';
import { safeHeaders, type Redactor } from '../errors/redact.js';

/** The error of an answer that is neither a success nor a 429. */
export function toApiError(
  answer: RawResponse,
  context: CallContext,
  details: ErrorDetails,
): ApiError {
  const { status } = answer.response;
  const api = apiDetails(answer, context.redactor, details);
  const is = (what: string, next: string) =>
    singleLine(`${subject(context)}: ${what}${attemptCount(context)}; ${next}`);
  const text = (next: string) => is(`${status} ${summary(api, answer)}`, next);
  if (status === 400)
    return new BadRequestError(text('nothing was changed: mend the argument'), api);
  if (status === 401)
    return new AuthenticationError(
      text(`check the API key, and that it belongs to ${context.config.label}`),
      api,
    );
  if (status === 404) return new NotFoundError(text('check the identifier or path'), api);
  if (status >= 500 && status < 600)
    return new ServerError(text(nextStep(context, 'try again later')), api);
  if (status >= 400 || status === 304) return new ApiError(text('check the request'), api);
  return new ApiError(
    is(
      `${status || 'a redirect'}`,
      'redirects are refused, so that the API key stays with this address: check baseUrl',
    ),
    api,
  );
}

/** Characters of a JSON body that an error keeps as a value. */
const longestJson = 65_536;

function apiDetails(
  { response, text }: RawResponse,
  redactor: Redactor,
  details: ErrorDetails,
): ApiErrorDetails {
  // What is longer is no error of the contract: it is kept as text, and cut.
  const parsed = text.length > longestJson ? undefined : parse(text, redactor);
  const error = ErrorSchema.safeParse(parsed);
  return {
    ...details,
    status: response.status,
    code: error.success ? error.data.code : undefined,
    body: parsed === undefined ? redactor.text(text).slice(0, shownText) : parsed,
    headers: safeHeaders(response.headers, redactor),
    rateLimit: readRateLimit(response.headers),
  };
}

/** Error bodies are read with care: whatever a proxy sends, nested beyond all measure even, must not hide the status. */
function parse(text: string, redactor: Redactor): unknown {
  try {
    return redactor.json(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function summary({ code, body }: ApiErrorDetails, { problem }: RawResponse): string {
  const message = (body as { message?: unknown } | null)?.message;
  if (code !== undefined)
    return `${code.slice(0, shownMessage)}: ${String(message).slice(0, shownMessage).replace(/\.$/, '')}`;
  if (problem !== undefined) return `with a body that is ${problem}`;
  if (body === '') return 'with an empty body';
  return typeof body === 'string' && /^\s*</.test(body)
    ? 'with an HTML page, from a proxy perhaps'
    : 'with a body that is no error of the contract';
}

/** The latest moment that a `Date` can hold. */
const latest = 8.64e15;

/** The error of a call that the rate limit has stopped: by a 429, or before it was sent. */
export function toRateLimitError(
  context: CallContext,
  details: ErrorDetails,
  reason: RateLimitError['reason'],
  retryAfter: number | undefined,
): RateLimitError {
  const { clock, rateLimit } = context.config;
  // Without a gate there is neither hold nor queue.
  const { maxHold, maxQueue } = { ...rateLimit } as GateConfig;
  const api: ApiErrorDetails =
    context.rateLimitResponse === undefined
      ? {
          ...details,
          status: 429,
          code: undefined,
          body: undefined,
          headers: new Headers(),
          rateLimit: context.known(),
        }
      : apiDetails(context.rateLimitResponse, context.redactor, details);
  const retryAt =
    retryAfter === undefined ? undefined : new Date(Math.min(latest, clock.now() + retryAfter));
  const answered = context.attempts.some(({ status }) => status === 429);
  const requestSent = answered ? 'yes' : context.attempts.length > 0 ? 'unknown' : 'no';
  const unsure = context.attempts.some(({ status }) => status !== 429);
  const processed = unsure ? 'an attempt before may have been processed' : 'it was not processed';
  const because = {
    attempts: `429 ${context.rateLimitedCount === 1 ? 'and no gate to wait at' : `${context.rateLimitedCount} times`}`,
    hold: `the service holds this key longer than maxHold (${maxHold} ms)`,
    wait: 'the wait for the rate limit would pass maxWait or totalTimeout',
    queue: `maxQueue (${maxQueue}) calls wait for the rate limit already`,
  }[reason];
  const when =
    retryAt === undefined ? 'try again later' : `try again after ${retryAt.toISOString()}`;
  const text = singleLine(
    `${subject(context)}: ${because}${attemptCount(context)}; ${processed}: ${when}`,
  );
  return new RateLimitError(text, { ...api, reason, retryAfter, retryAt, requestSent });
}

/** The wait that a 429 tells, placed by its own Date header, else by the local clock. */
export function retryAfterOf({ headers }: Response, { config }: CallContext): number | undefined {
  const now = config.clock.now();
  const reset = readRateLimit(headers)?.resetAt.getTime();
  return (
    readWait(headers, now) ??
    (reset === undefined ? undefined : Math.max(0, reset - dateOf(headers, now)))
  );
}
