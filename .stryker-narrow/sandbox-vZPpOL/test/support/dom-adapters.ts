// @ts-nocheck
// What a page in a DOM of a test reaches through msw: the same as in process. Run by test/mocks/msw/{jsdom,happy-dom}.test.ts.
import { expect, test } from 'vitest';
import { PetStoreClient, RateLimitError } from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { scenarios } from './behaviour.js';
import { throughMsw } from './ways.js';

const page = 'http://localhost:3000';
const addresses = [page, `${page}/api`, 'https://gate.test', 'https://gate.test/animals'];

export function testAdaptersInDom(): void {
  test.each(addresses)('through msw at %s, the service answers as in process', async (baseUrl) => {
    expect(location.origin).toBe(page);
    for (const { title, create, play } of scenarios.filter(({ isOfPages }) => isOfPages)) {
      const [reached, inProcess] = [create(), create()];
      const seen = await throughMsw(baseUrl)(reached, (at, send) => play(reached, at, send));
      expect([title, seen]).toEqual([title, await play(inProcess, page, inProcess.fetch)]);
    }
  });

  test.each(addresses)('a client at %s ignores the ban of an earlier service', async (baseUrl) => {
    const client = new PetStoreClient({
      apiKey: 'mock-free',
      baseUrl,
      dangerouslyAllowBrowser: true,
    });
    const banned = createMockService();
    banned.keys.get('mock-free').ban();
    // The handlers of the same service keep what the client knows.
    for (const _ of [1, 2])
      await throughMsw(baseUrl)(banned, () =>
        expect(client.listPets({}, { maxWait: 0 })).rejects.toThrow(RateLimitError),
      );
    expect(banned.requests).toHaveLength(1);
    await throughMsw(baseUrl)(createMockService(), async () => {
      const { id } = await client.createPet({ name: 'Rex', categoryId: 1 });
      expect(await client.listPets()).toMatchObject([{ id, name: 'Rex' }]);
    });
  });
}
