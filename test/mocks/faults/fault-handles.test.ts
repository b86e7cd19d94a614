import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService, type FaultHandle, type Snapshot } from '../../../mocks/index.js';
import { control, json } from '../../support/control.js';
import { call } from '../../support/raw.js';

test('a handle counts and removes its fault after restore() and reset()', async () => {
  const service = createMockService();
  const handle = service.faults.add({ status: 503 });
  await call(service, '/pets');
  const snapshot = service.snapshot();
  await call(service, '/pets');
  expect(handle.hits).toBe(2);
  service.restore(snapshot);
  expect(handle.hits).toBe(1);
  await call(service, '/pets');
  expect([handle.hits, service.faults.list()[0]!.hits]).toEqual([2, 2]);
  handle.remove();
  expect([(await call(service, '/pets')).status, handle.hits]).toEqual([200, 2]);
  service.restore(snapshot);
  service.reset();
  const next = service.faults.add({ status: 500 });
  handle.remove();
  expect((await call(service, '/pets')).status).toBe(500);
  expect(next.id).not.toBe(handle.id);
});

test('a handle and an id find their fault after a restore from JSON and other assumptions', async () => {
  const service = createMockService();
  const [first, second] = [service.faults.add({ delay: 1 }), service.faults.add({ status: 503 })];
  first.remove();
  service.restore(JSON.parse(JSON.stringify(service.snapshot())) as Snapshot);
  second.remove();
  expect(service.faults.list()).toEqual([]);

  const { ask } = control();
  for (const delay of [1, 2, 3, 4]) await ask('POST', '/_mock/faults', { delay });
  for (const id of [1, 4]) await ask('DELETE', `/_mock/faults/${id}`);
  await ask('PUT', '/_mock/assumptions', {});
  expect((await ask('DELETE', '/_mock/faults/2')).status).toBe(204);
  expect(await json(ask('POST', '/_mock/faults', { delay: 5 }))).toMatchObject({ id: 5 });
  expect(await json(ask('GET', '/_mock/faults'))).toMatchObject([
    { id: 3, fault: { delay: 3 } },
    { id: 5, fault: { delay: 5 } },
  ]);
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
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), times: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constantFrom<'call' | 'save' | 'reset'>('call', 'save', 'reset') }),
    fc.record({ do: fc.constant('restore' as const), at: fc.nat(9) }),
    fc.record({ do: fc.constant('remove' as const), at: fc.nat(9) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const service = createMockService({ limits: 'off' });
      const handles: FaultHandle[] = [];
      const snapshots = [service.snapshot()];
      for (const one of steps) {
        if (one.do === 'add') handles.push(service.faults.add({ status: 500, times: one.times }));
        else if (one.do === 'call') await call(service, '/pets');
        else if (one.do === 'save') snapshots.push(service.snapshot());
        else if (one.do === 'reset') service.reset();
        else if (one.do === 'restore') service.restore(snapshots[one.at % snapshots.length]!);
        else if (one.do === 'remove') handles[one.at % Math.max(1, handles.length)]?.remove();
        for (const shown of service.faults.list()) {
          const own = handles.find(({ id }) => id === shown.id)!;
          expect([own.fault, own.hits]).toEqual([shown.fault, shown.hits]);
        }
        if (one.do === 'remove' && handles.length > 0) {
          const { id } = handles[one.at % handles.length]!;
          expect(service.faults.get(id)).toBeUndefined();
        }
      }
    }),
  );
});

test('times: "Infinity" and null are the number Infinity as JSON writes it', async () => {
  for (const times of [Infinity, 'Infinity', null] as const) {
    const service = createMockService();
    service.faults.add({ sequence: ['pass', { status: 503 }], times });
    const statuses = [];
    for (let sent = 0; sent < 6; sent++) statuses.push((await call(service, '/pets')).status);
    expect(statuses).toEqual([200, 503, 200, 503, 200, 503]);
  }
});

test('the control API writes an endless fault in a form that it accepts, and a snapshot keeps it endless, also beside one of a key that was revoked', async () => {
  const { service, ask } = control();
  service.faults.add({ sequence: [{ status: 503 }], times: Infinity });
  const [shown] = await json<{ fault: object }[]>(ask('GET', '/_mock/faults'));
  expect(shown!.fault).toEqual({ sequence: [{ status: 503 }], times: 'Infinity' });
  expect((await ask('POST', '/_mock/faults', shown!.fault)).status).toBe(200);
  service.faults.add({ status: 418, key: 'mock-business' });
  service.keys.revoke('mock-business');
  const snapshot = await (await ask('GET', '/_mock/snapshot')).text();
  expect((await ask('PUT', '/_mock/snapshot', snapshot)).status).toBe(204);
  for (let sent = 0; sent < 3; sent++) expect((await call(service, '/pets')).status).toBe(503);
});
