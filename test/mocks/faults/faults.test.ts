import { expect, test } from 'vitest';
import { PetSchema } from '../../../src/contract/index.js';
import { explainHeader, type Fault } from '../../../mocks/index.js';
import { call, quota, rex, send, virtual } from '../../support/raw.js';
import { settled } from '../../support/world.js';

const [plain, jsonType, html] = [
  'text/plain;charset=utf-8',
  'application/json',
  'text/html;charset=utf-8',
];
test.for([
  [{ status: 503 }, 503, /^\{"code":"injected_fault","message":".+","status":503\}$/, jsonType, 3],
  [{ status: 500, body: false }, 500, /^$/, null, 3],
  [{ status: 502, body: 'Bad gateway' }, 502, /^Bad gateway$/, plain, 3],
  [{ status: 400, body: { error: 'x' } }, 400, /^\{"error":"x"\}$/, jsonType, 3],
  [{ status: 202 }, 202, /^$/, null, 3],
  [{ status: 204, body: 'ignored' }, 204, /^$/, null, 3],
  [{ status: 502, html: true }, 502, /^<!doctype html>/, html, 3],
  [{ status: 500, 'empty-body': true }, 500, /^$/, null, 3],
  [{ 'malformed-json': true }, 201, /^\{"id":4.*[^}]$/, jsonType, 4],
  [{ 'empty-body': true }, 201, /^$/, null, 4],
  [{ html: true }, 201, /^<!doctype html>/, html, 4],
  [{ drift: 'huge-id' }, 201, /"id":9223372036854775807,/, jsonType, 4],
] as [Fault, number, RegExp, string | null, number][])(
  'after the fault %j a POST is answered %i with its body, and there are as many pets as the operation leaves',
  async ([fault, status, text, type, size]) => {
    const service = virtual({ faults: [{ ...fault, times: 1 }] });
    const { headers, ...answer } = await call(service, '/pets', { body: rex });
    expect([answer.status, headers.get('content-type')]).toEqual([status, type]);
    expect(answer.text).toMatch(text);
    expect(quota(headers).limit).toBe(60);
    if (status >= 400) expect(headers.get(explainHeader)).toContain('faults.add');
    expect(service.pets.size).toBe(size);
    expect((await call(service, '/pets')).status).toBe(200);
  },
);

test('delay, slow-body and clock-skew take ms or a length of time with its unit, and delays add up', async () => {
  const sequence = [{ delay: '2s' }, { 'slow-body': '1000ms' }, { 'clock-skew': '-90s' }] as const;
  const service = virtual({ faults: [{ sequence }, { delay: 1_000 }, { delay: 2_000, times: 1 }] });
  const spent = async () => {
    const before = service.clock.monotonic();
    const { headers } = await call(service, '/pets');
    const date = Date.parse(headers.get('date')!) - Date.UTC(2026, 0, 1);
    return [service.clock.monotonic() - before, date];
  };
  expect(await spent()).toEqual([5_000, 0]);
  expect(await spent()).toEqual([2_000, 5_000]);
  expect(await spent()).toEqual([1_000, 7_000 - 90_000]);
});

test('a flag that is false counts as left out, probability 0 never hits, and times Infinity has no end', async () => {
  const service = virtual();
  const off = service.faults.add({
    delay: 5,
    hang: false,
    html: false,
    'slow-body': false,
    'no-rate-limit-headers': false,
  });
  const never = service.faults.add({ status: 500, probability: 0 });
  const always = service.faults.add({ status: 503, times: Infinity });
  for (let sent = 0; sent < 20; sent++) expect((await call(service, '/pets')).status).toBe(503);
  expect([off.hits, never.hits, always.hits, service.faults.list().length]).toEqual([20, 0, 20, 3]);
  expect(service.requests[0]!.faults).toEqual(['delay', 'status']);
});

const moments = [
  [true, 3, {}],
  ['before', 3, {}],
  ['after', 4, {}],
  ['after', 4, { 'retry-after': 5 }],
] as const;

