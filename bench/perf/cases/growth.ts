import type { createMockService, MockService } from '../../../mocks/index.js';
import type { PetStoreClient as Client } from '../../../src/index.js';
import { calibrated, type Effort } from '../measure.js';
import { median } from '../stats.js';
import { init, url } from '../mocks/by-hand.js';

export interface GrowthCase {
  readonly what: keyof typeof grown;
  readonly count: number;
  readonly dist: string;
  readonly effort: Effort;
}

interface Entries {
  readonly createMockService: typeof createMockService;
  readonly PetStoreClient: typeof Client;
}

const ask = (service: MockService) => async () => (await service.fetch(url, init)).text();

/** Makes something large, and gives the request whose time must not grow with it. */
const grown = {
  pets: ({ createMockService }: Entries, count: number) => ask(createMockService({ seed: count })),
  faults: ({ createMockService }: Entries, count: number) => {
    const service = createMockService({ seed: 20 });
    // Of another key: each is looked at, and none hits.
    for (let at = 0; at < count; at++) service.faults.add({ key: 'mock-business', status: 500 });
    return ask(service);
  },
  'requests in the journal': async ({ createMockService }: Entries, count: number) => {
    const service = createMockService({ seed: 20 });
    for (let at = 0; at < count; at++) await ask(service)();
    return ask(service);
  },
  'clients of the process': async (
    { createMockService, PetStoreClient }: Entries,
    count: number,
  ) => {
    const { fetch } = createMockService({ seed: 20 });
    const clients = Array.from(
      { length: count },
      (_, at) =>
        new PetStoreClient({
          apiKey: `mock-enterprise`,
          baseUrl: `https://host-${at}.example`,
          fetch,
        }),
    );
    for (const client of clients) await client.listPets();
    return () => clients[0]!.listPets();
  },
} as const;

/** µs of a request while so much of something is there. */
export default async function growth({ what, count, dist, effort }: GrowthCase): Promise<number> {
  const mocks = (await import(new URL('mocks/index.js', dist).href)) as Pick<
    Entries,
    'createMockService'
  >;
  const client = (await import(new URL('index.js', dist).href)) as Pick<Entries, 'PetStoreClient'>;
  const work = await grown[what](
    { createMockService: mocks.createMockService, PetStoreClient: client.PetStoreClient },
    count,
  );
  return median(await calibrated(work, effort));
}
