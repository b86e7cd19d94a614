import { headers, operations } from '../../src/contract/index.js';
import { explainHeader } from './response.js';

/** The headers of an answer that a page of another origin may read, beyond those that every page may. */
export function corsHeaders(exposed: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposed.join(', '),
  };
}

/** A browser asks before it sends: answered here, so that it costs no quota and needs no key. */
export function isPreflight(request: Request): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.has('Origin') &&
    request.headers.has('Access-Control-Request-Method')
  );
}

const methods = [...new Set(Object.values(operations).map(({ method }) => method))];

/** Allows what was asked for, by name: `*` does not cover `Authorization`. */
export function answerPreflight(request: Request): Response {
  const asked = request.headers.get('Access-Control-Request-Headers');
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': asked ?? 'Authorization, Content-Type',
      'Access-Control-Max-Age': '600',
      ...(request.headers.has('Access-Control-Request-Private-Network') && {
        'Access-Control-Allow-Private-Network': 'true',
      }),
    },
  });
}

/** Headers of an answer that a page of another origin must be allowed to read: for `Access-Control-Expose-Headers`. */
export const exposedHeaders: readonly string[] = [
  headers.limit,
  headers.remaining,
  headers.reset,
  headers.retryAfter,
  'Date',
  'Allow',
  explainHeader,
];
