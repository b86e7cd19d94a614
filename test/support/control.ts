import { Worlds, type CreateWorld } from '../../mocks/control/worlds.js';
import { createMockService } from '../../mocks/index.js';
import { fromRequest } from '../../mocks/http/request.js';
import { toResponse } from '../../mocks/http/response.js';
import type { MockService, MockServiceOptions } from '../../mocks/service/types.js';
import { createApp } from '../../mocks/standalone/app.js';
import type { App } from '../../mocks/standalone/exchange.js';
import { stringifyJson } from '../../src/contract/json.js';

/** An app of a port in process. */
export function asking(onPort: App) {
  const app = async (request: Request) =>
    toResponse(await onPort({ ...fromRequest(request), toRequest: () => request }));
  /** What a program on the same machine sends to the port, with the key `mock-free`. */
  const ask = (method: string, path: string, body?: unknown, more: object = {}) => {
    const json = body !== undefined && { 'Content-Type': 'application/json' };
    const init = {
      method,
      headers: { Authorization: 'Bearer mock-free', ...json, ...more },
      ...(body !== undefined && { body: typeof body === 'string' ? body : stringifyJson(body) }),
    };
    return app(new Request(`http://127.0.0.1:4010${path}`, init));
  };
  return { app, ask };
}

/** The control API in process, with three pets and a virtual clock by default. */
export function control(options: MockServiceOptions = {}, own?: MockService) {
  const createWorld: CreateWorld = (changes) =>
    createMockService({ clock: 'virtual', seed: 3, ...options, ...changes });
  const service = own ?? createWorld({});
  const worlds = new Worlds(service, createWorld);
  return { service, worlds, ...asking(createApp(worlds, ['127.0.0.1'])) };
}

/** The JSON of an answer, as the test expects it. */
export const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T;
