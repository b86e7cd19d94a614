import { parseJson } from '../contract/json.js';
import { headers as names } from '../contract/rate-limits.js';
import { ErrorSchema } from '../contract/schemas.js';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  ServerError,
  type ErrorDetails,
} from '../errors/errors.js';
import { bigintsAsText } from '../errors/redact.js';
import type { RawResponse } from '../http/fetch.js';
import { readRateLimit } from '../rate-limit/headers.js';
import type { CallContext } from './call-context.js';
import {
  errorDetails,
  messageOf,
  mockHint,
  nextStep,
  requestIdOf,
  shownMessage,
  shownText,
  usesMockKey,
} from './messages.js';

type ErrorOfStatus = readonly [Type: typeof ApiError, nextStep: (context: CallContext) => string];

const redirectRefused: ErrorOfStatus = [
  ApiError,
  () => 'redirects are refused, so that the API key stays with this address: check baseUrl',
];
const unexpected: ErrorOfStatus = [ApiError, () => 'check the request'];
const serverFailed: ErrorOfStatus = [
  ServerError,
  (context) => nextStep(context, 'try again later'),
];
/** The class of the error of each status, and what to do next. */
const byStatus: Readonly<Record<number, ErrorOfStatus>> = {
  304: unexpected,
  400: [BadRequestError, () => 'nothing was changed: fix the argument'],
  401: [
    AuthenticationError,
    ({ config }) => `check the API key, and that it belongs to ${config.label}`,
  ],
  404: [NotFoundError, notFound],
  501: [ServerError, (context) => nextStep(context, 'repeating the request does not help')],
};

function notFound(context: CallContext): string {
  const url = errorDetails(context).url as string;
  const wrong = url.includes('/v1/v1/')
    ? 'the path, before which /v1 is added'
    : /\/\d+$/.test(url)
      ? 'the identifier'
      : 'baseUrl and the path';
  return `nothing was found at ${url}: check ${wrong}`;
}

/** The error of a response that is neither a success nor a 429. */
export function toApiError(raw: RawResponse, context: CallContext): ApiError {
  const { status } = raw.response;
  const [Type, next] =
    byStatus[status] ??
    (status < 400 ? redirectRefused : status >= 500 && status < 600 ? serverFailed : unexpected);
  const details = apiDetails(raw, context);
  // Another server than the service, in development: that of the page, where the mock was not started.
  const isForeign = details.code === undefined && details.url?.startsWith('http:');
  const mayBeMock =
    status === 404 && (isForeign || (details.code === undefined && usesMockKey(context)));
  const what =
    Type === ApiError && next === redirectRefused[1]
      ? `${status || 'a redirect'}`
      : `${status} ${summary(details, raw)}`;
  const hint = mayBeMock ? `; ${mockHint}` : '';
  return new Type(messageOf(context, what, next(context) + hint), details);
}

/** The details that the errors of all statuses have. */
export type ApiErrorDetails = ErrorDetails &
  Pick<ApiError, 'status' | 'code' | 'body' | 'headers' | 'rateLimit' | 'requestId'>;

/** A longer body is no error of the contract. It is kept as text, and shortened. */
const longestJson = 65_536;
/** The response headers that an error may show. All others are hidden. */
const shownHeaders = [
  ...Object.values(names),
  ...['age', 'allow', 'content-length', 'content-type', 'date', 'deprecation', 'location'],
  ...['request-id', 'sunset', 'x-mock-explain', 'x-request-id'],
];

/** The details of the error of a response. */
export function apiDetails({ response, text }: RawResponse, context: CallContext): ApiErrorDetails {
  const body = text.length > longestJson ? undefined : errorBody(text, context);
  const error = ErrorSchema.safeParse(body);
  const headers = new Headers();
  for (const name of shownHeaders) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, context.text(value));
  }
  return {
    ...errorDetails(context),
    status: response.status,
    code: error.success ? error.data.code : undefined,
    body: body ?? context.text(text, shownText),
    headers,
    rateLimit: readRateLimit(response.headers),
    requestId: requestIdOf(response, context),
  };
}

/** Reads an error body. No body may hide the status, whatever a proxy sends, even if it is nested very deeply. */
function errorBody(text: string, context: CallContext): unknown {
  try {
    // Most bodies have no long integer, and need no exact reading. A key of digits is looked for in numbers, before they become texts.
    const body = context.json(/\d{16}/.test(text) ? parseJson(text) : JSON.parse(text));
    return context.config.int64 === 'bigint' ? body : bigintsAsText(body);
  } catch {
    return undefined;
  }
}

/** The message of an error body of the contract, for a sentence. */
export function statedMessage({ body }: ApiErrorDetails): string {
  return (body as { message: string }).message.slice(0, shownMessage).replace(/\.$/, '');
}

/** What a response says, for a sentence. */
function summary(details: ApiErrorDetails, { problem }: RawResponse): string {
  const { code, body } = details;
  if (code !== undefined) return `${code.slice(0, shownMessage)}: ${statedMessage(details)}`;
  if (problem !== undefined) return `with a body that is ${problem}`;
  if (body === '') return 'with an empty body';
  return typeof body === 'string' && /^\s*</.test(body)
    ? 'with an HTML page, from a proxy perhaps'
    : 'with a body that is no error of the contract';
}
