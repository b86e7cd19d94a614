import { parseJson, stringifyJson } from '../../src/contract/json.js';
import { controlBodyLimit } from './bodies.js';
import { controlDescription } from './openapi.js';
import { ControlError } from './bodies.js';
import { routes, type Route } from './routes.js';
import { checkQuery } from './state.js';
import { css } from './dashboard/css.js';
import { html } from './dashboard/html.js';
import { script } from './dashboard/script.js';
import { refusal } from './guard.js';
import type { MockService } from '../service/types.js';

const files: Record<string, readonly [type: string, text: string]> = {
  '/_mock/': ['text/html', html],
  '/_mock/style.css': ['text/css', css],
  '/_mock/app.js': ['text/javascript', script],
};

/** The page loads nothing from elsewhere, and no other page may frame it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/** The control side of the stand-alone service, under `/_mock`: guarded, JSON only, without CORS. */
export function createControl(
  service: MockService,
  { host }: { host: string },
): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    const refused = refusal(request, host);
    if (refused !== undefined) return failure(403, 'forbidden', refused);
    if (url.pathname === '/_mock')
      return new Response(null, { status: 308, headers: { Location: '/_mock/' } });
    const file = files[url.pathname];
    if (file !== undefined && request.method === 'GET') return page(...file);
    if (url.pathname === '/_mock/openapi.json' && request.method === 'GET')
      return answer(controlDescription());
    return run(service, request, url);
  };
}

async function run(service: MockService, request: Request, url: URL): Promise<Response> {
  const path = url.pathname.slice('/_mock'.length);
  const [place, name] = path.startsWith('/keys/')
    ? ['/keys/{key}', path.slice('/keys/'.length)]
    : [path, ''];
  const route = (routes as Record<string, Route | undefined>)[`${request.method} ${place}`];
  if (route === undefined) return unknown(request.method, path, place);
  try {
    checkQuery(url.searchParams, Object.keys(route.query ?? {}));
    const body = route.body && (await readBody(request));
    return answer(
      route.run(service, { body, query: url.searchParams, name: decodeURIComponent(name) }),
    );
  } catch (error) {
    if (error instanceof ControlError) return failure(error.status, error.code, error.message);
    // The service says by these what is wrong with a value, and what would be right.
    if (error instanceof TypeError || error instanceof RangeError || error instanceof URIError)
      return failure(400, 'invalid_value', error.message);
    throw error;
  }
}

async function readBody(request: Request): Promise<unknown> {
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > controlBodyLimit)
    throw new ControlError(
      413,
      'body_too_large',
      `The body is too large: the control side reads ${controlBodyLimit} bytes at most.`,
    );
  const text = new TextDecoder().decode(bytes);
  if (text === '') return undefined;
  const type = request.headers.get('Content-Type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ControlError(
      415,
      'unsupported_media_type',
      'The control side reads JSON only: send Content-Type: application/json.',
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new ControlError(
      400,
      'malformed_json',
      `The body is not JSON: ${(error as Error).message}`,
    );
  }
}

function unknown(method: string, path: string, place: string): Response {
  const allowed = Object.keys(routes).flatMap((route) =>
    route.endsWith(` ${place}`) ? [route.slice(0, route.indexOf(' '))] : [],
  );
  if (allowed.length === 0)
    return failure(
      404,
      'not_found',
      `There is no /_mock${path}: see /_mock/openapi.json for what there is.`,
    );
  return failure(
    405,
    'method_not_allowed',
    `${method} is not for /_mock${path}: use ${allowed.join(' or ')}.`,
    {
      Allow: allowed.join(', '),
    },
  );
}

function failure(
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): Response {
  return answer({ code, message, status }, status, headers);
}

function answer(value: unknown, status = 200, headers?: Record<string, string>): Response {
  if (value === undefined) return new Response(null, { status: 204 });
  return new Response(stringifyJson(value), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}

function page(type: string, text: string): Response {
  return new Response(text, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    },
  });
}
