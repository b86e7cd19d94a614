import type { ServiceRequest } from '../http/request.js';
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

/** The error of something that is not there. */
export const notFound = (message: string): ControlError =>
  new ControlError(404, 'not_found', message);

/** The JSON of a request; undefined when there is no body. @throws ControlError that says what is wrong with it. */
export async function readJsonBody(
  request: Pick<ServiceRequest, 'headers' | 'readText'>,
): Promise<unknown> {
  const text = await request.readText(controlBodyLimit);
  if (text === undefined)
    throw new ControlError(
      413,
      'body_too_large',
      `The body is too large: the control API reads ${controlBodyLimit} bytes at most.`,
    );
  if (text === '') return undefined;
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('Content-Type') ?? ''))
    throw new ControlError(
      415,
      'unsupported_media_type',
      'The control API reads JSON only: send Content-Type: application/json.',
    );
  try {
    if (isNestedDeeper(text, maxDepth))
      throw new RangeError(`it is nested too deep, in more than ${maxDepth} levels.`);
    return parseJson(text);
  } catch (error) {
    const why = `The control API cannot read the body as JSON: ${(error as Error).message}`;
    throw new ControlError(400, 'malformed_json', why);
  }
}
