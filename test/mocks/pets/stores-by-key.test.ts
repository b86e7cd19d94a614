import { expect, test } from 'vitest';
import { createMockService, type Snapshot } from '../../../mocks/index.js';

test.each(['production', 'staging'] as const)(
  'with isolate the pets of a key in %s, taken before a reset or a restore, are those that the service lists after it',
  async (environment) => {
    const service = createMockService({ seed: 2, isolate: 'key' });
    const mine = service.pets.forEnvironment(environment).forKey('mock-free');
    const listed = async () => {
      const headers = { Authorization: 'Bearer mock-free' };
      const request = new Request('https://api.petstore.example/v1/pets', { headers });
      return ((await (await service.handle(request, { environment })).json()) as unknown[]).length;
    };
    mine.add({ name: 'Three' });
    const snapshot = service.snapshot();
    const text = JSON.stringify(snapshot);
    for (const [putBack, size] of [
      [() => service.reset(), 2],
      [() => service.restore(snapshot), 3],
      [() => service.restore(JSON.parse(text) as Snapshot), 3],
    ] as const) {
      putBack();
      mine.add({ name: 'Next' });
      expect([mine.size, await listed()]).toEqual([size + 1, size + 1]);
      mine.clear();
      expect(await listed()).toBe(0);
    }
  },
);
