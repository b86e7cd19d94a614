import * as z from 'zod/mini';
import type { ServiceRequest } from '../http/request.js';
import { check } from '../utils/check.js';
import { isNestedDeeper, jsonOf, readJson } from '../utils/json.js';
import { attempt } from '../utils/options.js';
import { checkOrigin } from './check-origin.js';
import { dashboardFile } from './dashboard/files.js';
import { ControlError, json, notFound } from './route.js';
import { controlDescription, routeList } from './routes.js';
import { worldHeader, type Worlds } from './worlds.js';

/** The longest body that the control API reads, in bytes. It does not depend on the assumption `maxBodyBytes`. */
const controlBodyLimit = 16 * 1_048_576;

/** The deepest nesting that the control API reads. */
const maxDepth = 100;

/** Whether the control API serves a path. */
export const isControlPath = (path: string): boolean =>
  path === '/_mock' || path.startsWith('/_mock/');

/** The control API, under `/_mock`: JSON and one page, without a key, without CORS, and only for pages of its own. `hosts`: as {@link checkOrigin} takes them. */
export function createControl(worlds: Worlds, hosts: readonly string[]) {
  return async (request: ServiceRequest): Promise<Response> => {
    const { method, path } = request;
    try {
      const refusal = checkOrigin(request, hosts);
      if (refusal !== undefined) throw new ControlError(403, 'forbidden', refusal);
      if (path === '/_mock')
        return new Response(null, { status: 308, headers: { Location: '/_mock/' } });
      const file = method === 'GET' ? dashboardFile(path) : undefined;
      return file ?? json(await run(worlds, request));
    } catch (error) {
      if (error instanceof ControlError) return error.response;
      // The service throws them for invalid values.
      if (error instanceof TypeError || error instanceof RangeError)
        return new ControlError(400, 'invalid_value', error.message).response;
      throw error;
    }
  };
}

/** `DELETE /faults` with an id in its body would remove all of them. */
const noBody = z.optional(z.strictObject({}));

async function run(worlds: Worlds, request: ServiceRequest): Promise<unknown> {
  const { method, headers } = request;
  const path = request.path.slice('/_mock'.length);
  if (path === '/openapi.json' && method === 'GET') return controlDescription();
  const found = routeList.filter(({ pattern }) => pattern.test(path));
  const row = found.find((one) => one.method === method);
  if (!row) throw noRoute(method, path, found.map((one) => one.method).join(', '));
  const { route, pattern } = row;
  const [, parameter = ''] = pattern.exec(path)!;
  const query = readQuery(route.query ?? z.strictObject({}), request.search);
  const world = headers.get(worldHeader) ?? '';
  const body = check(route.body ?? noBody, await readJsonBody(request), 'body');
  const id = attempt(() => decodeURIComponent(parameter));
  if (id === undefined) throw new TypeError(`The path has an invalid escape: ${parameter}`);
  return route.run({ service: worlds.get(world), world, worlds, id, body, query });
}

/** The fields of a query: each as text, or as the JSON that it is where its schema takes no text. */
function readQuery(schema: z.ZodMiniObject, search: string): Record<string, unknown> {
  const fields = [...new URLSearchParams(search)].map(([name, text]) => {
    const isKnown = Object.hasOwn(schema.shape, name);
    const takesText = !isKnown || z.safeParse(schema.shape[name]!, text).success;
    return [name, takesText ? text : (jsonOf(text) ?? text)] as const;
  });
  return check(schema, Object.fromEntries(fields), 'query');
}

/** The JSON of a request; undefined when there is no body. @throws ControlError that says what is wrong with it. */
async function readJsonBody(request: ServiceRequest): Promise<unknown> {
  const text = await request.readText(controlBodyLimit);
  if (text === undefined) {
    const why = `The body is too large: the control API reads ${controlBodyLimit} bytes at most.`;
    throw new ControlError(413, 'body_too_large', why);
  }
  if (text === '') return undefined;
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('Content-Type') ?? '')) {
    const why = 'The control API reads JSON only: send Content-Type: application/json.';
    throw new ControlError(415, 'unsupported_media_type', why);
  }
  const malformed = (why: string) =>
    new ControlError(400, 'malformed_json', `The control API cannot read the body as JSON: ${why}`);
  if (isNestedDeeper(text, maxDepth))
    throw malformed(`it is nested too deep, in more than ${maxDepth} levels.`);
  return readJson(text, malformed);
}

function noRoute(method: string, path: string, allowed: string): ControlError {
  if (allowed === '')
    return notFound(`There is no /_mock${path}: see /_mock/openapi.json for all paths.`);
  const message = `${method} is not allowed for /_mock${path}: use ${allowed}.`;
  return new ControlError(405, 'method_not_allowed', message, { Allow: allowed });
}
