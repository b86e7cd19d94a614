import { describe, expect, test, vi } from 'vitest';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import { createRateLimitGate } from '../../src/index.js';
import type { PetStoreEvent, PetStoreClientOptions, RateLimitError } from '../../src/index.js';
import { errorResponse, json, stubClient, stubFetch, type Reply } from '../support/stub.js';
import { never, rejection, times, world } from '../support/world.js';

type Cause = string | undefined;
const none = undefined;

test.each<[what: string, before: number, fault: object | undefined, causes: Cause[][]]>([
  ['the first request of the process', 0, none, [[none], ['probe'], ['probe']]],
  ['a full window', 1, none, [[none], [none], [none], [none], ['in-flight'], ['queue']]],
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

/** A client of these replies, in fake time, and what it tells of its waits. */
function inFakeTime(options: PetStoreClientOptions, ...replies: Reply[]) {
  vi.useFakeTimers();
  const told: PetStoreEvent[] = [];
  const onEvent = (event: PetStoreEvent) => {
    if (event.type === 'rate-limit-wait') told.push(event);
  };
  const client = stubClient(stubFetch(...replies), { ...options, onEvent });
  /** What is told after a second, and not before. */
  const afterOneSecond = async () => {
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    return told;
  };
  return { client, afterOneSecond };
}

test.each<[before: number, behind: number, causes: string[]]>([
  [0, 1, ['probe', 'probe']],
  [1, 4, ['in-flight', 'queue']],
])('a call that has waited for a second without a hold says why: %#', async (...row) => {
  const [before, behind, causes] = row;
  const stop = new AbortController();
  const replies = Array<Response>(before).fill(json([]));
  const { client, afterOneSecond } = inFakeTime({ signal: stop.signal }, ...replies, never);
  if (before > 0) await client.listPets();
  const calls = times(behind + causes.length, () => rejection(client.listPets()));
  const call = expect.any(Number) as number;
  expect(await afterOneSecond()).toMatchObject(
    causes.map((cause) => ({ type: 'rate-limit-wait', cause, operation: 'listPets', call })),
  );
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
    const busy = errorResponse(503, {}, { 'Retry-After': '120' });
    const { client, afterOneSecond } = inFakeTime(options, busy, () => json([]));
    const call = client.listPets().withResponse();
    await vi.advanceTimersByTimeAsync(0);
    // At the gate it waits for a hold, which has an event of its own.
    const other = client.listPets();
    const told = await afterOneSecond();
    await vi.advanceTimersByTimeAsync(120_000);
    expect((await call).attempts.map(({ cause }) => cause)).toEqual([undefined, 'overload']);
    await other;
    expect(told).toMatchObject([{ type: 'rate-limit-wait', cause: 'overload' }]);
    expect(vi.getTimerCount()).toBe(0);
  },
);

describe.each<[string, () => PetStoreClientOptions['gate']]>([
  ['one process', () => undefined],
  ['a fleet', () => createFleetGate({ store: memoryStore() })],
])('with the gate of %s', (_name, make) => {
  /** A world in which the key is used up for the minute, where that is wanted. */
  async function begin(calls: number) {
    const { client, service } = world();
    const { clock, faults } = service;
    const gate = make();
    await Promise.all(times(calls, () => client({ gate }).listPets()));
    /** A client, and the types of the events of its waits. */
    const listen = (options: PetStoreClientOptions = {}) => {
      const told: string[] = [];
      const onEvent = ({ type }: PetStoreEvent) =>
        type.startsWith('rate-limit-') && told.push(type.slice('rate-limit-'.length));
      return { pets: client({ gate, ...options, onEvent }), told };
    };
    return { clock, faults, listen };
  }

  test('when the last call that waits has given up, its client hears of no hold any more, until a call waits again', async () => {
    const { clock, listen } = await begin(60);
    const { pets, told } = listen();
    const abort = new AbortController();
    const waiting = rejection(pets.listPets({}, { signal: abort.signal }));
    await clock.sleep(10);
    expect(told).toEqual(['hold']);
    abort.abort(new Error('the page is closed'));
    await waiting;
    expect(told).toEqual(['hold', 'resume']);
    const later = pets.listPets();
    await clock.sleep(10);
    expect(told).toEqual(['hold', 'resume', 'hold']);
    await later;
    expect(told).toEqual(['hold', 'resume', 'hold', 'resume']);
  });

  test.each([999, 1_000])('a wait of %i ms is told from a second on', async (delay) => {
    const { faults, listen } = await begin(0);
    faults.add({ delay, times: 1 });
    const { pets, told } = listen();
    await Promise.all(times(2, () => pets.listPets()));
    expect(told).toEqual(delay < 1_000 ? [] : ['wait']);
  });

  test('a hold that grows too long for the last call that waits is over for its client', async () => {
    const { faults, listen } = await begin(1);
    const { pets, told } = listen({ maxHold: 60_000 });
    // Two requests are on their way. The answer of the first holds its call, and that of the second is too long for both.
    const sequence = [
      { 'retry-after': 20, delay: 50 },
      { 'retry-after': 3_000, delay: 100 },
    ];
    const fault = faults.add({ sequence });
    const errors = await Promise.all(times(2, () => rejection<RateLimitError>(pets.listPets())));
    expect(fault.hits).toBe(2);
    expect(errors.map(({ reason }) => reason)).toEqual(['hold', 'hold']);
    expect(told).toEqual(['hold', 'resume']);
  });

  test.each([
    [20, ['hold', 'resume']],
    [40, ['hold', 'hold', 'resume']],
  ])('a hold that becomes a second longer is told again: %i s', async (seconds, expected) => {
    const { faults, listen } = await begin(1);
    const { pets, told } = listen();
    const sequence = [
      { 'retry-after': 20, delay: 50 },
      { 'retry-after': seconds, delay: 100 },
    ];
    faults.add({ sequence });
    await Promise.all(times(2, () => pets.listPets()));
    expect(told).toEqual(expected);
  });

  test('a call that is refused tells of no hold, and knows how long it would have been', async () => {
    const { clock, listen } = await begin(60);
    const waiting = listen().pets.listPets();
    await clock.sleep(10);
    const { pets, told } = listen();
    for (const [option, reason] of Object.entries({ maxHold: 'hold', maxWait: 'wait' })) {
      const error = await rejection<RateLimitError>(pets.listPets({}, { [option]: 5_000 }));
      expect(error.reason).toBe(reason);
      expect(error.retryAfter).toBeGreaterThan(40_000);
    }
    await waiting;
    expect(told).toEqual([]);
  });

  test('a client whose call waits already hears of the hold that a 429 to another client of the key begins', async () => {
    const { faults, listen } = await begin(0);
    const [first, second] = [listen(), listen()];
    // The call of the second client waits for the response to that of the first.
    faults.add({ 'retry-after': 20, delay: 50, times: 1 });
    const refused = rejection<RateLimitError>(first.pets.listPets({}, { maxHold: 0 }));
    const waiting = second.pets.listPets();
    expect((await refused).reason).toBe('hold');
    await waiting;
    expect(second.told).toEqual(['hold', 'resume']);
  });
});
