// The table of fake timers in docs/testing.md, on the msw of the project.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createMockService } from '../../mocks/index.js';
import { setupMockServer } from '../../mocks/node.js';
import { PetStoreClient, resetRateLimitGates } from '../../src/index.js';

const server = setupMockServer({ seed: 3 });
const turn = setImmediate;

beforeAll(() => server.listen());
afterEach(() => {
  vi.useRealTimers();
  server.service.reset();
  resetRateLimitGates();
});
afterAll(() => server.close());

type Faked = NonNullable<NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake']>;

const settings: readonly { readonly name: string; readonly toFake?: Faked }[] = [
  { name: "Vitest's defaults" },
  { name: 'setTimeout, clearTimeout and Date', toFake: ['setTimeout', 'clearTimeout', 'Date'] },
];

/** A call that has to wait for the next minute, while faked time moves on in steps. */
async function waitOutAMinute(client: PetStoreClient, exhaust: () => void): Promise<unknown> {
  await client.listPets();
  exhaust();
  let pets: unknown;
  const call = client.listPets().then((listed) => (pets = listed));
  for (let step = 0; step < 70 && pets === undefined; step++) {
    await vi.advanceTimersByTimeAsync(1_000);
    // An answer comes by way of real streams.
    for (let turns = 0; turns < 5; turns++) await new Promise(turn);
  }
  return call;
}

test.each(settings)(
  'under $name a wait at the limit is lived through in faked time with service.fetch',
  async ({ toFake }) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 5, 1, 12, 0, 30), ...(toFake && { toFake }) });
    const service = createMockService({ seed: 3 });
    const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
    expect(
      await waitOutAMinute(client, () => service.keys.get('mock-free').exhaust('minute')),
    ).toHaveLength(3);
    expect(service.report().rateLimited).toBe(1);
  },
);

test.each(settings)(
  'under $name a wait at the limit is lived through in faked time under msw',
  async ({ toFake }) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 5, 1, 12, 0, 30), ...(toFake && { toFake }) });
    const client = new PetStoreClient({ apiKey: 'mock-free' });
    const exhaust = () => server.service.keys.get('mock-free').exhaust('minute');
    expect(await waitOutAMinute(client, exhaust)).toHaveLength(3);
    expect(server.service.report().rateLimited).toBe(1);
  },
);

test('with queueMicrotask faked no answer comes, even without msw: the streams of Node itself need it', async () => {
  vi.useFakeTimers({ toFake: ['queueMicrotask'] });
  const stop = new AbortController();
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch: createMockService().fetch });
  let settled = false;
  const call = client.listPets({}, { signal: stop.signal }).finally(() => (settled = true));
  for (let turns = 0; turns < 500; turns++) await new Promise(turn);
  expect(settled).toBe(false);
  stop.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
