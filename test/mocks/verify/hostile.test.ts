// Targets that are no such service, or stand badly in front of one: each gets a verdict that names it, in time.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createMockService, type MockServiceOptions } from '../../../mocks/index.js';
import {
  reportText,
  verifyService,
  type VerifyOptions,
  type VerifyReport,
} from '../../../mocks/verify/index.js';

const apiKey = 'sk/live+Geheim=="\\<0>';
const pets = () =>
  createMockService({ clock: 'virtual', seed: 30, keys: { [apiKey]: { plan: 'free' } } });
type Target = (service: ReturnType<typeof pets>) => typeof fetch;

const always =
  (make: () => Response): Target =>
  () =>
  () =>
    Promise.resolve(make());
const json = { 'content-type': 'application/json' };
/** Changes the answers of a service. */
const changed =
  (change: (response: Response, request: Request) => Response | Promise<Response>): Target =>
  (service) =>
  async (input, init) => {
    const request = new Request(input, init);
    return change(await service.fetch(request.clone()), request);
  };
const withHeaders = (headers: Record<string, string>) =>
  changed((response) => {
    const all = new Headers(response.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return new Response(response.body, { status: response.status, headers: all });
  });
const endless = () =>
  new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('[0,'.repeat(20_000))),
  });

async function verify(target: Target, options: Partial<VerifyOptions> = {}) {
  const service = pets();
  const report = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey,
    fetch: target(service),
    clock: service.clock,
    ...options,
  });
  return { service, report };
}

/** Nothing of a report holds the key, in any form in which a service may send it back. */
function assertNoKey(report: VerifyReport): void {
  const printed = [
    JSON.stringify(report, (_name, value: unknown) => (typeof value === 'bigint' ? '' : value)),
    reportText(report),
  ].join('\n');
  for (const form of [
    apiKey,
    encodeURIComponent(apiKey),
    JSON.stringify(apiKey).slice(1, -1),
    btoa(apiKey).slice(0, -4),
    btoa(`Bearer ${apiKey}`).slice(12, -4),
    btoa(`x:${apiKey}`).slice(4, -4),
    'Geheim',
  ])
    expect(printed.toLowerCase()).not.toContain(form.toLowerCase());
}

