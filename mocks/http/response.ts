import * as z from 'zod/mini';
import { operations, type Operation, type OperationName } from '../../src/contract/operations.js';
import { ErrorSchema } from '../../src/contract/schemas.js';
import type { Answer } from '../assumptions/answers.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { mockDefect, Problem } from './problem.js';
import { stringifyJson } from '../../src/contract/json.js';

/**
 * A header of the mock. On every 4xx and 5xx that is no `Response` of an override, it names the rule that applied, and how
 * to fix the request; on a success, an unknown query parameter.
 */
export const explainHeader = 'X-Mock-Explain';

/** The parts of a response before a `Response` is made of them. */
export interface ResponseParts {
  readonly status: number;
  /** The value that `text` was written from, where it is JSON. */
  readonly value?: unknown;
  readonly text: string | undefined;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The end of the wait, ms since the epoch. */
  readonly retryAt?: number | undefined;
  /** Why the mock itself failed, where it did. */
  readonly defect?: Problem;
  /** Sends the body in another way than whole. */
  readonly stream?: (bytes: Uint8Array) => ReadableStream<Uint8Array>;
  /** Whether a client cannot read what was done. */
  readonly isUnreadable?: boolean;
}

/** Whether an answer is a `Response`. `instanceof` would make Node load its `fetch`, which takes a third of the start of a mock on a port. */
export function isResponse(answer: object): answer is Response {
  return 'bodyUsed' in answer;
}

/** The parts of a response with a JSON body; without a body where the value is undefined. */
export function jsonParts(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ResponseParts {
  const text = value === undefined ? undefined : stringifyJson(value);
  return { status, value, text, type: 'application/json', headers };
}

const noResult = /* @__PURE__ */ z.undefined('must be undefined: the response has no body');

/** Why the result of an override breaks the contract, if it does. The service itself keeps only pets that are checked. */
export function contractProblem(operation: OperationName, value: unknown): Problem | undefined {
  const { success, responses } = operations[operation] as Operation;
  const { error } = ((responses[success] ?? noResult) as z.ZodMiniType).safeParse(value);
  if (!error) return undefined;
  const issues = error.issues.map(({ path, message }) => [...path, message].join(' ')).join('; ');
  return mockDefect(`the response of ${operation} breaks the contract: ${issues}`);
}

/** The response to a request that failed. Service interface: "Errors". */
export function problemParts(given: Problem, assumptions: Assumptions): ResponseParts {
  const { rule, message, hint, more } = given;
  // An ignored rule causes no problem, so the answer is a response.
  const { status, code, body } = { ...(assumptions.answers[rule] as Answer), ...more };
  const headers: Record<string, string> = { [explainHeader]: visible(`${code}: ${hint}`) };
  if (more.allow !== undefined) headers['Allow'] = more.allow;
  const value = body ? ErrorSchema.parse({ code, message, status }) : undefined;
  const parts = { ...jsonParts(status, value, headers), retryAt: more.retryAt };
  return rule === 'mockDefect' ? { ...parts, defect: given } : parts;
}

/** The response with a hint for the developer of the client, if there is one. */
export function explained(parts: ResponseParts, hint: string | undefined): ResponseParts {
  if (hint === undefined) return parts;
  return { ...parts, headers: { ...parts.headers, [explainHeader]: visible(hint) } };
}

/** The response of a fault: `body` as in a fault. */
export function injected(status: number, body: unknown, assumptions: Assumptions): ResponseParts {
  const hint = `a fault of faults.add made this status ${status}`;
  const fault = new Problem('fault', 'This failure was injected.', hint, { status });
  const parts = problemParts(fault, assumptions);
  if (body === undefined && status >= 400) return parts;
  const headers = status >= 400 ? parts.headers : {};
  return typeof body === 'string'
    ? { status, text: body, type: 'text/plain;charset=utf-8', headers }
    : jsonParts(status, body === false ? undefined : body, headers);
}

/** The text made safe for a header: visible ASCII, limited in length. */
export function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 300);
}

/** Statuses whose responses never have a body. */
const statusesWithoutBody: ReadonlySet<number> = /* @__PURE__ */ new Set([204, 205, 304]);

/** Whether a response has a body to send. */
export function hasBody(
  parts: ResponseParts,
  method: string,
): parts is ResponseParts & { readonly text: string } {
  return method !== 'HEAD' && parts.text !== undefined && !statusesWithoutBody.has(parts.status);
}

/**
 * A response as every way in takes it; a `Response` is one. Most bodies are texts: a `Response` and the stream of its body would
 * take longer than the rest of many a request. Status 0, as that of `Response.error()`: the connection breaks.
 */
export interface ServiceResponse {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: Headers | Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | string | null | undefined;
}

/** Completes the parts of a response. Their headers are added to `headers`. */
export function completed(
  parts: ResponseParts,
  headers: Record<string, string>,
  method: string,
): ServiceResponse {
  const { status, type, stream } = parts;
  Object.assign(headers, parts.headers);
  if (hasBody(parts, 'GET')) headers['Content-Type'] = type;
  const text = hasBody(parts, method) ? parts.text : undefined;
  if (!stream || text === undefined) return { status, headers, body: text };
  const bytes = new TextEncoder().encode(text);
  headers['Content-Length'] = String(bytes.length);
  return new Response(stream(bytes), { status, headers });
}

/** The `Response` for callers that need one. */
export function toResponse(response: ServiceResponse): Response {
  return isResponse(response) ? response : new Response(response.body ?? null, response);
}
