// @ts-nocheck
import { expect, test } from 'vitest';
import { createMockService, type MockServiceOptions } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';

const virtual = (options: MockServiceOptions = {}) =>
  createMockService({ clock: 'virtual', seed: 3, ...options });

test('a fault hits its operation and its key alone', async () => {
  const service = virtual();
  const lists = service.faults.add({ operation: 'listPets', status: 500 });
  const pro = service.faults.add({ key: 'mock-pro', status: 502 });
  const statusOf = async (path: string, key = 'mock-free') =>
    (await call(service, path, { key })).status;
  expect(await statusOf('/pets')).toBe(500);
  expect(await statusOf('/pets/1')).toBe(200);
  expect(await statusOf('/nothing')).toBe(404);
  expect(await statusOf('/pets/1', 'mock-pro')).toBe(502);
  expect(await statusOf('/pets', 'mock-pro')).toBe(500);
  expect([lists.hits, pro.hits]).toEqual([2, 1]);
  lists.remove();
  expect(await statusOf('/pets', 'mock-pro')).toBe(502);
  expect(service.faults.list()).toMatchObject([{ fault: { key: 'mock-pro', status: 502 } }]);
  service.faults.clear();
  expect(await statusOf('/pets', 'mock-pro')).toBe(200);
});

test('of two faults that decide the answer the first plays, and the other keeps its times', async () => {
  const service = virtual({ faults: [{ status: 500, times: 1 }] });
  const second = service.faults.add({ html: true, times: 1 });
  expect((await call(service, '/pets')).status).toBe(500);
  expect(second.hits).toBe(0);
  expect((await call(service, '/pets')).text).toContain('<html>');
});

test('a sequence plays one outcome for each request, pass included, for the given number of rounds', async () => {
  const service = virtual();
  const handle = service.faults.add({
    operation: 'listPets',
    sequence: [{ status: 503 }, 'pass', { 'retry-after': 9 }],
    times: 2,
  });
  const statuses: number[] = [];
  for (let sent = 0; sent < 8; sent++) statuses.push((await call(service, '/pets')).status);
  expect(statuses).toEqual([503, 200, 429, 503, 200, 429, 200, 200]);
  expect(handle.hits).toBe(4);
});

test('probability hits about this share of requests, and the same ones each time', async () => {
  const run = async (random: number) => {
    const service = virtual({ random, faults: [{ status: 500, probability: 0.3 }], limits: 'off' });
    const hits: boolean[] = [];
    for (let sent = 0; sent < 400; sent++) hits.push((await call(service, '/pets')).status === 500);
    return hits;
  };
  const hits = await run(5);
  const count = hits.filter(Boolean).length;
  expect(count > 80 && count < 160).toBe(true);
  expect(await run(5)).toEqual(hits);
  expect(await run(6)).not.toEqual(hits);
});

test('a request refused for its key or quota does not use up a fault of the answer', async () => {
  const service = virtual();
  const fault = service.faults.add({ status: 500, times: 1 });
  const wait = service.faults.add({ 'retry-after': 3, times: 1 });
  expect((await call(service, '/pets', { key: null })).status).toBe(401);
  expect([fault.hits, wait.hits]).toEqual([0, 0]);
  service.keys.get('mock-free').exhaust('minute');
  expect((await call(service, '/pets')).status).toBe(429);
  expect([fault.hits, wait.hits]).toEqual([0, 1]);
});

test('of two faults with Retry-After the first plays, and the other keeps its times, also on a request that is refused', async () => {
  const service = virtual({
    faults: [
      { 'retry-after': 3, times: 2 },
      { status: 503, 'retry-after': 5, times: 1 },
      { 'retry-after': 7, times: 1 },
      { status: 502, delay: 1, times: 1 },
    ],
  });
  const answers: string[] = [];
  for (let sent = 0; sent < 5; sent++) {
    service.keys.get('mock-free').setRemaining('minute', sent === 1 ? 0 : 60);
    const { status, headers } = await call(service, '/pets');
    answers.push(`${status} ${headers.get('retry-after')}`);
  }
  expect(answers).toEqual(['502 3', '429 3', '503 5', '429 7', '200 null']);
});

test('a body fault hits a request whose response has no body for it, and leaves that as it is, and is listed until it is used up', async () => {
  const service = virtual();
  const sequence = [{ drift: 'extra-field' }, 'pass', { html: true }] as const;
  const handle = service.faults.add({ sequence, times: 2 });
  const seen: string[] = [];
  for (const id of [9, 1, 1, 1, 1, 9, 1]) {
    expect(service.faults.list()).toHaveLength(seen.length < 6 ? 1 : 0);
    const { status, text } = await call(service, `/pets/${id}`);
    seen.push(`${status} ${/microchip|<html>/.exec(text)?.[0] ?? ''}`);
  }
  const plays = ['404 ', '200 ', '200 <html>', '200 microchip', '200 ', '404 <html>', '200 '];
  expect([seen, handle.hits]).toEqual([plays, 4]);
});
