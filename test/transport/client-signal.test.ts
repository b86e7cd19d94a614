import { expect, test } from 'vitest';
import type { PetStoreEvent } from '../../src/index.js';
import { watchListeners } from '../support/listeners.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

test('the signal of a client ends all its calls, waiting or in flight, and later ones, with its reason', async () => {
  const { service, client, events } = world();
  service.keys.get('mock-free').exhaust('day');
  const shutdown = new AbortController();
  const pets = client({ signal: shutdown.signal, maxHold: Infinity });
  const waiting = [rejection(pets.listPets()), rejection(pets.listPets())];
  const inFlight = rejection(
    stubClient(() => new Promise(() => undefined), { signal: shutdown.signal }).listPets(),
  );
  await new Promise((resolve) => setImmediate(resolve));
  const reason = new Error('shutdown');
  shutdown.abort(reason);
  expect(await Promise.all([...waiting, inFlight])).toEqual([reason, reason, reason]);
  expect(await rejection(pets.listPets())).toBe(reason);
  expect(await rejection(pets.withOptions({ timeout: 5 }).listPets())).toBe(reason);
  const ends = events.filter((event) => event.type === 'call-end');
  expect(ends.map(({ outcome }) => outcome)).toEqual(Array(4).fill('aborted'));
});

test('of the signals of a client and of a call the first that is aborted ends the call, and leaves no listener', async () => {
  const [ofClient, ofCall] = [new AbortController(), new AbortController()];
  const left = [ofClient, ofCall].map(({ signal }) => watchListeners(signal));
  const client = stubClient(stubFetch(json([])), { signal: ofClient.signal });
  expect(await client.listPets({}, { signal: ofCall.signal })).toEqual([]);
  expect(left.map((count) => count())).toEqual([0, 0]);
  ofCall.abort('this call');
  expect(await rejection(client.listPets({}, { signal: ofCall.signal }))).toBe('this call');
  expect(await client.listPets()).toEqual([]);
  ofClient.abort('all calls');
  const other = new AbortController().signal;
  expect(await rejection(client.listPets({}, { signal: other }))).toBe('all calls');
});

test('a call that is aborted by a signal of its client has events of an aborted call', async () => {
  const shutdown = new AbortController();
  const events: PetStoreEvent[] = [];
  const fetch = stubFetch(() => {
    shutdown.abort();
    return new Promise(() => undefined);
  });
  const client = stubClient(fetch, {
    signal: shutdown.signal,
    onEvent: (event) => events.push(event),
  });
  const { signal } = new AbortController();
  expect(await rejection(client.listPets({}, { signal }))).toBe(shutdown.signal.reason);
  expect(events.map((event) => ('failure' in event ? event.failure : event.type))).toEqual([
    'request',
    'aborted',
    'call-end',
  ]);
});
