import { bodyFaults } from '../faults/body-faults.js';
import type { Effects } from '../faults/fault-registry.js';
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

const bodyFaultNames = Object.keys(bodyFaults) as (keyof typeof bodyFaults)[];

/** Makes the response, with its body fault, which changes nothing where there is no body for it. */
export async function buildResponse(
  { clock }: ServiceContext,
  { method, signal }: ServiceRequest,
  answer: ResponseParts | Response,
  { headers, effects }: { headers: Record<string, string>; effects: Effects | undefined },
): Promise<{ readonly response: CompleteResponse | Response; readonly isReadable: boolean }> {
  const name = effects && bodyFaultNames.find((one) => effects[one] !== undefined);
  if (isResponse(answer) && name === undefined)
    return { response: copyResponse(answer, headers, method), isReadable: true };
  let parts = isResponse(answer) ? await readParts(answer) : answer;
  if (name !== undefined && hasBody(parts, method) && parts.text !== '') {
    const body = { parts, text: parts.text, clock, signal };
    parts = { ...parts, ...bodyFaults[name].run(body, effects![name] as never) };
  }
  return { response: completed(parts, headers, method), isReadable: !parts.isUnreadable };
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
