import { expect, test } from 'vitest';
import { createMockService, type MockService } from '../../../mocks/index.js';
import { setupMockServer } from '../../../mocks/node.js';
import { serve } from '../../../mocks/server.js';
import { openApiDocument } from '../../../mocks/http/openapi.js';
import { optionsOf, play, scenarios, type Scenario, type Seen } from '../../support/behaviour.js';
import { answersFrom } from '../../support/openapi.js';
import { verified, verifiedServices } from '../../support/verified.js';

const address = 'https://api.petstore.example';

/** Makes a service reachable, and gives the address to `use`. */
type Way = <T>(service: MockService, use: (address: string) => Promise<T>) => Promise<T>;

const ways: Readonly<Record<string, Way>> = {
  async msw(service, use) {
    const server = setupMockServer({ service });
    server.listen();
    try {
      return await use(address);
    } finally {
      server.close();
    }
  },
  async 'a port'(service, use) {
    const server = await serve(service);
    try {
      return await use(server.url);
    } finally {
      await server.close();
    }
  },
};

function through(way: Way, scenario: Scenario): Promise<Seen[]> {
  const service = createMockService(optionsOf(scenario));
  scenario.prepare?.(service);
  return way(service, (at) => play(scenario, at, fetch));
}

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

  for (const [name, way] of Object.entries(ways)) {
    test(`through ${name}, the service ${scenario.title}, byte for byte as in process`, async () => {
      expect(await through(way, scenario)).toEqual(await inProcess(scenario));
    });
  }
}

for (const { title, options } of verifiedServices) {
  test(`an independent validator finds nothing wrong with the answers to the cases of the verification, ${title}`, async () => {
    const service = createMockService(options);
    const problems: string[] = [];
    await verified(service, address, async (input, init) => {
      const request = new Request(input, init);
      const response = await service.fetch(request.clone());
      problems.push(...(await problemsOf(request, response.clone())));
      return response;
    });
    expect(
      problems.filter(
        (problem) =>
          !/^GET \/pets answering (?:400|422) is|^GET \/petstore-verify\/unknown answering 401 is|answering (404|413|501) is not described$/.test(
            problem,
          ),
      ),
    ).toEqual([]);
  });

  for (const [name, way] of Object.entries(ways)) {
    test(`through ${name}, every request of the verification is answered as in process, ${title}`, async () => {
      const near = createMockService(options);
      const expected = await verified(near, address, near.fetch);
      const service = createMockService(options);
      const seen = await way(service, (at) => verified(service, at, fetch));
      expect(seen.length).toBeGreaterThan(60);
      expect(seen).toEqual(expected);
    });
  }
}
