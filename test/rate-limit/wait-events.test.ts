import { expect, test, vi } from 'vitest';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { createRateLimitGate } from '../../src/index.js';
import type {
  Clock,
  PetStoreEvent,
  PetStoreClientOptions,
  RateLimitError,
  WaitCause,
} from '../../src/index.js';
import { errorResponse, json, stubClient, stubFetch } from '../support/stub.js';
import { rejection, times, world } from '../support/world.js';

type Cause = WaitCause | undefined;
const none = undefined;

test.each<[what: string, before: number, fault: object | undefined, causes: Cause[][]]>([
  ['the first request of the process', 0, none, [[none], ['probe'], ['probe']]],
  [
    'as many in flight as may be',
    1,
    none,
    [[none], [none], [none], [none], ['in-flight'], ['queue']],
  ],
  ['a 429', 1, { 'retry-after': 3, times: 1 }, [[none, '429']]],
  ['a 503', 1, { status: 503, 'retry-after': 3, times: 1 }, [[none, 'overload']]],
  ['a window that is used up', 60, none, [['exhausted'], ['exhausted']]],
])('each attempt and its event say why it waited: %s', async (_what, before, fault, causes) => {
  const { service, client, events } = world({ latency: 100 });
  const pets = client();
  for (let n = 0; n < before; n += 1) await pets.listPets();
  if (fault !== undefined) service.faults.add(fault);
  events.length = 0;
  const calls = await Promise.all(times(causes.length, () => pets.listPets().withResponse()));
  expect(calls.map(({ attempts }) => attempts.map(({ cause }) => cause))).toEqual(causes);
  const requests = events.filter((event) => event.type === 'request');
  const told = requests.toSorted((a, b) => a.call - b.call).map(({ cause }) => cause);
  expect(told).toEqual(causes.flat());
  const holds = events.filter((event) => event.type === 'rate-limit-hold');
  const isHold = (cause: Cause) => ['429', 'overload', 'exhausted'].includes(cause ?? '');
  expect(holds.map(({ cause }) => cause)).toEqual(causes.flat().filter(isHold).slice(0, 1));
});

test.each<[before: number, causes: WaitCause[]]>([
  [0, ['probe', 'probe']],
  [1, ['in-flight', 'queue']],
])('a call that has waited for a second without a hold says why: %#', async (before, causes) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const told: PetStoreEvent[] = [];
  const onEvent = (event: PetStoreEvent) => {
    if (event.type === 'rate-limit-wait') told.push(event);
  };
  const never = () => new Promise<Response>(() => undefined);
  const fetch = before === 0 ? stubFetch(never) : stubFetch(json([]), never);
  const stop = new AbortController();
  const client = stubClient(fetch, { onEvent, signal: stop.signal });
  if (before > 0) await client.listPets();
  const calls = times(causes.length + (before === 0 ? 1 : 4), () => rejection(client.listPets()));
  await vi.advanceTimersByTimeAsync(999);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(told.map((event) => 'cause' in event && event.cause)).toEqual(causes);
  expect(told[0]).toMatchObject({ operation: 'listPets', call: expect.any(Number) as number });
  stop.abort();
  await Promise.all(calls);
  expect(vi.getTimerCount()).toBe(0);
});

