import { expect, test } from 'vitest';
import {
  createMockService,
  type FaultHandle,
  type MockFaults,
  type Snapshot,
} from '../../../mocks/index.js';
import { call, statusesOf, virtual } from '../../support/raw.js';
import { control, json } from '../../support/control.js';
import { fc } from '../../support/fuzz.js';

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
});

test('what a fault has hit stays known after it is removed, however it is removed', async () => {
  const removals: readonly ((faults: MockFaults, id: number) => void)[] = [
    (faults) => faults.clear(),
    (faults, id) => faults.get(id)!.remove(),
  ];
  for (const remove of removals) {
    const service = virtual();
    const fault = service.faults.add({ status: 503 });
    await statusesOf(service, 2);
    remove(service.faults, fault.id);
    await statusesOf(service, 1);
    expect(fault.hits).toBe(2);
  }
});

test('probability hits about this share of requests, and the same ones each time', async () => {
  const run = async (random: number) => {
    const service = virtual({ random, faults: [{ status: 500, probability: 0.3 }], limits: 'off' });
    return (await statusesOf(service, 400)).map((status) => status === 500);
  };
  const hits = await run(5);
  const count = hits.filter(Boolean).length;
  expect(count > 80 && count < 160).toBe(true);
  expect(await run(5)).toEqual(hits);
  expect(await run(6)).not.toEqual(hits);
});

test('a request refused for its key or quota does not use up a fault of the answer, and of others takes what concerns its headers', async () => {
  const service = virtual();
  const fault = service.faults.add({ status: 500, times: 1 });
  const wait = service.faults.add({ 'retry-after': 3, times: 1 });
  service.faults.add({ delay: 60_000, 'retry-after': 9, 'clock-skew': 1_000 });
  const { status, headers } = await call(service, '/pets', { key: null });
  expect([status, headers.get('retry-after')]).toEqual([401, null]);
  expect(service.requests[0]!.faults).toEqual(['clock-skew']);
  expect(service.clock.monotonic()).toBe(0);
  expect([fault.hits, wait.hits]).toEqual([0, 0]);
  service.keys.get('mock-free').exhaust('minute');
  expect((await call(service, '/pets')).status).toBe(429);
  expect([fault.hits, wait.hits]).toEqual([0, 1]);
});

test('a sequence counts only requests that each of its outcomes could hit', async () => {
  const service = virtual();
  const third = ['pass', 'pass', { status: 503 }] as const;
  service.faults.add({ sequence: third, times: Infinity });
  const skewed = service.faults.add({ sequence: ['pass', { 'clock-skew': 1_000 }], times: 9 });
  const key = service.keys.get('mock-free');
  const statuses: number[] = [];
  for (let sent = 0; sent < 6; sent++) {
    await call(service, '/pets', { key: null });
    key.exhaust('minute');
    await call(service, '/pets');
    key.setRemaining(60);
    statuses.push((await call(service, '/pets')).status);
  }
  expect(statuses).toEqual([200, 200, 503, 200, 200, 503]);
  expect(skewed.hits).toBe(9);
});

test('of two faults that decide the answer, or its Retry-After, the first plays, and the other keeps its times, also on a request that is refused', async () => {
  const service = virtual({
    faults: [
      { 'retry-after': 3, times: 2 },
      { status: 503, 'retry-after': 5, times: 1 },
      { 'retry-after': 7, times: 1 },
      { status: 502, delay: 1, times: 1 },
      { html: true, times: 1 },
    ],
  });
  const answers: string[] = [];
  for (let sent = 0; sent < 5; sent++) {
    service.keys.get('mock-free').setRemaining('minute', sent === 1 ? 0 : 60);
    const { status, headers, text } = await call(service, '/pets');
    answers.push(`${status} ${headers.get('retry-after')} ${text[0]}`);
  }
  expect(answers).toEqual(['502 3 {', '429 3 {', '503 5 {', '429 7 <', '200 null [']);
});

test('a body fault hits a request whose response has no body for it, and leaves that as it is, and is listed until it is used up', async () => {
  const service = virtual();
  const sequence = [{ drift: 'extra-field' }, 'pass', { html: true }] as const;
  const handle = service.faults.add({ sequence, times: 2 });
  const seen: string[] = [];
  for (const id of [9, 1, 1, 1, 1, 9, 1]) {
    expect(service.faults.list()).toHaveLength(seen.length < 6 ? 1 : 0);
    const { status, text } = await call(service, `/pets/${id}`);
    seen.push(`${status} ${/unknownField|<html>/.exec(text)?.[0] ?? ''}`);
  }
  const plays = ['404 ', '200 ', '200 <html>', '200 unknownField', '200 ', '404 <html>', '200 '];
  expect([seen, handle.hits]).toEqual([plays, 4]);
});

test('a fault of a snapshot without ids gets a new one, and no id occurs twice', () => {
  const service = createMockService({ faults: [{ delay: 1 }] });
  const { faults, ...rest } = service.snapshot();
  const [{ id: _, ...without }] = faults as [Snapshot['faults'][number]];
  service.restore({ ...rest, faults: [without, { ...without, id: 7 }] });
  expect(service.faults.list().map(({ id }) => id)).toEqual([8, 7]);
  expect(service.faults.add({ delay: 2 }).id).toBe(9);
});

test('every handle agrees with the list of faults, whatever is saved, restored and removed', async () => {
  const step = fc.record({
    do: fc.constantFrom('add', 'call', 'save', 'reset', 'restore', 'remove'),
    times: fc.integer({ min: 1, max: 3 }),
    at: fc.nat(9),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const service = createMockService({ limits: 'off' });
      const handles: FaultHandle[] = [];
      const snapshots = [service.snapshot()];
      for (const one of steps) {
        if (one.do === 'add') handles.push(service.faults.add({ status: 500, times: one.times }));
        else if (one.do === 'call') await call(service, '/pets');
        else if (one.do === 'save')
          snapshots.push(JSON.parse(JSON.stringify(service.snapshot())) as Snapshot);
        else if (one.do === 'reset') service.reset();
        else if (one.do === 'restore') service.restore(snapshots[one.at % snapshots.length]!);
        else if (handles.length > 0) {
          const handle = handles[one.at % handles.length]!;
          const { hits } = service.faults.get(handle.id) ?? handle;
          handle.remove();
          expect([handle.hits, service.faults.get(handle.id)]).toEqual([hits, undefined]);
        }
        for (const shown of service.faults.list()) {
          const own = handles.find(({ id }) => id === shown.id)!;
          expect([own.fault, own.hits]).toEqual([shown.fault, shown.hits]);
        }
      }
    }),
  );
});

test('the control API writes an endless fault in a form that it accepts, and a snapshot keeps it endless, also beside one of a key that was revoked', async () => {
  for (const times of [Infinity, 'Infinity', null] as const) {
    const { service, ask } = control();
    service.faults.add({ sequence: ['pass', { status: 503 }], times });
    const [shown] = await json<{ fault: object }[]>(ask('GET', '/_mock/faults'));
    expect(shown!.fault).toMatchObject({ times: times === null ? null : 'Infinity' });
    expect((await ask('POST', '/_mock/faults', shown!.fault)).status).toBe(200);
    service.faults.list()[1]!.remove();
    service.faults.add({ status: 418, key: 'mock-business' });
    service.keys.revoke('mock-business');
    const snapshot = await (await ask('GET', '/_mock/snapshot')).text();
    expect((await ask('PUT', '/_mock/snapshot', snapshot)).status).toBe(204);
    expect(await statusesOf(service, 6)).toEqual([200, 503, 200, 503, 200, 503]);
  }
});
