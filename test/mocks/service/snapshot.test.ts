// A snapshot as JSON text, restored into another service.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createMockService,
  type GivenAssumptions,
  type MockService,
  type MockServiceOptions,
  type Snapshot,
} from '../../../mocks/index.js';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import { call } from '../../support/raw.js';

const keys = ['mock-free', 'tiny', 'mock-pro', '__proto__', undefined] as const;
const hosts = ['https://api.petstore.example', 'https://staging.petstore.example'] as const;

/** A request, with a body where it is a POST. */
const request = fc.record({
  do: fc.constant('send' as const),
  key: fc.constantFrom(...keys),
  host: fc.constantFrom(...hosts),
  path: fc.constantFrom(
    '/v1/pets',
    '/v1/pets?limit=3',
    '/v1/pets?status=sold',
    '/v1/pets/1',
    '/v1/pets/9223372036854775807',
    '/v1/unknown',
  ),
  body: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    '{"name":"Rex","categoryId":9007199254740993}',
    '{"name":7}',
  ),
  wait: fc.constantFrom(0, 0, 1, 700, 12_345, 61_000),
});
const fault = fc.constantFrom(
  { status: 503, probability: 0.4 },
  { sequence: ['pass' as const, { status: 500 }, { 'retry-after': '3' }], times: 3 },
  { sequence: [{ status: 500 }, 'pass' as const], times: Infinity },
  { status: 200, body: { id: 9007199254740993n }, times: 2, key: 'tiny' },
  { 'clock-skew': '-90s' as const, times: Infinity },
);
const step = fc.oneof(
  { weight: 8, arbitrary: request },
  fc.record({ do: fc.constant('fault' as const), fault }),
  fc.record({ do: fc.constant('exhaust' as const), key: fc.constantFrom('mock-free', 'tiny') }),
  fc.record({ do: fc.constant('ban' as const), ms: fc.constantFrom(1, 90_000) }),
  fc.record({ do: fc.constant('add' as const), id: fc.constantFrom(7, 9223372036854775807n) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const kind = fc.constantFrom('fixed', 'from-first', 'sliding', 'token-bucket');
const assumptions = fc.record(
  {
    minuteWindow: kind,
    dayWindow: kind,
    resetMeaning: fc.constantFrom('full', 'next-slot'),
    countingScope: fc.constantFrom('key', 'key-and-operation', 'everyone'),
    environments: fc.constantFrom('separate', 'shared'),
    refusedCount: fc.boolean(),
    unauthorizedCount: fc.boolean(),
    idAssignment: fc.constantFrom('sequential', 'random'),
    listOrder: fc.constantFrom('id-ascending', 'shuffled'),
    omittedStatus: fc.constantFrom('available', 'absent'),
    clockSkew: fc.constantFrom(0, 5_000),
    nodes: fc.constant({ remaining: [0, 3], clock: [-300, 300] }),
    strikeRule: fc.constantFrom({ strikes: 2 }, { strikes: 3, forget: 30_000, extend: true }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<GivenAssumptions>;
const options = fc.record({
  assumptions,
  isolate: fc.constantFrom(undefined, 'key' as const),
  seed: fc.constantFrom(0, 4),
});

type Given = Omit<MockServiceOptions, 'isolate'> & { readonly isolate: 'key' | undefined };

function create({ isolate, ...rest }: Given) {
  return createMockService({
    clock: 'virtual',
    keys: { tiny: { plan: { perMinute: 3, perDay: 9 } }, ['__proto__']: { plan: 'free' } },
    ...(isolate && { isolate }),
    ...rest,
  });
}

/** Does one step, and returns what a client sees of it. */
async function run(service: MockService, now: Step): Promise<unknown> {
  if (now.do === 'fault') return void service.faults.add(now.fault);
  if (now.do === 'exhaust') return service.keys.get(now.key).exhaust('minute');
  if (now.do === 'ban') return service.keys.get('mock-pro').ban(now.ms);
  if (now.do === 'add')
    return service.pets.get(now.id) ?? service.pets.add({ id: now.id, categoryId: 3 });
  service.clock.advance(now.wait);
  const { key, host, path, body } = now;
  const response = await service.fetch(host + (body ? '/v1/pets' : path), {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body }),
  });
  return [response.status, [...response.headers], await response.text()];
}

test('a service that is restored from JSON text gives the same responses from then on', async () => {
  await fc.assert(
    fc.asyncProperty(
      options,
      fc.array(step, { maxLength: 25 }),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.boolean(),
      async (given, before, after, isExact) => {
        const service = create(given);
        for (const now of before) await run(service, now);
        const snapshot = service.snapshot();
        const text = JSON.stringify(snapshot);
        expect(stringifyJson(snapshot)).toBe(text);
        const other = create({ ...given, seed: 2, random: 99 });
        for (const now of after.slice(0, 3)) await run(other, now);
        other.restore((isExact ? parseJson(text) : JSON.parse(text)) as Snapshot);
        expect(JSON.parse(JSON.stringify(other.snapshot()))).toEqual(JSON.parse(text));
        for (const now of after) expect(await run(other, now)).toEqual(await run(service, now));
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);

test('a snapshot keeps the state of its moment, also when it is read later', () => {
  const service = createMockService({ clock: 'virtual', seed: 2 });
  const snapshot = service.snapshot();
  service.pets.clear();
  service.keys.get('mock-free').exhaust('minute');
  service.faults.add({ status: 500 });
  service.clock.advance('1h');
  const read = JSON.parse(JSON.stringify(snapshot)) as Snapshot;
  expect([read.pets.length, read.keys[0]!.used.minute.used, read.faults, read.now]).toEqual([
    2,
    0,
    [],
    Date.UTC(2026, 0, 1),
  ]);
});

test('restored into a service that counts in another way, a key has used as many requests', () => {
  const service = createMockService({ clock: 'virtual' });
  service.keys.get('mock-free').setRemaining('minute', 3);
  const other = createMockService({
    clock: 'virtual',
    assumptions: { minuteWindow: 'sliding', countingScope: 'key-and-operation' },
  });
  other.restore(JSON.parse(JSON.stringify(service.snapshot())) as Snapshot);
  expect(other.keys.get('mock-free').usage.minute.remaining).toBe(3);
});

test('overrides, the journal and the report stay as they are when a snapshot comes from JSON', async () => {
  const service = createMockService({ clock: 'virtual', seed: 1 });
  const text = JSON.stringify(service.snapshot());
  service.override('listPets', () => []);
  const headers = { Authorization: 'Bearer mock-free' };
  await service.fetch('https://api.petstore.example/v1/pets', { headers });
  service.restore(JSON.parse(text) as Snapshot);
  expect([service.requests.length, service.report().requests]).toEqual([1, 1]);
  const response = await service.fetch('https://api.petstore.example/v1/pets', { headers });
  expect(await response.json()).toEqual([]);
});

test('a system clock keeps its time when a snapshot comes from JSON', () => {
  const service = createMockService();
  const old = { ...service.snapshot(), now: 0 };
  service.restore(JSON.parse(JSON.stringify(old)) as Snapshot);
  expect(service.clock.now()).toBeGreaterThan(Date.UTC(2026, 0, 1) - 1);
});

test('a snapshot without the optional parts is restored with the counts of its keys', () => {
  const service = createMockService({ clock: 'virtual', seed: 1 });
  service.keys.get('mock-pro').setRemaining('day', 5);
  const { version, now, nextId, pets, keys: records, faults } = service.snapshot();
  const other = createMockService({ clock: 'virtual' });
  other.restore({ version, now, nextId, pets, keys: records, faults });
  expect(other.pets.list()).toEqual(service.pets.list());
  expect(other.pets.forEnvironment('staging').list()).toEqual(service.pets.list());
  expect(other.keys.get('mock-pro').usage.day.remaining).toBe(5);
});

/** A snapshot, as its parts. */
interface Parts extends Record<string, unknown> {
  readonly pets: readonly object[];
  readonly keys: readonly object[];
}

test.for<[string, (good: Parts) => object, RegExp]>([
  ['no object', () => [] as object, /^This is not a snapshot: /],
  ['without a version', () => ({}), /version is missing: take what snapshot\(\) has returned/],
  ['of another version', (good) => ({ ...good, version: 2 }), /version must be 1/],
  ['with an unknown part', (good) => ({ ...good, extra: 1 }), /extra/],
  ['of no date', (good) => ({ ...good, now: 9e15 }), /now must be a date/],
  [
    'with a pet twice',
    ({ pets, ...good }) => ({ ...good, pets: [...pets, pets[0]] }),
    /id 1 occurs twice/,
  ],
  [
    'with an id that is no int64',
    (good) => ({ ...good, nextId: '1e3' }),
    /nextId must be an int64/,
  ],
  [
    'with a key that cannot be',
    ({ keys: [key], ...good }) => ({ ...good, keys: [{ ...key, key: 'a b' }] }),
    /"a b" is not a key/,
  ],
  [
    'with an unknown plan',
    ({ keys: [key], ...good }) => ({ ...good, keys: [{ ...key, plan: 'gold' }] }),
    /plan is one of/,
  ],
  [
    'with a fault that is none',
    (good) => ({ ...good, faults: [{ fault: { status: 42 }, hits: 0, played: 0 }] }),
    /not a fault/,
  ],
  [
    'with a window of another kind',
    (good) => ({
      ...good,
      windows: {
        ...(good['windows'] as object),
        scopes: [{ scope: 'mock-free', minute: { times: [] }, day: { lacks: 0, seen: 0 } }],
      },
    }),
    /window of another kind/,
  ],
])('a snapshot %s is refused, and changes nothing', ([, change, message]) => {
  for (const kind of ['fixed', 'sliding', 'token-bucket'] as const) {
    const service = createMockService({
      clock: 'virtual',
      seed: 1,
      assumptions: { minuteWindow: kind },
    });
    const text = JSON.stringify(service.snapshot());
    const bad = change(JSON.parse(text) as Parts);
    expect(() => service.restore(bad as Snapshot)).toThrow(message);
    expect(JSON.stringify(service.snapshot())).toBe(text);
  }
});

test.for([
  [
    'a restore',
    (service: MockService) =>
      service.restore(
        JSON.parse(JSON.stringify(createMockService({ clock: 'virtual' }).snapshot())) as Snapshot,
      ),
  ],
  ['setRemaining', ({ keys }: MockService) => keys.get('mock-free').setRemaining('minute', 60)],
] as const)(
  'after %s that leaves nothing used, a window begins with the first request',
  async ([, change]) => {
    const service = createMockService({
      clock: 'virtual',
      assumptions: { minuteWindow: 'from-first' },
    });
    change(service);
    service.clock.advance('50s');
    await call(service, '/pets');
    const { used, resetAt } = service.keys.get('mock-free').usage.minute;
    expect([used, resetAt - service.clock.now()]).toEqual([1, 60_000]);
  },
);