/** By what stands there instead of the service. */
const targets: Readonly<Record<string, readonly [Target, 0 | 1 | 2, RegExp]>> = {
  'a page of HTML': [
    always(() => new Response('<html>', { headers: { 'content-type': 'text/html' } })),
    1,
    /the body is not JSON \(Content-Type: text\/html\)/,
  ],
  'an endless body': [
    always(() => new Response(endless(), { headers: json })),
    2,
    /a body of more than 1048576 bytes/,
  ],
  'a body that never comes': [
    always(() => new Response(new ReadableStream({}), { headers: json })),
    2,
    /no whole answer within 300 ms/,
  ],
  'no answer at all': [() => () => new Promise(() => {}), 2, /no whole answer within 300 ms/],
  'a connection that is refused': [
    () => () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })),
    2,
    /fetch failed: ECONNREFUSED/,
  ],
  'a redirect that repeats the key': [
    always(
      () =>
        new Response(null, {
          status: 302,
          headers: { location: `https://elsewhere.example/?key=${encodeURIComponent(apiKey)}` },
        }),
    ),
    1,
    /redirects \(302\) to https:\/\/elsewhere/,
  ],
  'a 500 on everything': [
    always(() => Response.json({ code: 'x', message: apiKey, status: 500 }, { status: 500 })),
    2,
    /out of order \(500\)/,
  ],
  'a 429 on everything': [
    always(() => new Response(null, { status: 429 })),
    2,
    /Stopped: a 429 that was not asked for/,
  ],
  'a key that is refused': [
    always(() =>
      Response.json({ code: apiKey, message: btoa(apiKey), status: 401 }, { status: 401 }),
    ),
    2,
    /the API key was refused with 401: check that it is a key of this environment\. Exit 2\./,
  ],
  'JSON of another shape': [always(() => Response.json({ data: [] })), 1, /not an array of pets/],
  'an array of nothing': [always(() => Response.json([null])), 1, /not an array of pets/],
  'a 404 on everything': [
    always(() => Response.json({ code: 'x', message: 'x', status: 404 }, { status: 404 })),
    1,
    /status 404 for \/v1\/pets: is the address right\? --base-path/,
  ],
  '204 on everything': [always(() => new Response(null, { status: 204 })), 1, /status 204/],
  'an empty list on everything': [always(() => Response.json([])), 1, /auth\.missing-401.*→ 200/],
  'a service that answers without headers': [
    changed((response) => new Response(response.body, { status: response.status, headers: json })),
    1,
    /answer\.rate-limit-headers.*X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset/,
  ],
  'a limit of 0': [
    withHeaders({ 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' }),
    2,
    /Stopped: 0 of 0 requests left/,
  ],
  'a quota that stays used up': [
    withHeaders({ 'x-ratelimit-remaining': '0' }),
    2,
    /Stopped: 0 of 60 requests left, after 8 waits/,
  ],
  'headers that are no numbers': [
    withHeaders({ 'x-ratelimit-limit': 'many', 'x-ratelimit-reset': 'soon' }),
    1,
    /answer\.rate-limit-headers/,
  ],
  'a cache in front': [
    withHeaders({ age: '30' }),
    0,
    /minuteWindow +a cache has answered \(Age is above 0\)/,
  ],
  'a header that echoes the key': [
    withHeaders({ 'content-type': `application/json; key=${apiKey}`, date: apiKey }),
    0,
    /hold/,
  ],
};

test.for(Object.entries(targets))(
  '%s gets a verdict that names it, in time, and the key appears nowhere',
  async ([, [target, exitCode, message]]) => {
    // Short only for what never answers: any other answer may be slow to come on a machine with other things to do.
    const late = message.source.includes('within 300 ms');
    const { report } = await verify(target, late ? { timeout: 300 } : {});
    const text = reportText(report);
    expect(text).toMatch(message);
    expect([report.exitCode, text.includes(`Exit ${exitCode}.`)]).toEqual([exitCode, true]);
    expect(report.requests).toBeLessThanOrEqual(40);
    assertNoKey(report);
    if (late) expect(report.requests).toBe(1);
  },
);

/** Changes the bodies of errors. */
const changedErrors = (change: (text: string) => string): Target =>
  changed(async (response) =>
    response.status < 400 ? response : new Response(change(await response.text()), response),
  );

test('a service that echoes the key into a code tells no code', async () => {
  const key = JSON.stringify(apiKey).slice(1, -1);
  const { report } = await verify(changedErrors((text) => text.replace(/"code":"/, `$&${key} `)));
  expect(report.assumptions['answers.petNotFound']).toMatchObject({
    verdict: 'open',
    why: 'its code repeats the request',
  });
  assertNoKey(report);
});

test('codes that are drawn at random are left open', async () => {
  let count = 0;
  const { report } = await verify(
    changedErrors((text) => text.replace(/"code":"/, `$&${++count}`)),
    { allow: ['posts'] },
  );
  expect(report.assumptions['answers.missingKey']).toMatchObject({ why: 'it has several codes' });
  expect(report.assumptions['answers.contentType']!.verdict).toBe('open');
});

test('another program on the key leaves the windows open, and says so', async () => {
  let count = 0;
  const { report } = await verify((service) => async (input, init) => {
    if (++count % 3 === 0)
      await service.fetch('https://staging.petstore.example/v1/pets', {
        headers: { Authorization: `Bearer ${apiKey}` },
      });
    return service.fetch(input, init);
  });
  expect(report.assumptions['minuteWindow']).toMatchObject({
    verdict: 'open',
    why: expect.stringMatching(/another program may use the key/) as string,
  });
  for (const name of ['minuteWindow', 'resetMeaning', 'countingScope', 'unauthorizedCount'])
    expect(report.measured.assumptions).not.toHaveProperty(name);
});

test('a body that must be refused, but makes a pet, ends all bodies', async () => {
  const options: MockServiceOptions = {
    clock: 'virtual',
    seed: 30,
    keys: { [apiKey]: { plan: 'free' } },
  };
  const service = createMockService(options);
  let posts = 0;
  const { report } = await verify(
    () => async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== 'POST' || !request.headers.has('authorization'))
        return service.fetch(request);
      posts++;
      return Response.json({ id: 77, name: 'x', categoryId: 1 }, { status: 201 });
    },
    { allow: ['posts', 'create'], clock: service.clock },
  );
  expect([posts, report.petsCreated]).toEqual([1, ['77']]);
  expect(reportText(report)).toMatch(/created a pet from a body that it must refuse/);
});

test('real orders are neither kept nor shown', async () => {
  const { report } = await verify(
    changed((response, request) =>
      request.url.endsWith('/store/orders')
        ? Response.json([{ id: 1, customer: 'Mallory' }], { headers: response.headers })
        : response,
    ),
  );
  expect(report.assumptions['answers.storeOrders']).toMatchObject({ verdict: 'open', among: [] });
  expect(JSON.stringify(report)).not.toMatch(/Mallory|customer/);
});

test('names of pets are in no report', async () => {
  const service = createMockService({
    clock: 'virtual',
    keys: { [apiKey]: { plan: 'free' } },
    seed: [1, 2, 3].map((id) => ({ id, name: `Secret${id}`, categoryId: id })),
  });
  const { report } = await verify(() => service.fetch, { clock: service.clock });
  expect(report.exitCode).toBe(0);
  expect(JSON.stringify(report) + reportText(report)).not.toMatch(/Secret/);
});

test('an abort ends the run, and the report tells what was found out so far', async () => {
  const stop = new AbortController();
  let count = 0;
  const { report } = await verify(
    (service) => (input, init) => {
      if (++count === 5) stop.abort(new Error('enough'));
      return service.fetch(input, init);
    },
    { signal: stop.signal },
  );
  expect([report.stopped, report.exitCode]).toEqual(['it was interrupted', 2]);
  expect(report.statements['reach']!.verdict).toBe('holds');
  expect(report.requests).toBeLessThan(6);
});

test.for<[string, (write: (text: string) => void) => void, 0 | 1 | 2]>([
  [
    'a 103 before each answer',
    (write) =>
      write(
        `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]`,
      ),
    1,
  ],
  [
    'a body shorter than it says',
    (write) =>
      write(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 200\r\nconnection: close\r\n\r\n[]',
      ),
    2,
  ],
])('on a port, %s leads to a verdict', async ([, answer, exitCode]) => {
  const server = createServer();
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      answer((text) => socket.write(text));
      setTimeout(() => socket.end(), 50);
    });
  });
  server.removeAllListeners('request');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const report = await verifyService({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey,
    });
    expect(report.exitCode).toBe(exitCode);
    assertNoKey(report);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test.for<[Partial<VerifyOptions>, RegExp]>([
  [{ baseUrl: 'http://staging.petstore.example' }, /baseUrl must be https/],
  [{ baseUrl: 'staging' }, /baseUrl must be an absolute address/],
  [{ baseUrl: 'https://me:secret@staging.petstore.example' }, /no user name and no password/],
  [{ apiKey: 'two words' }, /visible ASCII/],
  [{ secondKey: apiKey }, /another key than apiKey/],
  [{ only: ['list', 'lst'] }, /only: .* named "lst"\. Did you mean list\?/],
  [{ only: [] }, /only is empty/],
  [{ only: [7 as never] }, /named "7"/],
  [{ maxRequests: 0 }, /maxRequests must be an integer from 1 to 1000/],
  [{ allow: ['everything' as never] }, /allow\.0 must be one of "posts", "create", "rate-limit"/],
  [{ basePath: 'v1' }, /basePath must be a path that begins with '\/'/],
])('the options %j are refused before anything is sent', async ([options, message]) => {
  const sent: unknown[] = [];
  const failure = await verify(
    () => (input) => {
      sent.push(input);
      return Promise.resolve(new Response());
    },
    options,
  ).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect((failure as Error).message).toMatch(message);
  expect((failure as Error).message).not.toMatch(/secret|Geheim/);
  expect(sent).toEqual([]);
});
