// @ts-nocheck
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMockService, type FaultHandle, type Snapshot } from '../../../mocks/index.js';
import { control, json } from '../../support/control.js';
import { call } from '../../support/raw.js';

test('an id finds its fault under other assumptions', async () => {
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
    const statuses = [];
    for (let sent = 0; sent < 6; sent++) statuses.push((await call(service, '/pets')).status);
    expect(statuses).toEqual([200, 503, 200, 503, 200, 503]);
  }
});
