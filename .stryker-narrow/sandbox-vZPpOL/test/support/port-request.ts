// @ts-nocheck
import { fromRequest } from '../../mocks/http/request.js';
import type { PortRequest } from '../../mocks/standalone/exchange.js';

/** A `Request` as the app on a port takes it. */
export function portRequest(request: Request): PortRequest {
  return {
    ...fromRequest(request),
    toRequest: () => request,
  };
}
