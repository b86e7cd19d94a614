import { createControl } from '../control/control.js';
import { answerPreflight, corsHeaders, isPreflight } from '../http/cors.js';
import { exposedHeaders } from '../http/cors.js';
import type { MockService } from '../service/types.js';

/**
 * All that a port answers: the control side under `/_mock`, the description, preflights, and the service itself, which
 * pages of any origin may call. `host` is what the port listens on.
 */
export function createApp(
  service: MockService,
  options: { host: string },
): (request: Request) => Promise<Response> {
  const control = createControl(service, options);
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/_mock' || pathname.startsWith('/_mock/')) return control(request);
    if (isPreflight(request)) return answerPreflight(request);
    if (pathname === '/openapi.json' && request.method === 'GET')
      return withCors(Response.json(await description()));
    return withCors(await service.handle(request));
  };
}

/** Loaded when asked for: most runs never do. */
async function description(): Promise<unknown> {
  const { openApiDocument } = await import('../../src/contract/openapi.js');
  return openApiDocument();
}

const cors = Object.entries(corsHeaders(exposedHeaders));

/** Every answer is made for this request alone, so that its headers can be added to. */
function withCors(answer: Response): Response {
  if (answer.type !== 'error') for (const [name, value] of cors) answer.headers.set(name, value);
  return answer;
}
