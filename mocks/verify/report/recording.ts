import { stringifyJson } from '../../../src/contract/json.js';
import type { Answer, Exchange } from '../ask/request.js';
import { isPet } from '../case.js';
import type { RecordedExchange, Recording } from '../types.js';

/** What the field `format` of a recording says. */
export const recordingFormat = 'petstore-recording/1';

/** A run as plain data. Keys are gone already; names of pets are replaced, and bodies that are no pets or errors are left out. */
export function recordingOf(
  exchanges: readonly Exchange[],
  origin: string,
  basePath: string,
): Recording {
  return { format: recordingFormat, origin, basePath, exchanges: exchanges.map(recorded) };
}

function recorded({ ask, sentAt, receivedAt, answer, failed }: Exchange): RecordedExchange {
  const { method, path, key, body, type } = ask;
  return {
    method,
    path,
    key,
    ...(body !== undefined && { body }),
    ...(type !== undefined && { type }),
    sentAt,
    receivedAt,
    ...(answer && { status: answer.status, headers: answer.headers, text: textOf(answer) }),
    ...(failed !== undefined && { failed }),
  };
}

function textOf({ json, text }: Answer): string {
  if (text === '') return '';
  if (Array.isArray(json)) return stringifyJson(json.map(withoutName));
  if (isPet(json)) return stringifyJson(withoutName(json));
  const { code, message, status } = (json ?? {}) as Record<string, unknown>;
  if (typeof code === 'string')
    return stringifyJson({
      code,
      ...(typeof message === 'string' && { message }),
      ...(typeof status === 'number' && { status }),
    });
  return json === undefined ? '' : stringifyJson(typeof json === 'object' ? {} : null);
}

/** A pet with a name that says nothing, and without the fields that the interface does not name. */
function withoutName(pet: unknown): unknown {
  if (!isPet(pet)) return {};
  const { id, categoryId, status } = pet;
  return { id, name: `Pet ${id}`, categoryId, ...(status !== undefined && { status }) };
}
