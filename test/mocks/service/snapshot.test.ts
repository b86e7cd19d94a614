// One state on every way: `snapshot()` and `restore()`, their JSON, the control API, and the file of `--state`.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createMockService,
  knownKeys,
  SnapshotSchema,
  type GivenAssumptions,
  type MockService,
  type MockServiceOptions,
  type Snapshot,
} from '../../../mocks/index.js';
import { Worlds } from '../../../mocks/control/worlds.js';
import { openState } from '../../../mocks/standalone/state-file.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { control } from '../../support/control.js';
import { fc, fuzzRuns } from '../../support/fuzz.js';
import { call } from '../../support/raw.js';

const keys = ['mock-free', 'tiny', 'mock-pro', '__proto__', undefined] as const;
const hosts = ['https://api.petstore.example', 'https://staging.petstore.example'] as const;

const paths = ['/pets', '/pets?limit=3', '/pets?status=sold', '/pets/1', '/unknown'];
const bodies = ['{"name":"Rex","categoryId":9007199254740993}', '{"name":7}'];

/** A request, with a body where it is a POST. */
const request = fc.record({
  do: fc.constant('send' as const),
  key: fc.constantFrom(...keys),
  host: fc.constantFrom(...hosts),
  path: fc.constantFrom(...paths, '/pets/9223372036854775807'),
  body: fc.constantFrom(...bodies, undefined, undefined, undefined),
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
  fc.record({ do: fc.constant('clear' as const) }),
  fc.record({ do: fc.constant('limits' as const) }),
  fc.record({ do: fc.constant('back' as const) }),
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
    ids: fc.constantFrom(1, 'random'),
    listOrder: fc.constantFrom('id-ascending', 'shuffled'),
    omittedStatus: fc.constantFrom('available', 'absent'),
    clockSkew: fc.constantFrom(0, 5_000),
    nodes: fc.constant({ remaining: [0, 3], clock: [-300, 300] }),
    strikes: fc.constantFrom(2, 3),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<GivenAssumptions>;
const options = fc.record({ assumptions, seed: fc.constantFrom(0, 4) });

const create = (given: MockServiceOptions) =>
  createMockService({
    clock: 'virtual',
    keys: { tiny: { plan: { perMinute: 3, perDay: 9 } }, ['__proto__']: { plan: 'free' } },
    ...given,
  });

/** Does one step, and returns what a client sees of it. */
async function run(service: MockService, now: Step): Promise<unknown> {
  const { keys, pets, clock } = service;
  if (now.do === 'fault') return void service.faults.add(now.fault);
  if (now.do === 'exhaust') return keys.get(now.key).exhaust('minute');
  if (now.do === 'ban') return keys.get('mock-pro').ban(now.ms);
  if (now.do === 'add') return pets.get(now.id) ?? pets.add({ id: now.id, categoryId: 3 });
  if (now.do === 'clear') return pets.clear();
  if (now.do === 'limits') return void keys.add('tiny', { plan: 'free', limits: 'off' });
  if (now.do === 'back') return clock.set(clock.now() - 30_000);
  clock.advance(now.wait);
  const { key = null, host, path, body } = now;
  const raw = { key, host, body };
  const { status, headers, text } = await call(service, body ? '/pets' : path, raw);
  return [status, [...headers], text];
}

const folder = temporaryFolder();

const textOf = (service: MockService) => JSON.stringify(service.snapshot());
const fromText = (text: string) => JSON.parse(text) as Snapshot;

/** Brings the state of one service into another one. */
const ways: Record<string, (from: MockService, to: MockService) => unknown> = {
  'restore(snapshot())': (from, to) => to.restore(from.snapshot()),
  'JSON.parse': (from, to) => to.restore(fromText(textOf(from))),
  'the control API': async (from, to) => {
    const taken = await control({}, from).ask('GET', '/_mock/snapshot');
    const { ask } = control({}, to);
    expect((await ask('PUT', '/_mock/snapshot', await taken.text())).status).toBe(204);
  },
  'a state file': async (from, to) => {
    const file = join(folder, 'pets.json');
    for (const [service, isNew] of [
      [from, true],
      [to, false],
    ] as const) {
      const state = await openState(file, new Worlds(service));
      expect(state.isNew).toBe(isNew);
      await state.close();
    }
    rmSync(file);
    expect(existsSync(`${file}.lock`)).toBe(false);
  },
};

/** Steps of any service, before and after what a test does with its state. */
const holds = (test: (given: MockServiceOptions, before: Step[], after: Step[]) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(
      options,
      fc.array(step, { maxLength: 25 }),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      test,
    ),
    { numRuns: fuzzRuns(40) },
  );

test.for(Object.entries(ways))('a state moved by %s gives the same responses', ([, move]) =>
  holds(async (given, before, after) => {
    const service = create(given);
    for (const now of before) await run(service, now);
    const other = create({ ...given, seed: 2, random: 99 });
    for (const now of after.slice(0, 3)) await run(other, now);
    await move(service, other);
    expect(textOf(other)).toBe(textOf(service));
    expect(SnapshotSchema.safeParse(fromText(textOf(other))).error).toBeUndefined();
    for (const now of after) expect(await run(other, now)).toEqual(await run(service, now));
  }),
);

/** A value and all that it is made of. */
const partsOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value ? [value, ...Object.values(value).flatMap(partsOf)] : [];

test('reset, and a restore of the same service, give the same responses as at the start and at the snapshot, which is frozen', () =>
  holds(async (given, before, after) => {
    const service = create(given);
    const answers = async () => {
      const seen: unknown[] = [];
      for (const now of after) seen.push(await run(service, now));
      return seen;
    };
    const fresh = textOf(service);
    const assertPolite = undefined;
    for (const now of before) await run(service, now);
    const snapshot = service.snapshot();
    expect(partsOf(snapshot).filter((part) => !Object.isFrozen(part))).toEqual([]);
    expect(snapshot).toStrictEqual(fromText(JSON.stringify(snapshot)));
    const back = [JSON.stringify(snapshot), await answers()];
    for (let times = 0; times < 2; times++) {
      service.restore(snapshot);
      expect([textOf(service), await answers()]).toEqual(back);
    }
    service.override('listPets', () => []);
    service.keys.revoke('mock-pro');
    service.reset();
    const seen = [textOf(service), service.requests, service.report().requests];
    expect(seen).toEqual([fresh, [], 0]);
    const other = create(given);
    for (const now of after) expect(await run(service, now)).toEqual(await run(other, now));
    expect({ ...service.report(), assertPolite }).toEqual({ ...other.report(), assertPolite });
  }));

test('restored into a service with other assumptions, a key has used as many requests, of the quota that is assumed there', () => {
  const service = createMockService({ clock: 'virtual' });
  service.keys.get('mock-free').setRemaining('minute', 3);
  service.keys.add('mock-enterprise', { plan: 'enterprise', limits: 'off' });
  service.keys.get('mock-enterprise').setRemaining('day', 999_999_998);
  const enterpriseQuota = { perMinute: 7, perDay: 70 };
  const other = createMockService({
    clock: 'virtual',
    assumptions: { minuteWindow: 'sliding', countingScope: 'key-and-operation', enterpriseQuota },
  });
  other.restore(service.snapshot());
  expect(other.keys.get('mock-free').usage.minute.remaining).toBe(3);
  const { quota, usage, limits } = other.keys.get('mock-enterprise');
  expect([quota, usage.day.used, limits]).toEqual([enterpriseQuota, 2, 'off']);
  expect(other.keys.list().map(({ key }) => key)).toEqual(Object.keys(knownKeys));
});

test.each([
  { minuteWindow: 'sliding', dayWindow: 'token-bucket' },
  { countingScope: 'key-and-operation' },
  { countingScope: 'everyone' },
] as const)(
  'restored into a service with %o, what a key used in one environment counts in no other',
  async (assumptions) => {
    const service = createMockService({ clock: 'virtual' });
    for (let sent = 0; sent < 7; sent++) await call(service, '/pets');
    await call(service, '/pets', { host: hosts[1] });
    const other = createMockService({ clock: 'virtual', assumptions });
    other.restore(service.snapshot());
    const left = [];
    for (const host of hosts)
      left.push((await call(other, '/pets', { host })).headers.get('x-ratelimit-remaining'));
    expect(left).toEqual(['52', '58']);
  },
);

test('a restore leaves overrides, the journal, the report and a system clock as they are, a reset does not', async () => {
  const service = createMockService({ seed: 1 });
  const old = { ...service.snapshot(), now: 0 };
  service.override('listPets', () => []);
  await call(service, '/pets');
  service.restore(old);
  expect([service.requests.length, service.report().requests]).toEqual([1, 1]);
  expect(service.clock.now()).toBeGreaterThan(Date.UTC(2026, 0, 1) - 1);
  expect((await call(service, '/pets')).json).toEqual([]);
  service.clock.set('2040-01-01');
  service.reset();
  expect(service.clock.now()).toBeLessThan(Date.UTC(2039, 0));
});

const whole = fromText(textOf(createMockService({ seed: 1, faults: [{ delay: 1 }] })));
const [[aPet], [aKey], [aFault]] = [whole.pets, whole.keys, whole.faults];
const windows = (minute: object, day: object) => ({
  windows: { ...whole.windows, scopes: [{ scope: 'mock-free', minute, day }] },
});

test('a request in flight at a reset is answered, and adds no pet to those of after it', async () => {
  const body = { name: 'Rex', categoryId: 1 };
  for (const wait of ['a fault', 'an override', 'latency']) {
    const latency = wait === 'latency' ? 1_000 : 0;
    const service = createMockService({ clock: 'virtual', seed: 3, latency });
    if (wait === 'a fault') service.faults.add({ delay: 1_000 });
    if (wait === 'an override')
      service.override('createPet', async (_input, next) => {
        await service.clock.sleep(1_000);
        return next();
      });
    const late = call(service, '/pets', { body });
    await Promise.resolve();
    service.reset();
    expect((await late).json).toMatchObject({ id: 4, ...body });
    expect(service.pets.size).toBe(3);
    expect((await call(service, '/pets', { body })).json.id).toBe(4);
  }
});

test('a request that arrives after a reset, but was sent before it, uses no quota, no fault and no override of after it', async () => {
  const service = createMockService({ clock: 'virtual', seed: 3, latency: 1_000 });
  const late = call(service, '/pets');
  service.reset();
  const fault = service.faults.add({ delay: 5, times: 1 });
  service.override('listPets', () => [], { times: 1 });
  expect((await late).json).toHaveLength(3);
  expect([service.keys.get('mock-free').usage.minute.used, fault.hits]).toEqual([0, 0]);
  expect((await call(service, '/pets')).json).toEqual([]);
  expect([service.keys.get('mock-free').usage.minute.used, fault.hits]).toEqual([1, 1]);
});

test.for<[parts: object, RegExp]>([
  [[], /^snapshot must be an object of version, /],
  [{ version: 1 }, /version must be 2: take a snapshot\(\) or GET \/_mock\/snapshot of this/],
  [{ extra: 1 }, /^snapshot has no extra; it has: /],
  [{ now: 9e15 }, /now must be 8640000000000000 or less, got 9000000000000000/],
  [{ pets: [aPet, aPet] }, /id 1 occurs twice/],
  [{ pets: [{ ...aPet, name: 7 }] }, /pets\.0\.name must be a string/],
  [{ nextId: '1e3' }, /snapshot\.nextId must be an int64/],
  [{ keys: [{ ...aKey, key: 'a b' }] }, /snapshot\.keys\.0\.key must be visible ASCII characters/],
  [{ keys: [{ ...aKey, plan: 'gold' }] }, /plan must be one of "free", .*, got 'gold'/],
  [{ faults: [{ ...aFault, fault: { status: 42 } }] }, /^snapshot\.faults\.0\.fault\.status must/],
  [{ faults: [{ ...aFault, fault: '{"status":42}' }] }, /^fault\.status must be/],
  [{ faults: [{ ...aFault, fault: '{"status"' }] }, /^fault is not JSON: /],
  [windows({}, {}), /windows\.scopes\.0\.minute\.start must be a number/],
  [windows({ over: 0, counts: [] }, { lacks: 0, seen: 0 }), /window of another kind/],
])('a snapshot with %j is refused, and changes nothing', ([parts, message]) => {
  for (const minuteWindow of ['fixed', 'sliding', 'token-bucket'] as const) {
    const assumptions = { minuteWindow };
    const service = createMockService({ clock: 'virtual', seed: 1, assumptions });
    const text = textOf(service);
    const bad = Array.isArray(parts) ? parts : { ...fromText(text), ...parts };
    expect(() => service.restore(bad as Snapshot)).toThrow(message);
    expect(() => service.restore(bad as Snapshot)).toThrow(TypeError);
    expect(textOf(service)).toBe(text);
  }
});

test('after a restore that leaves nothing used, a window begins with the first request', async () => {
  const assumptions = { minuteWindow: 'from-first' } as const;
  const service = createMockService({ clock: 'virtual', assumptions });
  service.restore(createMockService({ clock: 'virtual' }).snapshot());
  service.clock.advance('50s');
  await call(service, '/pets');
  const { used, resetAt } = service.keys.get('mock-free').usage.minute;
  expect([used, resetAt - service.clock.now()]).toEqual([1, 60_000]);
});
