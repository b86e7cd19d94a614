// Random bytes against a port. FUZZ_RUNS sets the number of runs, FUZZ_SEED repeats one.
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { serve, type MockHttpServer } from '../../../mocks/server.js';
import { fuzzRuns } from '../../support/fuzz.js';

const numRuns = fuzzRuns(10_000);
const seed = process.env['FUZZ_SEED'];

const service = createMockService({ seed: 5, limits: 'off' });
let server: MockHttpServer;

beforeAll(async () => {
  server = await serve(service, { grace: 20 });
});

afterAll(() => server.close());

/** What the service may answer, and 4xx that Node itself gives to what is no HTTP. */
const documented = new Set([200, 201, 204, 400, 401, 403, 404, 405, 408, 413, 415, 429, 431, 501]);

/** Sends bytes, closes this side, and gives back the statuses that came. */
function statuses(bytes: Uint8Array): Promise<number[]> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () =>
      resolve([...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))),
    );
    socket.end(bytes);
  });
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const word = fc.string({ maxLength: 12 });

/** Requests that are nearly right: from these, more of the service is reached than from noise. */
const nearlyHttp = fc
  .record({
    method: fc.constantFrom(
      'GET',
      'POST',
      'PUT',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'PATCH',
      'TRACE',
      'get',
      '',
    ),
    path: fc.oneof(
      fc.constantFrom(
        '/v1/pets',
        '/v1/pets/1',
        '/v1/pets?limit=5',
        '/_mock/state',
        '/_mock/clock',
        '/',
        '*',
        'http://x/v1/pets',
        '//',
      ),
      word,
    ),
    version: fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2', ''),
    headers: fc.array(
      fc.oneof(
        fc.constantFrom(
          'Host: localhost',
          'Authorization: Bearer mock-free',
          'Content-Type: application/json',
          'Content-Length: 10',
          'Transfer-Encoding: chunked',
          'Expect: 100-continue',
          'Connection: close',
          'Connection: Upgrade',
          'Upgrade: h2c',
          'Origin: https://x.test',
          'Access-Control-Request-Method: POST',
        ),
        fc.tuple(word, word).map(([name, value]) => `${name}: ${value}`),
      ),
      { maxLength: 8 },
    ),
    body: fc.oneof(
      fc.constantFrom(
        '',
        '{}',
        '{"name":"x","categoryId":1}',
        '5\r\nabcde\r\n0\r\n\r\n',
        '{"advance":"1s"}',
      ),
      fc.json(),
      word,
    ),
  })
  .map(({ method, path, version, headers, body }) =>
    latin1(`${method} ${path} ${version}\r\n${headers.join('\r\n')}\r\n\r\n${body}`),
  );

const noise = fc.uint8Array({ maxLength: 200 });

test('whatever bytes come, only documented statuses are answered, and the service goes on', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 9, arbitrary: nearlyHttp }, { weight: 1, arbitrary: noise }),
      async (bytes) => {
        const seen = await statuses(bytes);
        answered += seen.length;
        expect(seen.filter((status) => !documented.has(status) && status !== 100)).toEqual([]);
      },
    ),
    { numRuns, ...(seed !== undefined && { seed: Number(seed) }) },
  );
  expect(answered).toBeGreaterThan(numRuns / 2);
  const response = await fetch(`${server.url}/v1/pets`, {
    headers: { Authorization: 'Bearer mock-free' },
  });
  expect(response.status).toBe(200);
});
