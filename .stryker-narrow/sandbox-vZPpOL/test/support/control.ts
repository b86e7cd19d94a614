// @ts-nocheck
import { Worlds, type CreateWorld } from '../../mocks/control/worlds.js';
import { createMockService } from '../../mocks/index.js';
import { toResponse } from '../../mocks/http/response.js';
import type { MockService, MockServiceOptions } from '../../mocks/service/types.js';
import { createApp } from '../../mocks/standalone/app.js';
import { portRequest } from './port-request.js';

/** The control API in process, with three pets and a virtual clock by default. */
export function control(options: MockServiceOptions = {}, host = '127.0.0.1', own?: MockService) {
  const createWorld: CreateWorld = (changes) =>
    createMockService({ clock: 'virtual', seed: 3, ...options, ...changes });
  const service = own ?? createWorld({});
  const worlds = new Worlds(service, createWorld);
  const onPort = createApp(worlds, { host });
  const app = async (request: Request) => toResponse(await onPort(portRequest(request)));
  /** What a program on the same machine sends to the port. */
  const ask = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    app(
      new Request(`http://127.0.0.1:4010${path}`, {
        method,
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  return { service, app, worlds, ask };
}

/** The JSON of an answer, as the test expects it. */
export const json = async <T>(answer: Promise<Response>): Promise<T> =>
  (await (await answer).json()) as T;
