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
import type { RawResponse } from '../http/fetch.js';
import { kindOfText } from '../http/parse-response.js';
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

/** The largest number of characters that an error keeps of a body, and of a message of the service. */
export const shownText = 1_000;
export const shownMessage = 200;

/** For a request that another server than the mock may have received. */
export const mockHint =
  'if the mock should answer: is the mock started, and does its baseUrl hold this address?';

/** True if the newest key of a call is one that every mock service knows. */
export function usesMockKey({ key }: CallContext): boolean {
  return isMockKey(key);
}

/** The class of the error of each status that is neither a success nor a 429, and what to do next. */
function adviceOf(status: number, context: CallContext): readonly [typeof ApiError, string] {
  if (status < 400 && status !== 304)
    return [
      ApiError,
      'redirects are refused, so that the API key stays with this address: check baseUrl',
    ];
  if (status >= 500 && status < 600) {
    const helps = status === 501 ? 'repeating the request does not help' : 'try again later';
    return [ServerError, context.nextStep(helps)];
  }
  switch (status) {
    case 400:
      return [BadRequestError, 'nothing was changed: fix the argument'];
    case 401:
      return [
        AuthenticationError,
        `check the API key, and that it belongs to ${context.config.label}`,
      ];
    case 404:
      return [
        NotFoundError,
        `nothing was found at ${context.url}: check ${suspect(String(context.url))}`,
      ];
    default:
      return [ApiError, 'check the request'];
  }
}

/** What is probably wrong with an address at which nothing was found. */
function suspect(url: string): string {
  if (url.includes('/v1/v1/')) return 'the path, before which /v1 is added';
  return /\/\d+$/.test(url) ? 'the identifier' : 'baseUrl and the path';
}

/** The error of a response that is neither a success nor a 429. */
export function describeStatus(raw: RawResponse, context: CallContext): Description {
  const { status } = raw.response;
  const fields = apiFields(raw, context);
  const said =
    fields.code === undefined
      ? `with a body that is ${raw.problem ?? kindOfText(raw.text) ?? 'not an error of the contract'}`
      : `${fields.code.slice(0, shownMessage)}: ${statedMessage(fields)}`;
  // Another server than the service, in development: that of the page, where the mock was not started.
  const isForeign =
    status === 404 &&
    fields.code === undefined &&
    (context.url?.startsWith('http:') || usesMockKey(context));
  const [Type, next] = adviceOf(status, context);
  const what = `${status || 'a redirect'} ${said}`;
  return [Type, what, next + (isForeign ? `; ${mockHint}` : ''), fields];
}

/** The fields that the errors of all statuses have. */
export type ApiFields = Pick<
  ApiError,
  'status' | 'code' | 'body' | 'headers' | 'rateLimit' | 'requestId'
>;

/** A longer body is not an error of the contract. It is kept as text, and shortened. */
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
    return context.json(parseJson(text, context.config.int64 === 'bigint' ? BigInt : String));
  } catch {
    return undefined;
  }
}

/** The message of an error body of the contract, for a sentence. */
export function statedMessage({ body }: ApiFields): string {
  return (body as { message: string }).message.slice(0, shownMessage).replace(/\.$/, '');
}
