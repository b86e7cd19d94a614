// Random bytes against a port. FUZZ_RUNS sets the number of runs, FUZZ_SEED repeats one.
import { expect, test } from 'vitest';
import { fc, fuzzRuns } from '../../support/fuzz.js';
import { sendRaw, startServed } from '../../support/served.js';

const numRuns = fuzzRuns(1_000, 10_000);

/** What the service may answer, and 4xx that Node itself gives to what is no HTTP. */
const documented = new Set([200, 201, 204, 400, 401, 403, 404, 405, 408, 413, 415, 429, 431, 501]);

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const word = fc.string({ maxLength: 12 });

const oneOf = (texts: string, separator = ' ') => fc.constantFrom(...texts.split(separator));

/** Requests that are nearly right: from these, more of the service is reached than from noise. */
const nearlyHttp = fc
  .record({
    method: oneOf('GET|POST|PUT|DELETE|HEAD|OPTIONS|PATCH|TRACE|CONNECT|get|', '|'),
    path: fc.oneof(
      oneOf(
        '/v1/pets /v1/pets/1 /v1/pets?limit=5 /_mock/state /_mock/clock / * http://x/v1/pets //',
      ),
      word,
    ),
    version: oneOf('HTTP/1.1|HTTP/1.0|HTTP/2|', '|'),
    headers: fc.array(
      fc.oneof(
        oneOf(
          'Host: localhost|Authorization: Bearer mock-free|Content-Type: application/json',
          '|',
        ),
        oneOf('Content-Length: 10|Transfer-Encoding: chunked|Expect: 100-continue', '|'),
        oneOf('Connection: close|Connection: Upgrade|Upgrade: h2c|Origin: https://x.test', '|'),
        oneOf('Access-Control-Request-Method: POST', '|'),
        fc.tuple(word, word).map(([name, value]) => `${name}: ${value}`),
      ),
      { maxLength: 8 },
    ),
    body: fc.oneof(
      oneOf('|{}|{"name":"x","categoryId":1}|5\r\nabcde\r\n0\r\n\r\n|{"advance":"1s"}', '|'),
      fc.json(),
      word,
    ),
  })
  .map(({ method, path, version, headers, body }) =>
    latin1(`${method} ${path} ${version}\r\n${headers.join('\r\n')}\r\n\r\n${body}`),
  );

const noise = fc.uint8Array({ maxLength: 200 });
const halves = [
  'GET /v1/pets HTT',
  'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"name"',
  'CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
];

test('whatever bytes come, only documented statuses are answered, and the service goes on', async () => {
  const { url, port } = await startServed({ seed: 5, limits: 'off' });
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 9, arbitrary: nearlyHttp }, { weight: 1, arbitrary: noise }),
      async (bytes) => {
        const answers = (await sendRaw(port, bytes)).matchAll(/^HTTP\/1\.1 (\d{3}) /gm);
        const seen = [...answers].map(([, status]) => Number(status));
        answered += seen.length;
        expect(seen.filter((status) => !documented.has(status) && status !== 100)).toEqual([]);
      },
    ),
    { numRuns, examples: halves.map((text): [Uint8Array] => [latin1(text)]) },
  );
  expect(answered).toBeGreaterThan(numRuns / 2);
  const headers = { Authorization: 'Bearer mock-free' };
  expect((await fetch(`${url}/v1/pets`, { headers })).status).toBe(200);
});
