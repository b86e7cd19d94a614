import { expect, test } from 'vitest';
import { createFleetGate, memoryStore } from '../../src/fleet/index.js';
import type { Clock, PetStoreEvent, RateLimitError, RateLimitOptions } from '../../src/index.js';
import { rejection, times, world } from '../support/world.js';

const gates = [
  ['one process', () => undefined],
  ['a fleet', (clock: Clock) => createFleetGate({ store: memoryStore(() => clock.now()) })],
] as const;

/** A client whose key is used up for the minute, and the events of its holds. */
async function usedUp(make: (clock: Clock) => RateLimitOptions['gate']) {
  const { client, service, events } = world();
  const pets = client({ rateLimit: { gate: make(service.clock) } });
  await Promise.all(times(60, () => pets.listPets()));
  const holds = () =>
    events.map(({ type }) => type).filter((type) => type.startsWith('rate-limit-'));
  return { pets, clock: service.clock, events, holds };
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
    const pets = client({ rateLimit: { gate: gate(service.clock), maxHold: 60_000 } });
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

test.each(gates)('a call that a full queue rejects tells of no hold: %s', async (_name, make) => {
  const { client, service } = world();
  const gate = make(service.clock);
  const pets = client({ rateLimit: { gate } });
  await Promise.all(times(60, () => pets.listPets()));
  const waiting = pets.listPets();
  await service.clock.sleep(10);
  const told: string[] = [];
  const onEvent = ({ type }: PetStoreEvent) => void told.push(type);
  const impatient = client({ rateLimit: { gate, maxQueue: 1 }, onEvent });
  expect((await rejection<RateLimitError>(impatient.listPets())).reason).toBe('queue');
  await waiting;
  expect(told).toEqual([]);
});

test.each(gates)(
  'a client whose call waits already hears of the hold that a 429 to another client of the key begins: %s',
  async (_name, make) => {
    const { client, service } = world();
    const gate = make(service.clock);
    const told: string[] = [];
    const first = client({ rateLimit: { gate } });
    const second = client({
      // Its call waits for the response to that of the first client.
      rateLimit: { gate, maxConcurrency: 1 },
      onEvent: ({ type }) => {
        if (type.startsWith('rate-limit-')) told.push(type);
      },
    });
    await first.listPets();
    service.faults.add({ 'retry-after': 20, delay: 50, times: 1 });
    const refused = rejection<RateLimitError>(first.listPets({}, { maxHold: 0 }));
    const waiting = second.listPets();
    expect((await refused).reason).toBe('hold');
    await waiting;
    expect(told).toEqual(['rate-limit-hold', 'rate-limit-resume']);
  },
);
