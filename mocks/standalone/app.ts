import { createControl } from '../control/control.js';
import { ControlError } from '../control/read-body.js';
import { worldHeader, type Worlds } from '../control/worlds.js';
import { corsHeaders } from '../http/cors.js';
import type { MockService } from '../service/types.js';

/**
 * Routes every request to a port: to the control API under `/_mock`, the OpenAPI description, preflights, or the service itself, which
 * pages of any origin may call. `host` is the address that the server listens on.
 */
export function createApp(
  worlds: Worlds,
  options: { host: string },
): (request: Request) => Promise<Response> {
  const control = createControl(worlds, options);
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/_mock' || pathname.startsWith('/_mock/')) return control(request);
    if (pathname === '/openapi.json' && request.method === 'GET')
      return withCors(Response.json(await description()));
    const service = findService(worlds, request);
    return service instanceof Response ? withCors(service) : service.handle(request, inProduction);
  };
}

/** The service of the world that a request names, or an error response. */
function findService(worlds: Worlds, request: Request): MockService | Response {
  try {
    return worlds.get(request.headers.get(worldHeader) ?? '');
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const { status, code, message } = error;
    return Response.json({ code, message, status }, { status });
  }
}

/** A port serves production, regardless of the environment variables of this process. */
const inProduction = { environment: 'production' } as const;

/** Loaded on demand, because most runs never need it. */
async function description(): Promise<unknown> {
  const { openApiDocument } = await import('../../src/contract/openapi.js');
  return openApiDocument();
}

/** Responses of the service itself have these headers already. */
function withCors(answer: Response): Response {
  for (const [name, value] of Object.entries(corsHeaders)) answer.headers.set(name, value);
  return answer;
}
