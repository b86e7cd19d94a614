import { expect, test, vi } from 'vitest';
import { world } from '../support/world.js';

/** A client in a process of which no call was warned. */
function asNew() {
  Reflect.deleteProperty(globalThis, Symbol.for('petstore-client.notices'));
  const { client, events } = world({ seed: 1 });
  return { client: client(), events, warn: vi.spyOn(console, 'warn').mockReturnValue() };
}

const words =
  'getPet is deprecated and will be removed on 5 December 2030: use listPets with the status filter.';

test('the first getPet of a process warns, once, with a code and the replacement', async () => {
  const { client, events, warn } = asNew();
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue();
  await client.listPets();
  await client.createPet({ name: 'x', categoryId: 1 });
  expect(emit).not.toHaveBeenCalled();
  for (let n = 0; n < 2; n += 1) await client.getPet(1);
  const filter = { type: 'DeprecationWarning', code: 'PETSTORE_DEP_GETPET' };
  expect(emit.mock.calls).toEqual([[words, filter]]);
  expect(warn).not.toHaveBeenCalled();
  // Each call emits an event.
  const told = { type: 'deprecated', operation: 'getPet', call: expect.any(Number) as number };
  expect(events.filter(({ type }) => type === 'deprecated')).toEqual(
    Array(2).fill({ ...told, removedOn: '2030-12-05', replacement: 'listPets' }),
  );
});

const unsupported = (): never => {
  throw new Error('A Node.js API is used which is not supported in the Edge Runtime.');
};

test.each([
  ['there is no process', undefined],
  ['the process cannot warn', {}],
  ['the process throws at what it does not support', { emitWarning: unsupported }],
])('where %s, the console warns of getPet, once', async (_name, process) => {
  const { client, warn } = asNew();
  vi.stubGlobal('process', process);
  for (let n = 0; n < 2; n += 1) await client.getPet(1);
  expect(warn.mock.calls).toEqual([[`[PETSTORE_DEP_GETPET] DeprecationWarning: ${words}`]]);
});
