// One table of what the mock refuses: options and arguments that cannot be, each with a message that says what is known.
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { PetStoreClient } from '../../src/index.js';
import { createMockService, findRequests, matchers, type MockService } from '../../mocks/index.js';
import { createHandlers } from '../../mocks/msw.js';
import { setupMockServer } from '../../mocks/node.js';
import { serve } from '../../mocks/server.js';
import { call } from '../support/raw.js';

/** Stands for the service of the test among arguments. */
const service = Symbol('service');
const circle: { self?: unknown } = {};
circle.self = circle;
const deep = Array(200_000)
  .fill(1)
  .reduce<unknown>((value) => [value], 1);
const boom = () => {
  throw new Error('boom');
};

/** Calls a function of the entries, or of a service or its key `mock-free`, as JavaScript does, where no type is checked. */
function run(path: string, given: readonly unknown[], it: MockService): unknown {
  const key = it.keys.get('mock-free');
  const entries = { createMockService, serve, createHandlers, setupMockServer, findRequests };
  const all = { ...entries, ...matchers, report: it.report(), key, service: it };
  const names = path.split('.');
  const last = names.pop()!;
  const owner = names.reduce<object>((at, name) => Reflect.get(at, name) as object, all);
  const call = Reflect.get(owner, last) as (...given: unknown[]) => unknown;
  return call.apply(
    owner,
    given.map((one) => (one === service ? it : one)),
  );
}

type Row = readonly [path: string, given: readonly unknown[], message: RegExp | string];

