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
import { isMockKey } from '../options/api-key.js';
import { readRateLimit } from '../rate-limit/headers.js';
import type { Call } from './call.js';

/** An error of a call: its class, what happened, what to do next, and the fields of the class. */
export type Description = readonly [
  Type: typeof PetStoreError,
  what: string,
  next: string | undefined,
  fields: object,
];

/** The largest number of characters that an error keeps of a body, an issue, and a message of the service. */
export const shownLength = { text: 1_000, issue: 500, message: 200 };

/** For a request that another server than the mock may have received. */
export const mockHint =
  'if the mock should answer: is the mock started, and does its option baseUrl name this address?';

/** The class of the error of each status that is neither a success nor a 429, and what to do next. */
function adviceOf(status: number, call: Call): readonly [typeof ApiError, string] {
  const { config, url } = call;
  if (status === 400) return [BadRequestError, 'nothing was changed: fix the argument'];
  if (status === 401)
    return [AuthenticationError, `check the API key, and that it belongs to ${config.label}`];
  if (status === 404)
    return [NotFoundError, `nothing was found at ${url}: check ${suspect(String(url))}`];
  if (status < 400 && status !== 304)
    return [
      ApiError,
      'redirects are refused, so that the API key stays with this address: check baseUrl',
    ];
  const helps = status === 501 ? 'repeating the request does not help' : 'try again later';
  if (status >= 500 && status < 600) return [ServerError, call.nextStep(helps)];
  return [ApiError, status === 408 ? call.nextStep(helps) : 'check the request'];
}

/** What is probably wrong with an address at which nothing was found. */
function suspect(url: string): string {
  if (url.includes('/v1/v1/')) return 'the path, before which /v1 is added';
  return /\/-?\d+$/.test(url) ? 'the identifier' : 'baseUrl and the path';
}

/** The error of a response that is neither a success nor a 429. */
export function describeStatus(raw: RawResponse, call: Call): Description {
  const { status } = raw.response;
  const fields = apiFields(raw, call);
  const said =
    fields.code === undefined
      ? `with a body that is ${raw.problem ?? kindOfText(raw.text) ?? 'not an error of the contract'}`
      : `${fields.code.slice(0, shownLength.message)}: ${statedMessage(fields.body)}`;
  // In development, the server of the page may have sent this 404, because the mock was not started.
  const isForeign =
    status === 404 &&
    fields.code === undefined &&
    (call.config.baseUrl.startsWith('http:') || isMockKey(call.keys.at(-1)));
  const [Type, next] = adviceOf(status, call);
  const what = `${status || 'a redirect'} ${said}`;
  return [Type, what, next + (isForeign ? `; ${mockHint}` : ''), fields];
}

/** A longer body is not an error of the contract. It is kept as text, and shortened. */
const longestJson = 65_536;
/** The response headers that an error may show. All others are hidden. */
const shownHeaders = [
  ...Object.values(names),
  ...['age', 'allow', 'content-length', 'content-type', 'date', 'deprecation', 'location'],
  ...['request-id', 'sunset', 'x-mock-explain', 'x-request-id'],
];

/** The fields that the errors of all statuses have. */
export type ApiFields = Omit<ApiError, keyof PetStoreError>;

export function apiFields({ response, text }: RawResponse, call: Call): ApiFields {
  let body: unknown = call.redact(text, shownLength.text);
  try {
    const readLongInteger = call.config.int64 === 'bigint' ? BigInt : String;
    if (text.length <= longestJson) body = call.redact(parseJson(text, readLongInteger));
  } catch {
    // No body may hide the status, whatever a proxy sends, even if it is nested very deeply.
  }
  const error = ErrorSchema.safeParse(body);
  const headers = new Headers();
  for (const name of shownHeaders) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, call.redact(value));
  }
  return {
    status: response.status,
    code: error.success ? error.data.code : undefined,
    body,
    headers,
    rateLimit: readRateLimit(response.headers),
    requestId: requestIdOf(response, call),
  };
}

/** The identifier that the service gave the request, for a report. */
export function requestIdOf({ headers }: Response, call: Call): string | undefined {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  return id === null ? undefined : call.redact(id, shownLength.message);
}

/** The message of an error body of the contract, for a sentence. */
export function statedMessage(body: unknown): string {
  return (body as { message: string }).message.slice(0, shownLength.message).replace(/\.$/, '');
}
