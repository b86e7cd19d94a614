import type { MockClock } from '../clock/duration.js';
import { applyBodyFault, bodyFaultOf } from '../faults/apply.js';
import { droppedBody, slowBody } from '../faults/body-streams.js';
import type { Effects } from '../faults/fault-registry.js';
import type { ReadOutcome } from '../faults/parse.js';
import type { ServiceRequest } from '../http/request.js';
import {
  completed,
  type CompleteResponse,
  hasBody,
  isResponse,
  type ResponseParts,
} from '../http/response.js';
import { jsonOf } from '../utils/json.js';
import type { ServiceContext } from './context.js';

const encoder = /* @__PURE__ */ new TextEncoder();

/** Makes the response, with its body fault, which changes nothing where there is no body for it. */
export async function buildResponse(
  { clock }: ServiceContext,
  { method, signal }: ServiceRequest,
  {
    answer,
    headers,
    effects,
  }: {
    readonly answer: ResponseParts | Response;
    readonly headers: Record<string, string>;
    readonly effects: Effects | undefined;
  },
): Promise<{ readonly response: CompleteResponse | Response; readonly isReadable: boolean }> {
  const bodyFault = effects && bodyFaultOf(effects);
  let parts = answer;
  if (effects && bodyFault !== undefined) {
    if (isResponse(parts)) parts = await readParts(parts);
    const faulty = toFaultyResponse(parts, headers, method, { effects, clock, signal });
    const isReadable = bodyFault === 'slow-body' || bodyFault === 'drift';
    if (faulty) return { response: faulty, isReadable };
  }
  const response = isResponse(parts)
    ? copyResponse(parts, headers, method)
    : completed(parts, headers, method);
  return { response, isReadable: true };
}

/** Makes a response with a body fault; undefined when there is no body that the fault can change. */
function toFaultyResponse(
  parts: ResponseParts,
  headers: Record<string, string>,
  method: string,
  {
    effects,
    clock,
    signal,
  }: {
    readonly effects: ReadOutcome;
    readonly clock: MockClock;
    readonly signal: AbortSignal | undefined;
  },
): CompleteResponse | Response | undefined {
  const changed = hasBody(parts, method) ? applyBodyFault(parts, effects) : undefined;
  if (!changed) return undefined;
  const slow = effects['slow-body'];
  if (changed.text === undefined || (!effects['drop-body'] && slow === undefined))
    return completed(changed, headers, method);
  const bytes = encoder.encode(changed.text);
  Object.assign(headers, changed.headers, {
    'Content-Type': changed.type,
    'Content-Length': String(bytes.length),
  });
  const body =
    slow === undefined
      ? droppedBody(bytes, signal)
      : slowBody(bytes, slow === true ? 1_000 : slow, clock, signal);
  return new Response(body, { status: changed.status, headers });
}

/** A copy of the `Response` of an override, which may return it again, with the headers of every response. */
function copyResponse(
  response: Response,
  added: Readonly<Record<string, string>>,
  method: string,
): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(added))
    if (!headers.has(name)) headers.set(name, value);
  const { status, statusText } = response;
  const body = method === 'HEAD' ? null : response.clone().body;
  return new Response(body, { status, statusText, headers });
}

/** A `Response` of an override as parts, for a body fault to change. */
async function readParts(response: Response): Promise<ResponseParts> {
  const { 'content-type': type = 'text/plain;charset=utf-8', ...headers } = Object.fromEntries(
    response.headers,
  );
  const text = response.body === null ? undefined : await response.clone().text();
  const value = text === undefined ? undefined : jsonOf(text);
  return { status: response.status, value, text, type, headers };
}