const typeErrors: readonly Row[] = [
  ['createMockService', [null], /createMockService takes an object of clock, now/],
  ['createMockService', [new Map([['seed', 3]])], 'an object of options, got an instance of Map'],
  [
    'createMockService',
    [{ keys: new Map() }],
    "'my-key': { plan: 'pro' } }, got an instance of Map",
  ],
  ['createMockService', [{ assumptions: new Map() }], 'of assumptions, got an instance of Map'],
  [
    'createMockService',
    [{ assumption: {} }],
    /createMockService has no assumption; it has: clock, now, seed, latency, assumptions/,
  ],
  ['createMockService', [{ clock: 'x' }], 'clock must be one of "system", "virtual", got \'x\''],
  ['createMockService', [{ limits: 'maybe' }], 'limits must be one of "on", "off", got \'maybe\''],
  ['createMockService', [{ basePath: '/v1' }], /no longer takes basePath: .*\/v1.*createHandlers/],
  ['createMockService', [{ seed: '3' }], /seed must be a number of pets .* array of them, got '3'/],
  ['createMockService', [{ latency: 'soon' }], /latency must be ms or a text such as '2s'/],
  ['createMockService', [{ latency: { min: 1 } }], /latency must be ms .*, got an object/],
  [
    'createMockService',
    [{ latency: [5, 1] }],
    /latency must be \[least, most\]: least first, got an array/,
  ],
  ['createMockService', [{ keys: 'mine' }], /keys must be an object of keys/],
  ['createMockService', [{ keys: { mine: 'pro' } }], 'keys.add(key, { plan }) takes an object'],
  ['createMockService', [{ keys: { 'my key': { plan: 'free' } } }], /visible ASCII/],
  ['createMockService', [{ faults: { status: 500 } }], /faults must be an array of faults/],
  ['createMockService', [{ faults: [{}] }], /fault has none of/],
  ['createMockService', [{ assumptions: null }], 'assumptions must be an object of assumptions'],
  ...[-1, 1.5, NaN].map((seed): Row => [
    'createMockService',
    [{ seed }],
    new RegExp(`seed must be .*, got ${seed}`),
  ]),
  [
    'createMockService',
    [{ latency: -1 }],
    "latency must be ms or a text such as '2s', from 0 to 100 years, [least, most], or a function that returns one, got -1",
  ],
  [
    'createMockService',
    [{ journalLimit: -1 }],
    'journalLimit must be an integer of 0 or more, got -1',
  ],
  ['createMockService', [{ random: 0.5 }], 'random must be an integer, got 0.5'],
  ...(
    [
      [{ clockSkew: 1e15 }, 'clockSkew must be 3155760000000 ms (100 years) or less'],
      [{ ban: 1e15 }, 'ban must be an integer from 0 to 3155760000000 ms (100 years), got'],
      [{ nodes: { remaining: [3, 0] } }, 'nodes.remaining must be [least, most]: least first'],
      [{ nodes: { clock: [300, -300] } }, 'nodes.clock must be [least, most]: least first'],
      ...[19, 101, 50.5, NaN].map((longestList) => [{ longestList }, 'longestList must be']),
    ] as [object, string][]
  ).map(([assumptions, why]): Row => [
    'createMockService',
    [{ assumptions }],
    `assumptions.${why}`,
  ]),
  ['serve', [service, { port: 70_000 }], 'port must be an integer from 0 to 65535, got 70000'],
  ['serve', [service, { host: 1 }], /host must be an address/],
  ['serve', [service, { grace: -1 }], /grace must be ms/],
  ['report.assertPolite', [{ bans: -1 }], /bans must be a number of 0 or more/],
  ['service.override', ['listPets', boom, { times: 0 }], /times must be an integer of 1 or more/],
  ['setupMockServer', [{ sed: 2 }], /has no sed; .*, service\. Did you mean seed\?$/],
  ['setupMockServer', [{ service: {} }], /takes a service/],
  ['createHandlers', [{}], /createHandlers takes a service/],
  ['createHandlers', [], /got undefined/],
  [
    'createHandlers',
    [service, { baseURL: 'https://gate.test' }],
    'createHandlers has no baseURL; it has: baseUrl. Did you mean baseUrl?',
  ],
  ['serve', [], /takes a service that createMockService made/],
  ['serve', [null], /takes a service that createMockService made/],
  ['serve', [{}], /takes a service that createMockService made, got an object/],
  ['serve', [service, { port: 'x' }], "port must be an integer from 0 to 65535, got 'x'"],
  ['serve', [service, { prot: 1 }], 'has no prot; it has: port, host, allowHosts, grace, cre'],
  ['service.report', ['mock-fre'], /no key 'mock-fre'.*mean mock-free/],
  ['report.assertPolite', [{ ratelimited: 0 }], /has no ratelimited.*Did you mean rateLimited\?/],
  ['toHaveReceived', [service, 'listpets'], /no operation 'listpets'.*Did you mean listPets\?/],
  [
    'toHaveReceived',
    [service, 'createPet', { nam: 'Rex' }],
    /no field of createPet 'nam'.*name, categoryId, status.*Did you mean name\?/,
  ],
  ['toHaveReceived', [service, 'getPet', { id: 1 }], /no field of getPet 'id'.*petId/],
  [
    'toHaveReceived',
    [service, 'listPets', 'sold'],
    "takes an object of fields of listPets, got 'sold'",
  ],
  ['toHaveReceived', [service, 'listPets', {}, { environmnt: 'staging' }], /has no environmnt/],
  [
    'toHaveReceived',
    [new PetStoreClient({ apiKey: 'k', logLevel: 'off' }), 'listPets'],
    /takes a service that createMockService made, got an instance of PetStoreClient/,
  ],
  ['toHaveRespectedRateLimit', [5], 'takes a service that createMockService made, got 5'],
  ['findRequests', [undefined, {}], /findRequests takes a service/],
  ['findRequests', [service, { statuss: 500 }], /Did you mean status/],
  ['findRequests', [service, { status: '500' }], /status must be/],
  ['findRequests', [service, { operation: 'listpets' }], /operation must be one of "listPets"/],
  ['service.pets.add', [null], /^pet must be an object of id, name/],
  ['service.pets.add', [{ nam: 'Rex' }], /Did you mean name/],
  ['service.pets.add', [{ name: 'Rex', categoryId: null }], /categoryId/],
  ['service.pets.add', [{ name: 7 }], /name must be a string/],
  ['service.pets.add', [{ name: 'Rex', categoryId: 1, status: 'lost' }], /status must be one of/],
  [
    'service.pets.add',
    [{ name: 'Rex', categoryId: 1, id: 1.5 }],
    /pet.id must be an integer \(int64\)/,
  ],
  ['service.pets.add', [{ name: 'Rex', categoryId: 1, id: 1 }], /id 1 is already in use/],
  ['service.pets.seed', [[{ nam: 'Rex' }]], /Did you mean name/],
  ['service.pets.seed', [[{ id: 7 }, { name: 7 }]], /name must be a string/],
  ['service.pets.seed', [[{ id: 7 }, { id: 7n }]], /id 7 /],
  ['service.pets.update', [99, {}], /no pet with the id 99/],
  ['service.pets.update', [1, { id: 2 }], /id 1 cannot be changed/],
  ['service.pets.update', [1, { name: 7 }], /name must be a string/],
  [
    'service.pets.update',
    [1, { staus: 'sold' }],
    /pet has no staus; it has: id, name, categoryId, status\. Did you mean status\?/,
  ],
  ['service.pets.list', [{ status: 'gone' }], /status must be one of available/],
  ['service.pets.list', [{ statu: 'sold' }], /Did you mean status/],
  [
    'service.pets.forEnvironment',
    ['test'],
    "There is no environment 'test'; there are: production, staging",
  ],
  ...(
    [
      [{}, /^fault has none of status, .*, sequence: it needs one of them$/],
      [
        { networkError: true },
        /^fault has no networkError; it has: .*\. Did you mean network-error\?$/,
      ],
      [
        { sequence: [{ slowBody: 5 }] },
        /^fault\.sequence\.0 has no slowBody; .* mean slow-body\?$/,
      ],
      [{ status: 99 }, /^fault\.status must be .*200.*, got 99$/],
      [
        { delay: -1 },
        /^fault\.delay must be ms, 0 or more, or a text such as '500ms' or '2s', got -1$/,
      ],
      [{ delay: '5 parsecs' }, /delay must be ms, 0 or more, or a text/],
      [{ delay: '-1s' }, /delay must be ms, 0 or more/],
      [{ 'clock-skew': '--1s' }, /clock-skew must be ms, or a text such as '90s' or '-90s'/],
      [{ 'slow-body': 'slow' }, /slow-body must be a boolean, or ms, 0 or more, .*, got 'slow'/],
      [{ hang: 'never' }, /hang must be one of true, false, "before", "after"/],
      [{ hang: false }, /has none of status, delay/],
      [{ hang: true, html: true }, /^fault has hang and html, which exclude each other$/],
      [{ status: 500, drift: 'null-field' }, /has status and drift, which exclude each other/],
      [{ drift: 'wild' }, /drift must be one of "unknown-status"/],
      [{ body: 'x', html: true }, /has a body, which is allowed only together with status/],
      [{ status: 500, times: 0 }, /times must be an integer of 1 or more, or "Infinity", got 0/],
      [
        { status: 503, times: '3' },
        /times must be an integer of 1 or more, or "Infinity", got '3'/,
      ],
      [{ status: 500, probability: 2 }, /probability must be 1 or less, got 2/],
      [{ status: 500, operation: 'feedPet' }, /operation must be one of "listPets"/],
      [{ sequence: [] }, /sequence must have at least one outcome/],
      [{ sequence: ['skip'] }, /sequence\.0 must be an object of .*, or "pass", got 'skip'/],
      [{ sequence: [{}] }, /sequence\.0 has none of/],
      [
        { sequence: [{ status: 500 }], body: false, delay: 1 },
        /has a sequence and delay, body, which ex/,
      ],
      [
        { 'retry-after': 5, drift: 'null-field' },
        /retry-after and drift, which exclude each other/,
      ],
      [
        { sequence: [{ 'retry-after': 5, drift: 'null-field' }] },
        /0 has retry-after and drift, which/,
      ],
      [{ 'retry-after': 'a\nb' }, /retry-after must be visible ASCII characters/],
      ['status', /^fault must be an object/],
    ] as [unknown, RegExp][]
  ).map(([fault, message]): Row => ['service.faults.add', [fault], message]),
  [
    'service.faults.add',
    [{ status: 503, key: 'mock-fre' }],
    /no key 'mock-fre'\. Did you mean mock-free\? Add it/,
  ],
  ...[circle, () => 1, deep].map((body): Row => [
    'service.faults.add',
    [{ status: 503, body }],
    /body/,
  ]),
  ['service.faults.add', [null], /^fault must be an object/],
  ['service.faults.add', [{ status: 1.5 }], /^fault.status must be an integer from 200/],
  ...['', 'with space', 'new\nline', 'ümlaut', 7].map((key): Row => [
    'service.keys.add',
    [key, { plan: 'pro' }],
    /visible ASCII/,
  ]),
  [
    'service.keys.add',
    ['own', { plan: 'gold' }],
    'plan must be one of "free", "pro", "business", "enterprise", or an object of perMinute, perDay',
  ],
  ['service.keys.add', ['own', {}], /^plan must be one of .*, got undefined$/],
  ...[0, 1.5, Infinity].map((perDay): Row => [
    'service.keys.add',
    ['mock-free', { plan: { perMinute: 1, perDay } }],
    `plan.perDay must be an integer of 1 or more, got ${perDay}`,
  ]),
  ['service.keys.add', ['a'], 'keys.add(key, { plan }) takes an object of plan, limits'],
  [
    'service.keys.add',
    ['a', { plan: 'free', limits: 'maybe' }],
    'limits must be one of "on", "off"',
  ],
  ['key.exhaust', [], /There is no window undefined/],
  ['key.exhaust', ['week'], "There is no window 'week'; there are: minute, day"],
  ['key.setRemaining', ['week', 1], /There is no window/],
  ['service.override', ['feedPet', boom], /no operation 'feedPet'; there are: listPets/],
  ['service.override', ['getPet'], /must be a function/],
  [
    'service.override',
    ['listPets', boom, { time: 1 }],
    'has no time; it has: times. Did you mean times?',
  ],
  ['service.override', ['listPets', boom, 1], 'override takes an object of times'],
  ...[
    ['GET /pets', "Instead of 'GET /pets', give 'listPets': a path has no /v1, its parameters"],
    ['GET /v1/pets/{id}', "give 'getPet'"],
    ['GET /v1/store/orders', "give 'GET /store/orders'"],
    ['get /x', "There is no operation 'get /x'"],
    ['GET x', "There is no operation 'GET x'"],
    ['listPet', 'Did you mean listPets? For a path without'],
    ['get /x', 'give the method in capitals'],
    ['FETCH /x', 'FETCH /x would never match: the method is one of GET, HEAD,'],
    ['GET /a/:b/c/:d', "give 'GET /a/{b}/c/{d}'"],
    ['GET /x?y', "There is no operation 'GET /x?y'"],
    [7, 'There is no operation 7'],
  ].map(([name, message]): Row => ['service.override', [name, boom], message as string]),
];

