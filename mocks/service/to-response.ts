import type { ResponseParts } from '../http/response.js';
import { droppedBody, slowBody } from '../faults/body-streams.js';
import type { MockClock } from '../clock/duration.js';
import type { ReadOutcome } from '../faults/parse.js';
import { applyBodyFault } from '../faults/apply.js';
import { keepBody } from '../http/response.js';

const bodiless = new Set([204, 205, 304]);
const encoder = /* @__PURE__ */ new TextEncoder();

/** Makes the `Response` of an answer, as the faults leave it. */
export function send(
  answer: ResponseParts,
  lines: Record<string, string>,
  effects: ReadOutcome | undefined,
  clock: MockClock,
  signal: AbortSignal | undefined,
): Response {
  const { status, text, type, headers } = effects ? applyBodyFault(answer, effects) : answer;
  const all = Object.assign(lines, headers);
  if (text === undefined || bodiless.has(status))
    return new Response(null, { status, headers: all });
  all['Content-Type'] = type;
  const slow = effects?.['slow-body'];
  if (!effects?.['drop-body'] && slow === undefined)
    return keepBody(new Response(text, { status, headers: all }), text);
  const bytes = encoder.encode(text);
  all['Content-Length'] = String(bytes.length);
  const body =
    slow === undefined
      ? droppedBody(bytes, signal)
      : slowBody(bytes, slow === true ? 1_000 : slow, clock, signal);
  return new Response(body, { status, headers: all });
}

/** A `Response` of an override, with the headers that every answer carries. */
export function sendRaw(response: Response, lines: Record<string, string>): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(lines))
    if (!headers.has(name)) headers.set(name, value);
  return new Response(response.body, {
    status: response.status,
    statusText: response.statusText,
    headers,
  });
}
