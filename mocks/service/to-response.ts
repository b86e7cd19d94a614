import type { MockClock } from '../clock/duration.js';
import { applyBodyFault } from '../faults/apply.js';
import { droppedBody, slowBody } from '../faults/body-streams.js';
import type { ReadOutcome } from '../faults/parse.js';
import { hasBody, toResponse, type ResponseParts } from '../http/response.js';
import { parseJson } from '../../src/contract/json.js';

const encoder = /* @__PURE__ */ new TextEncoder();

/** Makes a `Response` with a body fault; undefined when there is no body that the fault can change. */
export function toFaultyResponse(
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
): Response | undefined {
  const changed = hasBody(parts, method) ? applyBodyFault(parts, effects) : undefined;
  if (!changed) return undefined;
  const slow = effects['slow-body'];
  if (changed.text === undefined || (!effects['drop-body'] && slow === undefined))
    return toResponse(changed, headers, method);
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
export function copyResponse(
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
export async function readParts(response: Response): Promise<ResponseParts> {
  const { 'content-type': type = 'text/plain;charset=utf-8', ...headers } = Object.fromEntries(
    response.headers,
  );
  const text = response.body === null ? undefined : await response.clone().text();
  return { status: response.status, value: jsonOf(text), text, type, headers };
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}
