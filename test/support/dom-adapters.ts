// What a page in a DOM of a test reaches through msw: the same as in process. Run by test/mocks/msw/{jsdom,happy-dom}.test.ts.
import { expect, test } from 'vitest';
import { PetStoreClient, RateLimitError } from '../../src/index.js';
import { createMockService } from '../../mocks/index.js';
import { setupMockServer } from '../../mocks/node.js';
import { optionsOf, play, scenarios } from './behaviour.js';

const page = 'http://localhost:3000';
const addresses = [page, `${page}/api`, 'https://gate.test', 'https://gate.test/animals'];

/** A page of another origin may send only the methods that the preflight allows. */
const readable = scenarios.filter(
  ({ faulty, steps }) => !faulty && steps.every(({ method = 'GET' }) => /GET|POST/.test(method)),
);

export function testAdaptersInDom(): void {
  test.each(addresses)('through msw at %s, the service answers as in process', async (baseUrl) => {
    expect(location.origin).toBe(page);
    for (const scenario of readable) {
      const [reached, inProcess] = [scenario, scenario].map((one) => {
        const service = createMockService(optionsOf(one));
        one.prepare?.(service);
        return service;
      });
      const server = setupMockServer({ service: reached!, baseUrl });
      server.listen();
      try {
        expect([scenario.title, await play(scenario, baseUrl, fetch)]).toEqual([
          scenario.title,
          await play(scenario, page, inProcess!.fetch),
        ]);
      } finally {
        server.close();
      }
    }
  });

  test.each(addresses)('a client adds a pet at %s', async (baseUrl) => {
    const server = setupMockServer({ baseUrl });
    server.listen();
    try {
      const client = new PetStoreClient({
        apiKey: 'mock-free',
        baseUrl,
        dangerouslyAllowBrowser: true,
      });
      const { id } = await client.createPet({ name: 'Rex', categoryId: 1 });
      expect(await client.listPets()).toMatchObject([{ id, name: 'Rex' }]);
    } finally {
      server.close();
    }
  });

  test.each(addresses)(
    'a client of a new service at %s does not wait for the ban of the service before it',
    async (baseUrl) => {
      const client = new PetStoreClient({
        apiKey: 'mock-free',
        baseUrl,
        dangerouslyAllowBrowser: true,
      });
      const ask = async (isBanned: boolean) => {
        const server = setupMockServer({ baseUrl, seed: 2 });
        server.listen();
        if (isBanned) server.service.keys.get('mock-free').ban();
        return client.listPets({}, { maxWait: 0 }).finally(() => {
          server.close();
        });
      };
      await expect(ask(true)).rejects.toThrow(RateLimitError);
      expect(await ask(false)).toHaveLength(2);
    },
  );
}
