// What messages say in a page of a browser, where there are no environment variables and no codes of failed connections.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ConnectionError } from '../../src/index.js';
import { PetStoreClient, type PetStoreClientOptions } from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { singleton } from '../../src/utils/singleton.js';
import { rejection } from '../support/world.js';

beforeEach(() => {
  vi.stubGlobal('window', { document: {} });
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
  vi.stubGlobal('process', undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const failToFetch = () => Promise.reject(new TypeError('Failed to fetch'));

const failed = (options: PetStoreClientOptions) =>
  rejection<ConnectionError>(
    new PetStoreClient({ fetch: failToFetch, maxRetries: 0, ...options }).listPets(),
  );

test('a failed connection without a code names CORS in a page, and nowhere else', async () => {
  const options = { apiKey: () => 'key-of-a-visitor', baseUrl: 'https://pets.test' };
  expect((await failed(options)).message).toBe(
    'listPets on pets.test: the connection failed (Failed to fetch), or the browser blocked it (CORS): see the console; try again later',
  );
  const refused = Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
  const withCode = await failed({ ...options, fetch: () => Promise.reject(refused) });
  expect(withCode.message).not.toContain('CORS');
  const other = await failed({ ...options, fetch: () => Promise.reject(new Error('my own')) });
  expect(other.message).not.toContain('CORS');
  vi.unstubAllGlobals();
  expect((await failed(options)).message).not.toContain('CORS');
});

test('where there are no environment variables, messages name the options alone', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  singleton('placeholders', () => new Set<string>()).clear();
  expect(() => new PetStoreClient()).toThrow(/^no API key: pass the option apiKey$/);
  const client = new PetStoreClient({ apiKey: () => 'key-of-a-visitor' });
  expect(client.baseUrl).toBe('https://api.petstore.example/v1');
  expect(warn.mock.calls).toEqual([[expect.stringContaining('pass the option baseUrl')]]);
  vi.stubGlobal('fetch', failToFetch);
  const { message } = await failed({ apiKey: 'mock-free', fetch: undefined });
  expect(message).toContain('is only a placeholder: pass the option baseUrl');
  expect([warn.mock.calls, message].join()).not.toMatch(/PETSTORE_|variable/);
});

test('a 404 of the development server, or to a key of the mock, asks whether the mock is started', async () => {
  const hint =
    'check baseUrl and the path; if the mock should answer: is the mock started, and does its baseUrl hold this address?';
  const empty = () => Promise.resolve(new Response(null, { status: 404 }));
  const apiKey = () => 'not-a-key';
  const local = await failed({ apiKey, baseUrl: 'http://localhost:5173/api', fetch: empty });
  expect(local.message).toMatch(new RegExp(`/api/v1/pets: ${hint.replace('?', '\\?')}$`));
  const known = await failed({ apiKey: 'mock-pro', baseUrl: 'https://pets.test', fetch: empty });
  expect(known.message).toContain(hint);
  const remote = await failed({ apiKey, baseUrl: 'https://pets.test', fetch: empty });
  expect(remote.message).toMatch(/check baseUrl and the path$/);
  const { fetch } = createMockService();
  const answered = await failed({
    apiKey: 'mock-pro',
    baseUrl: 'http://localhost:5173/v1/shop',
    fetch,
  });
  expect(answered.message).toMatch(/path_not_found.*check baseUrl and the path$/);
});