test.for(moments)(
  'network-error %j breaks the connection, and leaves %i pets, also beside %j',
  async ([when, size, more]) => {
    const service = virtual();
    service.faults.add({ 'network-error': when, ...more });
    const failure = await send(service, '/pets', { body: rex }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
    const headers = { authorization: 'Bearer mock-free' };
    const direct = await service.handle(new Request('https://x.example/v1/pets', { headers }));
    expect(direct.type).toBe('error');
    expect(service.pets.size).toBe(size);
    const faults = [...Object.keys(more), 'network-error'];
    expect(service.requests[0]).toMatchObject({ status: undefined, faults });
  },
);

test.for(moments)(
  'hang %j ends only by the signal, and leaves %i pets, also beside %j',
  async ([when, size, more]) => {
    const service = virtual({ faults: [{ hang: when, ...more }] });
    const controller = new AbortController();
    const reason = new Error('enough');
    const answer = send(service, '/pets', { body: rex, signal: controller.signal });
    await service.clock.sleep(10 * 86_400_000);
    expect(await settled(answer)).toBe(false);
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(service.pets.size).toBe(size);
  },
);

test('drop-body sends the Content-Length of the whole body, and half of the body', async () => {
  const service = virtual({ faults: [{ 'drop-body': true }] });
  const response = await send(service, '/pets');
  expect(response.status).toBe(200);
  const whole = JSON.stringify(service.pets.list());
  expect(response.headers.get('content-length')).toBe(String(whole.length));
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe(whole.slice(0, Math.floor(whole.length / 2)));
  await expect(reader.read()).rejects.toMatchObject({ name: 'TypeError', message: 'terminated' });
  await expect((await send(service, '/pets')).text()).rejects.toThrow('terminated');
});

test.each([0, 1, 2, 3, 20])(
  'slow-body comes in ten pieces over its time, and whole: a list of %i pets',
  async (seed) => {
    const service = virtual({ seed, faults: [{ 'slow-body': 5_000 }] });
    const response = await send(service, '/pets');
    expect(service.clock.monotonic()).toBe(0);
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
      pieces.push(piece);
    expect(pieces).toHaveLength(10);
    const whole = JSON.stringify(service.pets.list());
    expect(new TextDecoder().decode(Buffer.concat(pieces))).toBe(whole);
    expect(service.clock.monotonic()).toBe(5_000);
  },
);

test.for([
  ['unknown-status', { status: 'reserved' }],
  ['extra-field', { unknownField: expect.any(String) as string }],
  ['missing-field', { name: undefined }],
  ['null-field', { name: null }],
  ['string-number', { id: '1' }],
] as const)('drift %s changes every pet of an answer', async ([drift, change]) => {
  const service = virtual({ faults: [{ drift }] });
  const { json } = await call(service, '/pets');
  const pet = service.pets.get(1)!;
  expect(json[0]).toEqual({ ...pet, ...change });
  expect(json).toHaveLength(3);
  expect((await call(service, '/pets/1')).json).toEqual(json[0]);
  expect(PetSchema.safeParse(json[0]).success).toBe(drift === 'extra-field');
  expect(PetSchema.safeParse(json[0], { validation: 'strict' } as object).success).toBe(false);
  expect((await call(service, '/pets/99')).json.code).toBe('pet_not_found');
});

test.for(['0', '-5', 'soon', '1.5', '', 'Wed, 21 Oct 2026 07:28:00 GMT', 99_999_999_999] as const)(
  'retry-after %j comes with a 429, also where the request would have been allowed, or with the given status',
  async (value) => {
    const fault = { 'retry-after': value, times: 1 };
    const service = virtual({ faults: [fault, { ...fault, status: 503 }, fault] });
    for (const [status, code] of [
      [429, 'injected_fault'],
      [503, 'injected_fault'],
      [429, 'rate_limit_exceeded'],
    ] as const) {
      if (code === 'rate_limit_exceeded') service.keys.get('mock-free').exhaust('minute');
      const { headers, ...answer } = await call(service, '/pets');
      expect(headers.get('retry-after')).toBe(String(value));
      expect(answer).toMatchObject({ status, json: { code } });
    }
  },
);

test('an injected 429 announces the end of the minute, and starts a cool-down', async () => {
  const service = virtual({ faults: [{ status: 429, times: 1 }], now: '2026-01-01T00:00:20Z' });
  expect((await call(service, '/pets')).headers.get('retry-after')).toBe('40');
  for (const wait of ['39s', '1s'] as const) {
    service.clock.advance(wait);
    await call(service, '/pets');
  }
  expect(service.requests.map(({ inCoolDown }) => inCoolDown)).toEqual([false, true, false]);
});

test('no-rate-limit-headers leaves the three out, also of a 401 and a 429', async () => {
  const service = virtual({ faults: [{ 'no-rate-limit-headers': true }] });
  service.keys.get('mock-pro').exhaust('minute');
  const statuses: number[] = [];
  for (const key of ['mock-free', 'mock-pro', null]) {
    const { status, headers } = await call(service, '/pets', { key });
    statuses.push(status);
    expect(quota(headers)).toEqual({ limit: NaN, remaining: NaN, reset: NaN });
    expect(headers.has('date')).toBe(true);
  }
  expect(statuses).toEqual([200, 429, 401]);
});

test('clock-skew moves Date, Reset and a Retry-After date, and not the limiter', async () => {
  const service = virtual({
    faults: [{ 'clock-skew': 120_000 }],
    assumptions: { retryAfter: 'http-date' },
  });
  service.keys.get('mock-free').exhaust('minute');
  const { headers } = await call(service, '/pets');
  expect(headers.get('date')).toBe('Thu, 01 Jan 2026 00:02:00 GMT');
  expect(headers.get('retry-after')).toBe('Thu, 01 Jan 2026 00:03:00 GMT');
  expect(quota(headers).reset).toBe(Date.UTC(2026, 0, 1, 0, 3) / 1_000);
  service.clock.advance('1m');
  expect((await call(service, '/pets')).status).toBe(200);
});
