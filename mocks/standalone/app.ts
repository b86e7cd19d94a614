import { createControl, isControlPath } from '../control/control.js';
import { ControlError } from '../control/route.js';
import { worldHeader, type Worlds } from '../control/worlds.js';
import { corsHeaders } from '../http/cors.js';
import { explainHeader } from '../http/response.js';
import { insideOf } from '../service/service.js';
import type { App } from './exchange.js';

/**
 * Routes every request to a port: to the control API under `/_mock`, the OpenAPI description, or the service itself, which pages of
 * any origin may call. `hosts`: where the control API answers, besides loopback names.
 */
export function createApp(worlds: Worlds, hosts: readonly string[]): App {
  const control = createControl(worlds, hosts);
  return async (request) => {
    const { path, headers } = request;
    // HEAD is GET without the body: some programs send it to wait until the mock listens.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (isControlPath(path)) return control({ ...request, method });
    if (path === '/openapi.json' && method === 'GET') {
      // Loaded on demand, because most runs never need it.
      const { default: description } = await import('../../openapi.json', {
        with: { type: 'json' },
      });
      return Response.json(description, { headers: corsHeaders });
    }
    try {
      const { handle } = worlds.get(headers.get(worldHeader) ?? '');
      // A port serves production, regardless of the environment variables of this process.
      const environment = 'production';
      const inside = insideOf(handle);
      return await (inside?.respond(request, environment) ??
        handle(request.toRequest(), { environment }));
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      const { response } = error;
      const added = { ...corsHeaders, [explainHeader]: error.message };
      for (const [name, value] of Object.entries(added)) response.headers.set(name, value);
      return response;
    }
  };
}
