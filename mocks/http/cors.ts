import { headers, operations } from '../../src/contract/index.js';
import type { RequestHeaders } from './request.js';
import { explainHeader } from './response.js';

/** Response headers that a page of another origin must be allowed to read: for `Access-Control-Expose-Headers`. */
export const exposedHeaders: readonly string[] = [
  ...Object.values(headers),
  'Date',
  'Allow',
  explainHeader,
];

/** The CORS headers of every response: pages of any origin may read it. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(', '),
};

/**
 * Whether a request is a CORS preflight: an OPTIONS request without a key, which no preflight has. The headers of a preflight
 * do not tell: happy-dom removes them before msw sees the request.
 */
export function isPreflight(method: string, headers: RequestHeaders): boolean {
  return method === 'OPTIONS' && !headers.has('Authorization');
}

/**
 * The response to a CORS preflight, which costs no quota and needs no key. Allows the methods of all operations, and those of
 * the overrides. Headers are allowed by name: `*` does not cover `Authorization`.
 */
export function preflightResponse(
  asked: RequestHeaders,
  overridden: readonly { readonly method: string }[],
): Response {
  const rows = [...Object.values(operations), ...overridden];
  const methods = new Set(rows.map(({ method }) => method));
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': [...methods].join(', '),
      'Access-Control-Allow-Headers':
        asked.get('Access-Control-Request-Headers') ?? 'Authorization, Content-Type',
      'Access-Control-Max-Age': '600',
      ...(asked.has('Access-Control-Request-Private-Network') && {
        'Access-Control-Allow-Private-Network': 'true',
      }),
    },
  });
}
