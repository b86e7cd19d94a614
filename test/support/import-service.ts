import { createMockService, type MockService, type MockServiceOptions } from '../../mocks/index.js';
import { serve, type MockHttpServer } from '../../mocks/server.js';

/** A service on a port whose plan, that of the key `quick`, lets an import through in seconds. */
export async function serveForImport(
  options: MockServiceOptions,
): Promise<{ service: MockService; server: MockHttpServer }> {
  const service = createMockService({
    keys: { quick: { plan: { perMinute: 100_000, perDay: 1_000_000 } } },
    ...options,
  });
  return { service, server: await serve(service, { grace: 20 }) };
}
