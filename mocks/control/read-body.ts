import type { ControlRequest } from '../http/request.js';
import type * as z from 'zod/mini';
import { parseJson } from '../../src/contract/json.js';
import { isNestedDeeper } from '../utils/json.js';

/** The longest body that the control API reads, in bytes. It does not depend on the assumption `maxBodyBytes`. */
export const controlBodyLimit = 16 * 1_048_576;

/** The deepest nesting that the control API reads. */
const maxDepth = 100;

/** A request that the control API rejects, with the status and code of the response. */
export class ControlError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** The error of an invalid value. */
export const invalidValue = (message: string): ControlError =>
  new ControlError(400, 'invalid_value', message);

/** The error of something that is not there. */
export const notFound = (message: string): ControlError =>
  new ControlError(404, 'not_found', message);

/** The error of a body that is no JSON, or too deep. */
const malformed = (message: string) => new ControlError(400, 'malformed_json', message);

/** The JSON of a request; undefined when there is no body. @throws ControlError that says what is wrong with it. */
export async function readJsonBody(
  request: Pick<ControlRequest, 'headers' | 'arrayBuffer'>,
): Promise<unknown> {
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > controlBodyLimit)
    throw new ControlError(
      413,
      'body_too_large',
      `The body is too large: the control API reads ${controlBodyLimit} bytes at most.`,
    );
  const text = new TextDecoder().decode(bytes);
  if (text === '') return undefined;
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('Content-Type') ?? ''))
    throw new ControlError(
      415,
      'unsupported_media_type',
      'The control API reads JSON only: send Content-Type: application/json.',
    );
  if (isNestedDeeper(text, maxDepth))
    throw malformed(
      `The body is nested too deep: the control API reads ${maxDepth} levels at most.`,
    );
  try {
    return parseJson(text);
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}`);
  }
}

/** Validates a body. @throws ControlError that names the field, and the known fields. */
export function parse<T extends z.ZodMiniType>(schema: T, body: unknown): z.output<T> {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data as z.output<T>;
  const issues = error.issues.map(
    ({ path, message }) => `${path.length === 0 ? 'body' : path.join('.')}: ${message}`,
  );
  throw invalidValue(issues.join('; '));
}
