import {
  createControl,
  errorResponse,
  type HostOptions,
  isControlPath,
} from '../control/control.js';
import { worldHeader, type Worlds } from '../control/worlds.js';
import { corsHeaders } from '../http/cors.js';
import type { CompleteResponse } from '../http/response.js';
import { responderOf } from '../service/context.js';
import type { MockService } from '../service/types.js';
import type { App, PortRequest } from './port-request.js';

/**
 * Routes every request to a port: to the control API under `/_mock`, the OpenAPI description, preflights, or the service itself, which
 * pages of any origin may call.
 */
export function createApp(worlds: Worlds, options: HostOptions): App {
  const control = createControl(worlds, options);
  return async (request) => {
    const { path, method } = request;
    if (isControlPath(path)) return control(request);
    if (path === '/openapi.json' && method === 'GET')
      return withCors(Response.json(await description()));
    const world = request.headers.get(worldHeader) ?? '';
    let service: MockService;
    try {
      service = worlds.get(world);
    } catch (error) {
      return withCors(errorResponse(error));
    }
    return respondOnPort(service, request);
  };
}

/** A port serves production, regardless of the environment variables of this process. */
function respondOnPort(
  service: MockService,
  request: PortRequest,
): Promise<CompleteResponse | Response> {
  const own = responderOf(service.handle);
  return own
    ? own(request, 'production')
    : service.handle(request.toRequest(), { environment: 'production' });
}

/** Loaded on demand, because most runs never need it. */
async function description(): Promise<unknown> {
  const { openApiDocument } = await import('../http/openapi.js');
  return openApiDocument();
}

/** Responses of the service itself have these headers already. */
function withCors(answer: Response): Response {
  for (const [name, value] of Object.entries(corsHeaders)) answer.headers.set(name, value);
  return answer;
}
