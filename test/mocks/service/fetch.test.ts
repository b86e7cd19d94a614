import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createMockService, type MockService } from '../../../mocks/index.js';
import { call, send } from '../../support/raw.js';

const url = 'https://api.petstore.example/v1/pets';
const headers = { authorization: 'Bearer mock-free', 'content-type': 'application/json' };
const rex = '{"name":"Rex","categoryId":1}';
const reason = new Error('enough');

test('fetch, which needs no this, takes a text, a URL or a Request, with init over it, as the platform does', async () => {
  const service = createMockService({ seed: 2 });
  const { fetch } = service;
  const { authorization } = headers;
  const post = { method: 'post', headers };
  const blob = new Blob([rex], { type: 'application/json' });
  const beside = { signal: new AbortController().signal, credentials: 'omit' } as const;
  const answers = [
    await fetch(url, { headers }),
    await fetch(new URL(url), { headers: new Headers(headers) }),
    await fetch(new Request(url, { headers })),
    await fetch(new Request(url), { headers: Object.entries(headers) as [string, string][] }),
    await fetch(url, { headers, method: 'get' }),
    await fetch(new Request(url, { ...post, body: rex }), {}),
    await fetch(new Request(url, { ...post, body: rex }), beside),
    await fetch(url, { ...post, body: rex }),
    await fetch(url, { ...post, body: new TextEncoder().encode(rex) }),
    await fetch(url, { ...post, body: blob, headers: { authorization } }),
  ];
  const statuses = [...Array<number>(5).fill(200), ...Array<number>(5).fill(201)];
  expect(answers.map(({ status }) => status)).toEqual(statuses);
  expect(service.pets.list({ limit: 9 }).slice(2)).toMatchObject(Array(5).fill(JSON.parse(rex)));
});

test('fetch refuses what the platform refuses, with a rejection', async () => {
  const { fetch } = createMockService();
  // Where it was called instead of passed.
  await expect((fetch as () => Promise<Response>)()).rejects.toThrow('pass the function');
  for (const [input, init] of [
    ['no url', {}],
    ['https://user:secret@x.example/v1/pets', {}],
    [url, { method: 'GET', body: 'x' }],
    [url, { method: 'CONNECT' }],
    [url, { headers: { 'bad name': 'x' } }],
  ] as [string, RequestInit][]) {
    const ours = await fetch(input, init).catch((error: unknown) => error);
    expect([input, init, ours]).toEqual([input, init, expect.any(TypeError)]);
  }
});

test('a text without a Content-Type is sent as text/plain, as the platform does, and refused', async () => {
  const service = createMockService();
  const { status, json, headers: got } = await call(service, '/pets', { body: rex, type: null });
  expect([status, json.code]).toEqual([400, 'unsupported_content_type']);
  expect(got.get('x-mock-explain')).toContain('text/plain');
});

test('a signal that is aborted before rejects with its reason, and nothing arrives', async () => {
  const service = createMockService();
  const signal = AbortSignal.abort(reason);
  const request = () => new Request(url, { headers, signal });
  await expect(send(service, '/pets', { signal })).rejects.toBe(reason);
  await expect(service.fetch(request())).rejects.toBe(reason);
  await expect(service.fetch(request(), { redirect: 'manual' })).rejects.toBe(reason);
  await expect(service.handle(request())).rejects.toBe(reason);
  expect([service.requests.length, service.report().requests]).toEqual([0, 0]);
  // null takes the signal of a Request away.
  expect((await service.fetch(request(), { signal: null })).status).toBe(200);
});

test.for([
  ['an init', (init) => [url, init]],
  ['a Request', (init) => [new Request(url, init)]],
  [
    'an init, which takes the place of that of its Request,',
    ({ signal }) => [new Request(url, { headers, signal: AbortSignal.abort() }), { signal }],
  ],
] as [string, (init: RequestInit) => Parameters<typeof fetch>][])(
  'the signal of %s ends whatever is waited for at once, with its reason',
  async ([, request]) => {
    const waits: readonly ((service: MockService) => unknown)[] = [
      ({ faults }) => faults.add({ delay: 1_000_000 }),
      ({ faults }) => faults.add({ 'slow-body': 1_000_000 }),
      (service) => service.override('listPets', () => new Promise(() => {})),
      () => undefined,
    ];
    for (const [at, wait] of waits.entries()) {
      const service = createMockService({ latency: at === 3 ? 1_000_000 : 0 });
      wait(service);
      const controller = new AbortController();
      const sent = service.fetch(...request({ headers, signal: controller.signal }));
      const answer = sent.then((response) => response.text());
      setImmediate(() => controller.abort(reason));
      await expect(answer).rejects.toBe(reason);
      const { maxInFlight, mockDefects } = service.report();
      expect([maxInFlight, mockDefects]).toEqual([at === 3 ? 0 : 1, 0]);
    }
  },
);

test('a signal that is aborted on the way back rejects with its reason, though the work is done', async () => {
  const service = createMockService({ clock: 'virtual', latency: 100 });
  const controller = new AbortController();
  const answer = send(service, '/pets', { body: rex, signal: controller.signal });
  void service.clock.sleep(75).then(() => controller.abort(reason));
  await expect(answer).rejects.toBe(reason);
  expect(service.pets.size).toBe(1);
  expect(service.requests[0]).toMatchObject({ status: 201, answeredAt: service.clock.now() });
});

test('a call that an override aborts with NaN rejects with it, and is no defect of the mock', async () => {
  const controller = new AbortController();
  const service = createMockService();
  service.override('listPets', () => {
    controller.abort(NaN);
    controller.signal.throwIfAborted();
    return [];
  });
  await expect(send(service, '/pets', { signal: controller.signal })).rejects.toBe(NaN);
  expect(service.report().mockDefects).toBe(0);
});

test('a signal ends the wait for a body that never comes', async () => {
  const service = createMockService({ clock: 'virtual' });
  const controller = new AbortController();
  const body = new ReadableStream();
  const answer = send(service, '/pets', { body, signal: controller.signal });
  setImmediate(() => controller.abort(reason));
  await expect(answer).rejects.toBe(reason);
  await service.clock.sleep(5);
  expect(service.clock.monotonic()).toBe(5);
});

test('a call on a long-lived signal leaves no listener behind', async () => {
  const service = createMockService({ clock: 'virtual', latency: 10 });
  service.faults.add({ delay: 5, 'slow-body': 5 });
  service.override('listPets', (_input, next) => next());
  const controller = new AbortController();
  for (let sent = 0; sent < 20; sent++) await call(service, '/pets', { signal: controller.signal });
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

test('an answer of fetch has the address that was asked, without its fragment', async () => {
  const { fetch } = createMockService();
  expect((await fetch(`${url}?limit=1#top`, { headers })).url).toBe(`${url}?limit=1`);
  expect((await fetch(new Request(`${url}/1`, { headers }))).url).toBe(`${url}/1`);
});
