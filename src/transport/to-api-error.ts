import { parseJson } from '../contract/json.js';
import { headers as names } from '../contract/rate-limits.js';
import { ErrorSchema } from '../contract/schemas.js';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  ServerError,
  type ApiErrorDetails,
} from '../errors/api-errors.js';
import { bigintsAsText, type Redactor } from '../errors/redact.js';
import type { RawResponse } from '../http/fetch.js';
import { readRateLimit } from '../rate-limit/headers.js';
import type { CallContext } from './call-context.js';
import {
  errorDetails,
  messageOf,
  mockHint,
  nextStep,
  shownMessage,
  shownText,
  usesMockKey,
} from './messages.js';

/** The response headers that an error or an event may show. All others are hidden. */
const shown = [
  ...Object.values(names),
  'age',
  'allow',
  'content-length',
  'content-type',
  'date',
  'deprecation',
  'location',
  'request-id',
  'sunset',
  'x-mock-explain',
  'x-request-id',
];

/** The error of a response that is neither a success nor a 429. */
export function toApiError(raw: RawResponse, context: CallContext): ApiError {
  const { status } = raw.response;
  const details = apiDetails(raw, context);
  const text = (next: string, what = `${status} ${summary(details, raw)}`) =>
    messageOf(context, what, next);
  if (status === 400)
    return new BadRequestError(text('nothing was changed: fix the argument'), details);
  if (status === 401)
    return new AuthenticationError(
      text(`check the API key, and that it belongs to ${context.config.label}`),
      details,
    );
  if (status === 404) {
    const url = details.url as string;
    const wrong = url.includes('/v1/v1/')
      ? 'the path, before which /v1 is added'
      : /\/\d+$/.test(url)
        ? 'the identifier'
        : 'baseUrl and the path';
    // Another server than the service, in development: that of the page, where the mock was not started.
    const mayBeMock =
      details.code === undefined && (url.startsWith('http:') || usesMockKey(context));
    const next = `nothing was found at ${url}: check ${wrong}${mayBeMock ? `; ${mockHint}` : ''}`;
    return new NotFoundError(text(next), details);
  }
  if (status >= 500 && status < 600) {
    const ifSafe = status === 501 ? 'repeating the request does not help' : 'try again later';
    return new ServerError(text(nextStep(context, ifSafe)), details);
  }
  if (status >= 400 || status === 304) return new ApiError(text('check the request'), details);
  const next = 'redirects are refused, so that the API key stays with this address: check baseUrl';
  return new ApiError(text(next, `${status || 'a redirect'}`), details);
}

/** Characters of a JSON body that an error keeps as a value. */
const longestJson = 65_536;

/** The details that the errors of all statuses have. */
export function apiDetails({ response, text }: RawResponse, context: CallContext): ApiErrorDetails {
  const { redactor } = context;
  // A longer body is not an error of the contract. It is kept as text, and shortened.
  const parsed = text.length > longestJson ? undefined : parse(text, context);
  const error = ErrorSchema.safeParse(parsed);
  return {
    ...errorDetails(context),
    status: response.status,
    code: error.success ? error.data.code : undefined,
    body: parsed === undefined ? redactor.text(text, shownText) : parsed,
    headers: safeHeaders(response.headers, redactor),
    rateLimit: readRateLimit(response.headers),
  };
}

/** Reads an error body. No body may hide the status, whatever a proxy sends, even if it is nested very deeply. */
function parse(text: string, { redactor, config }: CallContext): unknown {
  try {
    // Most bodies have no long integer, and need no exact reading.
    const parsed: unknown = /\d{16}/.test(text) ? parseJson(text) : JSON.parse(text);
    // A key of digits is looked for in numbers, before they become texts.
    const value = redactor.json(parsed);
    return config.int64 === 'bigint' ? value : bigintsAsText(value);
  } catch {
    return undefined;
  }
}

/** The message of an error body of the contract, for a sentence. */
export function statedMessage({ body }: ApiErrorDetails): string {
  return (body as { message: string }).message.slice(0, shownMessage).replace(/\.$/, '');
}

function summary(details: ApiErrorDetails, { problem }: RawResponse): string {
  const { code, body } = details;
  if (code !== undefined) return `${code.slice(0, shownMessage)}: ${statedMessage(details)}`;
  if (problem !== undefined) return `with a body that is ${problem}`;
  if (body === '') return 'with an empty body';
  return typeof body === 'string' && /^\s*</.test(body)
    ? 'with an HTML page, from a proxy perhaps'
    : 'with a body that is no error of the contract';
}

/** A copy with only the allowed headers, without the key in their values. */
function safeHeaders(headers: Headers, redactor: Redactor): Headers {
  const copy = new Headers();
  for (const name of shown) {
    const value = headers.get(name);
    if (value !== null) copy.set(name, redactor.text(value));
  }
  return copy;
}
