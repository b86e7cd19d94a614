import { expect, test } from 'vitest';
import { createMockService } from '../mocks/index.js';
import { setupMockServer } from '../mocks/node.js';
import { serve } from '../mocks/server.js';
import { optionsOf, play, scenarios, type Scenario, type Seen } from './support/behaviour.js';

const address = 'https://api.petstore.example';

const ways: Record<string, (scenario: Scenario) => Promise<Seen[]>> = {
  async msw(scenario) {
    const server = setupMockServer(optionsOf(scenario));
    scenario.prepare?.(server.service);
    server.listen();
    try {
      return await play(scenario, address, fetch);
    } finally {
      server.close();
    }
  },
  async 'a port'(scenario) {
    const service = createMockService(optionsOf(scenario));
    scenario.prepare?.(service);
    const server = await serve(service);
    try {
      return await play(scenario, server.url, fetch);
    } finally {
      await server.close();
    }
  },
};

async function inProcess(scenario: Scenario): Promise<Seen[]> {
  const service = createMockService(optionsOf(scenario));
  scenario.prepare?.(service);
  return play(scenario, address, service.fetch);
}

for (const scenario of scenarios) {
  test(`in process, the service ${scenario.title}`, async () => {
    const seen = await inProcess(scenario);
    expect(seen.map(({ status }) => status)).toEqual(scenario.expected);
  });

  for (const [name, through] of Object.entries(ways)) {
    test(`through ${name}, the service ${scenario.title}, byte for byte as in process`, async () => {
      expect(await through(scenario)).toEqual(await inProcess(scenario));
    });
  }
}
