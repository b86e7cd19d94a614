import { expect, test, vi } from 'vitest';
import { json, pet, stubClient, stubFetch } from '../support/stub.js';

test('the process is warned once, with a type and a code by which the warning can be filtered', async () => {
  Reflect.deleteProperty(globalThis, Symbol.for('petstore-client.notices'));
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  for (let n = 0; n < 2; n += 1) await stubClient(stubFetch(json(pet()))).getPet(1);
  expect(warn.mock.calls).toEqual([
    [
      'getPet is deprecated and will be removed on 5 December 2030: use listPets with the status filter.',
      { type: 'DeprecationWarning', code: 'PETSTORE_DEP_GETPET' },
    ],
  ]);
  await stubClient(stubFetch(json([]))).listPets();
  expect(warn).toHaveBeenCalledOnce();
});
