// The table of fake timers in docs/testing.md, with the msw version of the project.
import { mock } from 'node:test';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { setupMockServer } from '../../mocks/node.js';
import { PetStoreClient, resetRateLimitGates } from '../../src/index.js';

const server = setupMockServer({ seed: 3 });
const macrotask = setImmediate;

beforeAll(() => server.listen());
afterEach(() => {
  mock.timers.reset();
  server.service.reset();
  resetRateLimitGates();
});
afterAll(() => server.close());

type Faked = NonNullable<NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake']>;

const settings: readonly {
  readonly name: string;
  readonly toFake?: Faked;
  readonly byNode?: boolean;
}[] = [
  { name: "Vitest's defaults" },
  { name: 'setTimeout, clearTimeout and Date', toFake: ['setTimeout', 'clearTimeout', 'Date'] },
  { name: 'mock.timers of node:test', byNode: true },
];

/** Makes a call that has to wait for the next minute, and advances the fake time in steps. */
async function waitOutAMinute(
  client: PetStoreClient,
  exhaust: () => void,
  byNode: boolean,
): Promise<unknown> {
  await client.listPets();
  exhaust();
  let pets: unknown;
  const call = client.listPets().then((listed) => (pets = listed));
  for (let step = 0; step < 70 && pets === undefined; step++) {
    if (byNode) mock.timers.tick(1_000);
    else await vi.advanceTimersByTimeAsync(1_000);
    // A response needs real streams.
    for (let turns = 0; turns < 5; turns++) await new Promise(macrotask);
  }
  return call;
}

const ways = ['service.fetch', 'msw'] as const;

test.each(settings.flatMap((setting) => ways.map((way) => ({ ...setting, way }))))(
  'with $name faked, a call that waits for the rate limit completes in fake time with $way',
  async ({ toFake, byNode = false, way }) => {
    const now = Date.UTC(2026, 5, 1, 12, 0, 30);
    if (byNode) mock.timers.enable({ apis: ['setTimeout', 'Date'], now });
    else vi.useFakeTimers({ now, ...(toFake && { toFake }) });
    const service = way === 'msw' ? server.service : createMockService({ seed: 3 });
    const own = way === 'msw' ? {} : { fetch: service.fetch };
    const client = new PetStoreClient({ apiKey: 'mock-free', ...own });
    const exhaust = () => service.keys.get('mock-free').exhaust('minute');
    expect(await waitOutAMinute(client, exhaust, byNode)).toHaveLength(3);
    expect(service.report().rateLimited).toBe(1);
  },
);

test('with queueMicrotask faked, no response arrives, even without msw, because the streams of Node need it', async () => {
  vi.useFakeTimers({ toFake: ['queueMicrotask'] });
  const stop = new AbortController();
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
  let settled = false;
  const call = client.listPets({}, { signal: stop.signal }).finally(() => (settled = true));
  for (let turns = 0; turns < 500; turns++) await new Promise(macrotask);
  expect(settled).toBe(false);
  stop.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
