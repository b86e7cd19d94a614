import {
  createMockService,
  type GivenAssumptions,
  type MockService,
  type MockServiceOptions,
} from '../../mocks/index.js';
import { attempt } from '../../mocks/utils/options.js';

/** A service with three pets on a virtual clock. */
export const virtual = (options: MockServiceOptions = {}): MockService =>
  createMockService({ clock: 'virtual', seed: 3, ...options });

/** The same, which answers by these assumptions. */
export const assume = (assumptions: GivenAssumptions, options?: MockServiceOptions): MockService =>
  virtual({ ...options, assumptions });

/** A body that was read: a pet, an error or a list, as the test expects. Not there for a body that is no JSON. */
export interface Body extends Array<Body> {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

const api = 'https://api.petstore.example';

/** The fields of a new pet. */
export const rex = { name: 'Rex', categoryId: 3 };

/** What a raw request says besides its path. */
export interface Raw {
  readonly key?: string | null;
  readonly method?: string;
  readonly body?: unknown;
  readonly type?: string | null;
  readonly signal?: AbortSignal;
  readonly host?: string;
}

/** A raw request through `service.fetch`: `path` stands behind `/v1`. A body that is neither a text nor a stream is sent as JSON. */
export function send(
  service: MockService,
  path: string,
  { key = 'mock-free', method, body, type = 'application/json', signal, host = api }: Raw = {},
): Promise<Response> {
  const headers: Record<string, string> = {};
  if (key !== null) headers['Authorization'] = `Bearer ${key}`;
  if (body !== undefined && type !== null) headers['Content-Type'] = type;
  const init: RequestInit = { method: method ?? (body === undefined ? 'GET' : 'POST'), headers };
  const isRaw = typeof body === 'string' || body instanceof ReadableStream;
  if (body !== undefined)
    Object.assign(init, { body: isRaw ? body : JSON.stringify(body), duplex: 'half' });
  if (signal) init.signal = signal;
  return service.fetch(`${host}/v1${path}`, init);
}

/** The same, read: status, headers and text. */
export async function call(service: MockService, path: string, raw: Raw = {}) {
  const response = await send(service, path, raw);
  const text = await response.text();
  const json = attempt(() => JSON.parse(text) as unknown) as Body;
  return { status: response.status, headers: response.headers, text, json };
}

/** The statuses of so many lists of pets, each asked for after the one before. */
export async function statusesOf(service: MockService, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent++) statuses.push((await call(service, '/pets')).status);
  return statuses;
}

/** The three rate-limit headers, as numbers; NaN for a missing one. */
export function quota(headers: Headers): { limit: number; remaining: number; reset: number } {
  const number = (name: string) => Number(headers.get(name) ?? NaN);
  return {
    limit: number('X-RateLimit-Limit'),
    remaining: number('X-RateLimit-Remaining'),
    reset: number('X-RateLimit-Reset'),
  };
}
