import { expect, test } from 'vitest';
import { createMockService, type MockServiceOptions } from '../../../mocks/index.js';
import { setupMockServer } from '../../../mocks/node.js';
import { serve, type ServeOptions } from '../../../mocks/server.js';
import { call } from '../../support/raw.js';

test.for([
  [
    { assumption: {} },
    TypeError,
    /createMockService has no option assumption; it has: clock, now, seed, latency, assumptions/,
  ],
  [{ clock: 'x' }, TypeError, /clock must be 'system' or 'virtual', got 'x'/],
  [{ limits: 'maybe' }, TypeError, /limits must be 'on' or 'off', got 'maybe'/],
  [{ basePath: 'v1' }, TypeError, /basePath must be a path that begins with '\/'/],
  [{ seed: '3' }, TypeError, /seed must be a number of pets .* or an array of them, got '3'/],
  [{ seed: -1 }, RangeError, /seed must be .*, got -1/],
  [
    { latency: -1 },
    RangeError,
    /latency must be ms from 0 to 100 years, \[least, most\], or a function that returns ms, got -1/,
  ],
  [{ latency: '5ms' }, TypeError, /latency must be ms/],
  [{ latency: { min: 1, max: 2 } }, TypeError, /latency must be ms .*, got an object/],
  [{ latency: [5, 1] }, TypeError, /latency must be ms .*, got an array/],
  [{ keys: 'mine' }, TypeError, /keys must be an object of keys/],
  [{ keys: { mine: 'pro' } }, TypeError, /keys.add\(key, \{ plan \}\) takes an object/],
  [{ faults: { status: 500 } }, TypeError, /faults must be an array of faults/],
  [{ journalLimit: -1 }, RangeError, /journalLimit must be an integer of 0 or more, got -1/],
  [{ random: 0.5 }, RangeError, /random must be an integer, got 0.5/],
  [{ assumptions: null }, TypeError, /assumptions must be an object of assumptions, got null/],
  [{ now: null }, RangeError, /A time is a Date/],
  [null, TypeError, /createMockService takes an object of options/],
] as [MockServiceOptions, typeof TypeError, RegExp][])(
  'the options %j of a service are refused, with the option and what it takes',
  ([options, Kind, message]) => {
    expect(() => createMockService(options)).toThrow(message);
    expect(() => createMockService(options)).toThrow(Kind);
  },
);

test('options that are undefined count as left out', async () => {
  const service = createMockService({
    clock: undefined,
    seed: undefined,
    latency: undefined,
    keys: undefined,
  } as never);
  expect((await call(service, '/pets')).json).toEqual([]);
});

test('an msw server takes the options of both, and refuses those of neither', () => {
  expect(setupMockServer({ seed: 2, baseUrl: 'http://x.test' }).service.pets.size).toBe(2);
  expect(() => setupMockServer({ sed: 2 } as never)).toThrow(/no option sed/);
});

test.for([
  ['threw Error: no map', raise],
  ["must return ms from 0 to 100 years, returned '5'", () => '5'],
  ['must return ms from 0 to 100 years, returned -1', () => -1],
  ['must return ms from 0 to 100 years, returned undefined', () => undefined],
] as [string, () => number][])(
  'a latency function that %s is a failure of the mock, on every transport',
  async ([why, latency]) => {
    const asked = { headers: { Authorization: 'Bearer mock-free' } };
    const url = 'https://api.petstore.example/v1/pets';
    const make = () => createMockService({ clock: 'virtual', latency });
    const server = await serve(make());
    const answers = [
      await make().fetch(url, asked),
      await make().handle(new Request(url, asked)),
      await fetch(`${server.url}/v1/pets`, asked),
    ];
    await server.close();
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([501, 501, 501]);
    expect(answers.map(({ headers }) => headers.get('X-Mock-Explain'))).toEqual(
      new Array(3).fill(`mock_defect: latency() ${why}`),
    );
    expect(new Set(texts).size).toBe(1);
  },
);

function raise(): never {
  throw new Error('no map');
}

test.for([
  [{ port: 'x' }, TypeError, /port must be an integer from 0 to 65535, got 'x'/],
  [{ port: 70_000 }, RangeError, /port must be an integer from 0 to 65535, got 70000/],
  [
    { prot: 1 },
    TypeError,
    /serve has no option prot; it has: port, host, allowHosts, grace, createWorld/,
  ],
  [{ host: 1 }, RangeError, /host must be an address/],
  [{ grace: -1 }, RangeError, /grace must be ms/],
] as [ServeOptions, typeof TypeError, RegExp][])(
  'the options %j of serve are refused',
  async ([options, Kind, message]) => {
    const refused = serve(createMockService(), options);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(Kind);
  },
);

test('serve without a service says what it takes', async () => {
  for (const nothing of [undefined, null, {}, { port: 0 }])
    await expect(serve(nothing as never)).rejects.toThrow(
      /takes a service that createMockService made/,
    );
});

test('keys refuse an unknown window and a key without a plan, and setRemaining alone means the minute', () => {
  const { keys } = createMockService();
  const key = keys.get('mock-free');
  expect(() => key.exhaust('week' as never)).toThrow(/A window is 'minute' or 'day', got 'week'/);
  expect(() => (key.exhaust as () => void)()).toThrow(TypeError);
  expect(() => key.setRemaining('week' as never, 1)).toThrow(TypeError);
  expect(() => keys.add('a', undefined as never)).toThrow(
    /keys.add\(key, \{ plan \}\) takes an object of options: plan, limits/,
  );
  expect(() => keys.add('a', { plan: 'free', limits: 'maybe' as never })).toThrow(
    /limits must be 'on' or 'off'/,
  );
  expect(keys.has('a')).toBe(false);
  key.setRemaining(5);
  expect([key.usage.minute.remaining, key.usage.day.remaining]).toEqual([5, 1_000]);
  expect(() => key.setRemaining(61)).toThrow(RangeError);
});

test('the clock is set to a time only', () => {
  const { clock } = createMockService({ clock: 'virtual' });
  for (const none of [null, undefined, true, {}, 'soon'])
    expect(() => clock.set(none as never)).toThrow(RangeError);
});
