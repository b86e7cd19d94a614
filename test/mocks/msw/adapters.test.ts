import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { setupMockServer } from '../../../mocks/node.js';
import { serve } from '../../../mocks/server.js';
import { openApiDocument } from '../../../src/contract/openapi.js';
import { optionsOf, play, scenarios, type Scenario, type Seen } from '../../support/behaviour.js';
import { answersFrom } from '../../support/openapi.js';

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

const problemsOf = answersFrom(openApiDocument());

test.each(
  scenarios.filter(({ faulty }) => !faulty).map((scenario) => [scenario.title, scenario] as const),
)('an independent validator finds nothing amiss when the service %s', async (_title, scenario) => {
  const service = createMockService(optionsOf(scenario));
  scenario.prepare?.(service);
  const problems: string[] = [];
  await play(scenario, address, async (input, init) => {
    const request = new Request(input, init);
    const response = await service.fetch(request.clone());
    problems.push(...(await problemsOf(request, response.clone())));
    return response;
  });
  // What the interface does not name (an invalid limit, an unknown path, a wrong method, a body too long) is in no description.
  expect(
    problems.filter(
      (problem) =>
        !/^GET \/pets answering 400 is|answering (404|405|413|501) is not described$/.test(problem),
    ),
  ).toEqual([]);
});

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