test.each<[string, PetStoreClientOptions]>([
  ['the gate of the process', {}],
  ['no gate', { gate: false }],
  ['an own gate, which names no cause', { gate: createRateLimitGate() }],
])(
  'a call whose retry the service puts off by two minutes says so after a second: %s',
  async (_name, options) => {
    vi.useFakeTimers();
    const told: PetStoreEvent[] = [];
    const onEvent = (event: PetStoreEvent) => {
      if (event.type.startsWith('rate-limit-')) told.push(event);
    };
    const busy = errorResponse(503, {}, { 'Retry-After': '120' });
    const call = stubClient(stubFetch(busy, json([])), { ...options, onEvent })
      .listPets()
      .withResponse();
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toMatchObject([{ type: 'rate-limit-wait', cause: 'overload' }]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect((await call).attempts.map(({ cause }) => cause)).toEqual([undefined, 'overload']);
    expect(told).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  },
);

const gates = [
  ['one process', () => undefined],
  ['a fleet', (clock: Clock) => createFleetGate({ store: memoryStore(() => clock.now()) })],
] as const;

/** A client whose key is used up for the minute, and the events of its holds. */
async function usedUp(make: (clock: Clock) => PetStoreClientOptions['gate']) {
  const { client, service, events } = world();
  const gate = make(service.clock);
  const pets = client({ gate });
  await Promise.all(times(60, () => pets.listPets()));
  const holds = () =>
    events.map(({ type }) => type).filter((type) => type.startsWith('rate-limit-'));
  return { pets, client, gate, clock: service.clock, holds };
}

test.each(gates)(
  'when the last call that waits has given up, its client hears of no hold any more, until a call waits again: %s',
  async (_name, gate) => {
    const { pets, clock, holds } = await usedUp(gate);
    const abort = new AbortController();
    const waiting = rejection(pets.listPets({}, { signal: abort.signal }));
    await clock.sleep(10);
    expect(holds()).toEqual(['rate-limit-hold']);
    abort.abort(new Error('the page is closed'));
    await waiting;
    expect(holds()).toEqual(['rate-limit-hold', 'rate-limit-resume']);
    const later = pets.listPets();
    await clock.sleep(10);
    expect(holds()).toEqual(['rate-limit-hold', 'rate-limit-resume', 'rate-limit-hold']);
    await later;
    expect(holds().at(-1)).toBe('rate-limit-resume');
  },
);

test.each(gates)(
  'a hold that grows too long for the last call that waits is over for its client: %s',
  async (_name, gate) => {
    const { client, service, events } = world();
    const pets = client({ gate: gate(service.clock), maxHold: 60_000 });
    await pets.listPets();
    // Two requests are on their way. The answer of the first holds its call, and that of the second is too long for both.
    const fault = service.faults.add({
      sequence: [
        { 'retry-after': 20, delay: 50 },
        { 'retry-after': 3_000, delay: 100 },
      ],
    });
    const errors = await Promise.all(times(2, () => rejection<RateLimitError>(pets.listPets())));
    expect(fault.hits).toBe(2);
    expect(errors.map(({ reason }) => reason)).toEqual(['hold', 'hold']);
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('rate-limit-'));
    expect(types).toEqual(['rate-limit-hold', 'rate-limit-resume']);
  },
);

test.each(gates)('a call that is refused tells of no hold: %s', async (_name, make) => {
  const { pets, client, gate, clock } = await usedUp(make);
  const waiting = pets.listPets();
  await clock.sleep(10);
  const told: string[] = [];
  const onEvent = ({ type }: PetStoreEvent) => void told.push(type);
  const impatient = client({ gate, maxHold: 1_000, onEvent });
  expect((await rejection<RateLimitError>(impatient.listPets())).reason).toBe('hold');
  await waiting;
  expect(told).toEqual(['call-end']);
});

test.each(gates)(
  'a client whose call waits already hears of the hold that a 429 to another client of the key begins: %s',
  async (_name, make) => {
    const { client, service } = world();
    const gate = make(service.clock);
    const told: string[] = [];
    const first = client({ gate });
    const second = client({
      gate,
      onEvent: ({ type }) => {
        if (type.startsWith('rate-limit-')) told.push(type);
      },
    });
    // The call of the second client waits for the response to that of the first.
    service.faults.add({ 'retry-after': 20, delay: 50, times: 1 });
    const refused = rejection<RateLimitError>(first.listPets({}, { maxHold: 0 }));
    const waiting = second.listPets();
    expect((await refused).reason).toBe('hold');
    await waiting;
    expect(told).toEqual(['rate-limit-hold', 'rate-limit-resume']);
  },
);
