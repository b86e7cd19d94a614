import { afterEach, expect, test, vi } from 'vitest';
import { PetStoreClient } from '../../src/index.js';
import { refusal } from '../support/refusal.js';

afterEach(() => vi.unstubAllEnvs());

/** The globals of a place where code runs; those of Node are gone meanwhile. */
function inPlace(globals: Record<string, unknown>, work: () => void): void {
  const { env } = process;
  for (const name of ['window', 'document', 'navigator']) vi.stubGlobal(name, globals[name]);
  vi.stubGlobal('process', globals['process'] ?? { env });
  try {
    work();
  } finally {
    vi.unstubAllGlobals();
  }
}

const page = { window: { document: {} }, document: {}, navigator: { userAgent: 'Mozilla/5.0' } };

test('a key that is a string is refused in a page of a browser, and the message says how to allow it', () => {
  vi.stubEnv('PETSTORE_API_KEY', 'sk-live-123456');
  for (const options of [{ apiKey: 'sk-live-123456' }, {}, { dangerouslyAllowBrowser: false }])
    inPlace(page, () => {
      const { message } = refusal(options);
      expect(message).toMatch(/^apiKey is a string in a browser, .*dangerouslyAllowBrowser: true$/);
      expect(message).not.toContain('sk-live');
    });
});

test('in a page, a key of the mock, a key that a function gives, and one that is allowed are accepted', () => {
  for (const options of [
    { apiKey: 'mock-free' },
    { apiKey: 'mock-enterprise' },
    { apiKey: () => 'sk-live-1' },
    { apiKey: 'sk-live-1', dangerouslyAllowBrowser: true },
  ])
    inPlace(page, () => expect(new PetStoreClient(options)).toBeInstanceOf(PetStoreClient));
});

test.each<[string, Record<string, unknown>]>([
  ['jsdom or happy-dom under Node', { ...page, process: { env: {}, versions: { node: '24' } } }],
  ['a worker of a browser', { navigator: page.navigator }],
  ['an edge runtime', { navigator: { userAgent: 'Cloudflare-Workers' } }],
  ['React Native', { window: {}, navigator: { product: 'ReactNative' } }],
  ['a server with a window, but without a navigator', { window: { document: {} } }],
])('a key that is a string is accepted in %s', (_name, globals) => {
  inPlace(globals, () =>
    expect(new PetStoreClient({ apiKey: 'sk-live-1' })).toBeInstanceOf(PetStoreClient),
  );
});