const rangeErrors: readonly Row[] = [
  ...[null, 'soon'].map((now): Row => [
    'createMockService',
    [{ clock: 'virtual', now }],
    /A time is a Date/,
  ]),
  ['key.setRemaining', [61], /60/],
  ...[null, undefined, true, {}, 'soon', NaN, new Date(NaN)].map((time): Row => [
    'service.clock.set',
    [time],
    /A time is/,
  ]),
  ...[-1, NaN, Infinity, '5', '5 weeks', 's', '', null].map((by): Row => [
    'service.clock.advance',
    [by],
    /A duration is/,
  ]),
];

const rows = [
  ...typeErrors.map((row) => [inspect(row.slice(0, 2)), ...row, TypeError] as const),
  ...rangeErrors.map((row) => [inspect(row.slice(0, 2)), ...row, RangeError] as const),
];

test.each(rows)(
  'the call %s is refused, says what is known, and changes nothing',
  async (_call, path, given, message, Kind) => {
    const it = createMockService({ clock: 'virtual', seed: 2 });
    const before = JSON.stringify(it.snapshot());
    const act = () => Promise.resolve().then(() => run(path, given, it));
    await expect(act()).rejects.toThrow(message);
    await expect(act()).rejects.toThrow(Kind);
    expect(JSON.stringify(it.snapshot())).toBe(before);
    expect((await call(it, '/pets')).json).toHaveLength(2);
  },
);

test('what is known stays accepted', () => {
  const it = createMockService({ seed: 2, keys: { own: { plan: 'free' } } });
  const pet = it.pets.get(1)!;
  expect(it.pets.update(1, { ...pet, status: 'sold' })).toEqual({ ...pet, status: 'sold' });
  expect(it.faults.add({ status: 503, key: 'own' }).hits).toBe(0);
  expect(it.report('own').requests).toBe(0);
  expect(findRequests(it, { since: 0, inCoolDown: false })).toEqual([]);
  it.report().assertPolite({ rateLimited: Infinity });
  expect(setupMockServer({ seed: 2, baseUrl: 'http://x.test' }).service.pets.size).toBe(2);
});

test('options that are undefined count as left out', () => {
  const none = { clock: undefined, seed: undefined, latency: undefined, keys: undefined };
  expect(createMockService(none as never).pets.size).toBe(0);
});
