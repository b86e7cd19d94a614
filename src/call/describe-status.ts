import { parseJson } from '../contract/json.js';
import { headers as names } from '../contract/rate-limits.js';
import { ErrorSchema } from '../contract/schemas.js';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  ServerError,
  type PetStoreError,
} from '../errors/errors.js';
import { bigintsAsText } from '../errors/redact.js';
import type { RawResponse } from '../http/fetch.js';
import { isMockKey } from '../options/address.js';
import { readRateLimit } from '../rate-limit/headers.js';
import type { CallContext } from './call-context.js';

/** An error of a call: its class, what happened, what to do next, and the fields of the class. */
export type Description = readonly [
  Type: typeof PetStoreError,
  what: string,
  next: string | undefined,
  fields: object,
];

/** The last response of a call has a status that is no success. */
export class StatusFailure extends Error {
  readonly raw: RawResponse;

  constructor(raw: RawResponse) {
    super(`status ${raw.response.status}`);
    this.raw = raw;
  }
}

/** The largest number of characters that an error keeps of a body, and of a message of the service. */
export const shownText = 1_000;
export const shownMessage = 200;

/** For a request that another server than the mock may have received. */
export const mockHint =
  'if the mock should answer: is the mock started, and does its baseUrl hold this address?';

/** True if the newest key of a call is one that every mock service knows. */
export function usesMockKey({ keys }: CallContext): boolean {
  return isMockKey(keys.at(-1));
}

type Row = readonly [Type: typeof ApiError, next: (context: CallContext) => string];

const redirectRefused: Row = [
  ApiError,
  () => 'redirects are refused, so that the API key stays with this address: check baseUrl',
];
const unexpected: Row = [ApiError, () => 'check the request'];
const serverFailed: Row = [ServerError, (context) => context.nextStep('try again later')];
/** The class of the error of each status, and what to do next. */
const byStatus: Readonly<Record<number, Row>> = {
  304: unexpected,
  400: [BadRequestError, () => 'nothing was changed: fix the argument'],
  401: [
    AuthenticationError,
    ({ config }) => `check the API key, and that it belongs to ${config.label}`,
  ],
  404: [NotFoundError, notFound],
  501: [ServerError, (context) => context.nextStep('repeating the request does not help')],
};

function notFound({ url }: CallContext): string {
  const wrong = url?.includes('/v1/v1/')
    ? 'the path, before which /v1 is added'
    : /\/\d+$/.test(String(url))
      ? 'the identifier'
      : 'baseUrl and the path';
  return `nothing was found at ${url}: check ${wrong}`;
}

/** The error of a response that is neither a success nor a 429. */
export function describeStatus(raw: RawResponse, context: CallContext): Description {
  const { status } = raw.response;
  const row =
    byStatus[status] ??
    (status < 400 ? redirectRefused : status >= 500 && status < 600 ? serverFailed : unexpected);
  const fields = apiFields(raw, context);
  const what =
    row === redirectRefused ? `${status || 'a redirect'}` : `${status} ${summary(fields, raw)}`;
  // Another server than the service, in development: that of the page, where the mock was not started.
  const isForeign =
    status === 404 &&
    fields.code === undefined &&
    (context.url?.startsWith('http:') || usesMockKey(context));
  const [Type, next] = row;
  return [Type, what, next(context) + (isForeign ? `; ${mockHint}` : ''), fields];
}

/** The fields that the errors of all statuses have. */
export type ApiFields = Pick<
  ApiError,
  'status' | 'code' | 'body' | 'headers' | 'rateLimit' | 'requestId'
>;

/** A longer body is no error of the contract. It is kept as text, and shortened. */
const longestJson = 65_536;
/** The response headers that an error may show. All others are hidden. */
const shownHeaders = [
  ...Object.values(names),
  ...['age', 'allow', 'content-length', 'content-type', 'date', 'deprecation', 'location'],
  ...['request-id', 'sunset', 'x-mock-explain', 'x-request-id'],
];

export function apiFields({ response, text }: RawResponse, context: CallContext): ApiFields {
  const body = text.length > longestJson ? undefined : errorBody(text, context);
  const error = ErrorSchema.safeParse(body);
  const headers = new Headers();
  for (const name of shownHeaders) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, context.text(value));
  }
  return {
    status: response.status,
    code: error.success ? error.data.code : undefined,
    body: body ?? context.text(text, shownText),
    headers,
    rateLimit: readRateLimit(response.headers),
    requestId: requestIdOf(response, context),
  };
}

/** The identifier that the service gave the request, for a report. */
export function requestIdOf({ headers }: Response, context: CallContext): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  return id === null ? undefined : context.text(id, shownMessage);
}

/** Reads an error body. No body may hide the status, whatever a proxy sends, even if it is nested very deeply. */
function errorBody(text: string, context: CallContext): unknown {
  try {
    // A key of digits is looked for in numbers, before they become texts.
    const body = context.json(parseJson(text));
    return context.config.int64 === 'bigint' ? body : bigintsAsText(body);
  } catch {
    return undefined;
  }
}

/** The message of an error body of the contract, for a sentence. */
export function statedMessage({ body }: ApiFields): string {
  return (body as { message: string }).message.slice(0, shownMessage).replace(/\.$/, '');
}

/** What a response says, for a sentence. */
function summary(fields: ApiFields, { problem }: RawResponse): string {
  const { code, body } = fields;
  if (code !== undefined) return `${code.slice(0, shownMessage)}: ${statedMessage(fields)}`;
  if (problem !== undefined) return `with a body that is ${problem}`;
  if (body === '') return 'with an empty body';
  return typeof body === 'string' && /^\s*</.test(body)
    ? 'with an HTML page, from a proxy perhaps'
    : 'with a body that is no error of the contract';
}
