import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestValidationError } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const client = (reply: Response = json({})) => {
  const fetch = stubFetch(() => reply.clone());
  return { fetch, client: stubClient(fetch) };
};

test('a path keeps its own query whole, question marks and all', async () => {
  const { fetch, client: pets } = client();
  await pets.request({ method: 'GET', path: '/x?a=1?b=2' });
  expect(fetch.sent[0]!.url).toBe('https://pets.test/v1/x?a=1?b=2');
});

test.each([
  'https://evil.test/',
  '//evil.test/x',
  '/\\evil.test',
  '\\\\evil.test',
  '@evil.test/',
  ':80@evil.test',
  '.evil.test',
  '/../../admin',
  '/..',
  '/%2e%2e/admin',
  '/./x',
  '/x#fragment',
  '/x?a=#b',
  '/x y',
  '/x\n',
  '/x?a=b c',
  '/é',
  'store/orders',
  '',
  undefined,
  null,
  7,
  {},
])(
  'a path that is no encoded path of the service (%j) is refused, and nothing is sent',
  async (path) => {
    const { fetch, client: pets } = client();
    const error = await rejection<RequestValidationError>(
      pets.request({ method: 'GET', path: path as '/' }),
    );
    expect(error).toBeInstanceOf(RequestValidationError);
    expect(error.issues).toMatchObject([{ path: ['path'] }]);
    expect(error.message).toMatch(
      /path must be an encoded path of the service that begins with one slash/,
    );
    expect(fetch.sent).toEqual([]);
  },
);

test('whatever the path, no request leaves the address of the client', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.webPath(),
        fc.string().map((text) => `/${text}`),
      ),
      fc.string(),
      async (path, value) => {
        const { fetch, client: pets } = client();
        await pets
          .request({ method: 'GET', path: path as '/', query: { [value]: value } })
          .catch((error: unknown) => {
            expect(error).toBeInstanceOf(RequestValidationError);
          });
        for (const { url } of fetch.sent)
          expect(url.startsWith('https://pets.test/v1/')).toBe(true);
      },
    ),
  );
});
