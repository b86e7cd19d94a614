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
const aClient = new PetStoreClient({ apiKey: 'k', logLevel: 'off' });
const circle: { self?: unknown } = {};
circle.self = circle;
const deep = Array(200_000)
  .fill(1)
  .reduce<unknown>((value) => [value], 1);
const boom = () => {
  throw new Error('boom');
};
const request = new Request('https://api.petstore.example/v1/pets');

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

/** The arguments of a call, and what its error says. */
type Row = readonly [...given: unknown[], message: RegExp | string];

const typeErrors: Readonly<Record<string, readonly Row[]>> = {
  createMockService: [
    [null, /createMockService takes an object of clock, now/],
    [new Map([['seed', 3]]), 'an object of options, got an instance of Map'],
    [Promise.resolve({}), 'an object of options, got an instance of Promise'],
    [new Date(), 'an object of options, got an instance of Date'],
    [{ keys: new Map() }, "'my-key': { plan: 'pro' } }, got an instance of Map"],
    [{ assumptions: new Map() }, 'of assumptions, got an instance of Map'],
    [{ assumption: {} }, /createMockService has no assumption; it has: clock, now, seed, latency/],
    [{ clock: 'x' }, 'clock must be one of "system", "virtual", got \'x\''],
    [{ limits: 'maybe' }, 'limits must be one of "on", "off", got \'maybe\''],
    [{ seed: '3' }, /seed must be a number of pets .* array of them, got '3'/],
    ...[-1, 1.5, NaN].map((seed): Row => [{ seed }, new RegExp(`seed must be .*, got ${seed}`)]),
    [{ latency: [5, 1] }, /latency must be \[least, most\]: least first, got an array/],
    [{ latency: -1 }, /latency must .* 100 years, \[least, most\], or a function .*, got -1$/],
    [{ faults: { status: 500 } }, /faults must be an array of faults/],
    [{ journalLimit: -1 }, 'journalLimit must be an integer of 0 or more, got -1'],
    [{ random: 0.5 }, 'random must be an integer, got 0.5'],
    [{ seed: [{}, { name: 5 }] }, 'seed[1]: pet.name must be a string'],
    [{ keys: { a: { plan: 'x' } } }, 'keys.a: plan must be one of'],
    [{ faults: [{ status: 500 }, { status: 99 }] }, 'faults[1]: fault.status must be'],
  ],
  serve: [
    [{}, 'takes a service that createMockService made, got an object'],
    [service, { port: 70_000 }, 'port must be an integer from 0 to 65535, got 70000'],
    [service, { host: 1 }, /host must be an address/],
    [service, { grace: -1 }, /grace must be ms/],
    [service, { prot: 1 }, 'has no prot; it has: port, host, allowHosts, grace, cre'],
    ...[['http://x'], ['a:80'], 'x', [5]].map((allowHosts): Row => [
      service,
      { allowHosts },
      'allowHosts must be an array of host names or addresses without a port',
    ]),
  ],
  setupMockServer: [
    [{ sed: 2 }, /has no sed; .*, service\. Did you mean seed\?$/],
    [{ service: {} }, /takes a service/],
    [service, 'setupMockServer takes options: pass { service }'],
    [{ service, seed: 9 }, 'setupMockServer with a service has no seed; it has: baseUrl, service'],
  ],
  createHandlers: [
    [{}, /createHandlers takes a service/],
    [service, { baseURL: 'x' }, /has no baseURL; it has: baseUrl\. Did you mean baseUrl\?$/],
    [service, new Map(), 'createHandlers takes an object of options, got an instance of Map'],
  ],
  'service.report': [['mock-fre', /no key 'mock-fre'.*mean mock-free/]],
  'report.assertPolite': [
    ...[-1, NaN, '1', null].map((bans): Row => [{ bans }, /bans must be a number of 0 or more/]),
    [{ ratelimited: 0 }, /has no ratelimited.*Did you mean rateLimited\?/],
  ],
  toHaveReceived: [
    [service, 'listpets', /no operation 'listpets'.*Did you mean listPets\?/],
    [service, 'createPet', { nam: 'Rex' }, /no field of createPet 'nam'.*: name, .*mean name\?/],
    [service, 'getPet', { id: 1 }, /no field of getPet 'id'.*petId/],
    [service, 'listPets', 'sold', "takes an object of fields of listPets, got 'sold'"],
    [service, 'listPets', {}, { environmnt: 'staging' }, /has no environmnt/],
    [aClient, 'listPets', /got an instance of PetStoreClient/],
  ],
  toHaveRespectedRateLimit: [
    [5, 'takes a service that createMockService made, got 5'],
    [service, 5, /assertPolite takes an object of/],
    [service, { ban: 0 }, /has no ban; .*Did you mean bans\?/],
  ],
  findRequests: [
    [undefined, {}, /findRequests takes a service/],
    [service, { statuss: 500 }, /Did you mean status/],
    [service, { operation: 'listpets' }, /operation must be one of "listPets"/],
  ],
  'service.pets.add': [
    [null, /^pet must be an object of id, name/],
    [{ nam: 'Rex' }, /Did you mean name/],
    [{ name: 7 }, /name must be a string/],
    [{ name: 'Rex', categoryId: 1, id: 1.5 }, /pet.id must be an integer \(int64\)/],
    [{ name: 'Rex', categoryId: 1, id: 1 }, /id 1 is already in use/],
  ],
  'service.pets.seed': [
    [[{ id: 7 }, { name: 7 }], /name must be a string/],
    [[{ id: 7 }, { id: 7n }], /id 7 /],
  ],
  'service.pets.update': [
    ['1', {}, 'id must be an integer (int64), got a string'],
    [1, 'sold', /^pet must be an object of id, name/],
    [99, {}, /no pet with the id 99/],
    [1, { id: 2 }, /id 1 cannot be changed/],
    [1, { staus: 'sold' }, /pet has no staus; it has: id, name, .*\. Did you mean status\?/],
  ],
  'service.pets.get': [[1.5, 'id must be an integer (int64), got 1.5']],
  'service.pets.remove': [[null, 'id must be an integer (int64), got null']],
  'service.pets.list': [[{ status: 'gone' }, /status must be one of available/]],
  'service.pets.forEnvironment': [
    ['test', "There is no environment 'test'; there are: production, staging"],
  ],
  'service.handle': [
    [request, null, 'handle takes an object of environment, folder, got null'],
    [request, { environment: 'stage' }, 'environment must be one of "production", "staging", got'],
    [request, { enviroment: 'staging' }, /has no enviroment; .*\. Did you mean environment\?$/],
    ['https://api.petstore.example/v1/pets', "handle takes a Request, got 'https://api"],
  ],
  'service.faults.add': [
    [null, /^fault must be an object/],
    [{}, /^fault has none of status, .*, sequence: it needs one of them$/],
    [{ networkError: true }, /^fault has no networkError; .*\. Did you mean network-error\?$/],
    [{ sequence: [{ slowBody: 5 }] }, /^fault\.sequence\.0 has no slowBody; .* mean slow-body\?$/],
    [{ status: 99 }, /^fault\.status must be .*200.*, got 99$/],
    [{ delay: -1 }, /^fault\.delay must be ms, 0 or more, or a text such as .* or '2s', got -1$/],
    [{ 'clock-skew': '--1s' }, /clock-skew must be ms, or a text such as '90s' or '-90s'/],
    [{ 'slow-body': 'slow' }, /slow-body must be a boolean, or ms, 0 or more, .*, got 'slow'/],
    [{ hang: 'never' }, /hang must be one of true, false, "before", "after"/],
    [{ hang: false }, /has none of status, delay/],
    [{ hang: true, html: true }, /^fault has hang and html, which exclude each other$/],
    [{ status: 500, drift: 'null-field' }, /has status and drift, which exclude each other/],
    [{ drift: 'wild' }, /drift must be one of "unknown-status"/],
    [{ body: 'x', html: true }, /has a body, which is allowed only together with status/],
    [{ status: 500, times: 0 }, /times must be an integer of 1 or more, or "Infinity", got 0/],
    [{ status: 500, probability: 2 }, /probability must be 1 or less, got 2/],
    [{ sequence: [] }, /sequence must have at least one outcome/],
    [{ sequence: [{}] }, /^fault\.sequence\.0 has none of .*, html, drift: it needs one of them/],
    [{ sequence: ['skip'] }, /sequence\.0 must be an object of .*, or "pass", got 'skip'/],
    [{ sequence: ['pass'], body: false, delay: 1 }, /has a sequence and delay, body, which ex/],
    [{ 'retry-after': 5, drift: 'null-field' }, /retry-after and drift, which exclude each other/],
    [{ 'retry-after': 'a\nb' }, /retry-after must be visible ASCII characters/],
    [{ status: 503, key: 'mock-fre' }, /no key 'mock-fre'\. Did you mean mock-free\? Add it/],
    ...[circle, () => 1, deep].map((body): Row => [{ status: 503, body }, /body/]),
  ],
  'service.keys.add': [
    ['', { plan: 'pro' }, /visible ASCII/],
    ['ümlaut', { plan: 'pro' }, /visible ASCII/],
    [7, { plan: 'pro' }, /visible ASCII/],
    ['own', { plan: 'gold' }, /^plan must be one of "free", .*, or an object of perMinute, perDay/],
    ['own', { plan: { perMinute: 1, perDay: 0 } }, /^plan.perDay must be an integer of 1 or more/],
    ['a', 'keys.add(key, { plan }) takes an object of plan, limits'],
    ['a', { plan: 'free', limits: 'maybe' }, 'limits must be one of "on", "off"'],
  ],
  'key.exhaust': [['week', "There is no window 'week'; there are: minute, day"]],
  'service.override': [
    ['listPets', boom, { times: 0 }, /times must be an integer of 1 or more/],
    ['listPets', boom, { time: 1 }, 'has no time; it has: times. Did you mean times?'],
    ['getPet', /must be a function/],
    ['GET /pets', boom, /^Instead of 'GET \/pets', give 'listPets': a path has no \/v1, its param/],
    ['GET /v1/pets/{id}', boom, "give 'getPet'"],
    ['GET /v1/store/orders', boom, "give 'GET /store/orders'"],
    ['listPet', boom, 'Did you mean listPets? For a path without'],
    ['get /x', boom, /no operation 'get \/x'; .* give the method in capitals/],
    ['FETCH /x', boom, 'FETCH /x would never match: the method is one of GET, HEAD,'],
    ['GET /a/:b/c/:d', boom, "give 'GET /a/{b}/c/{d}'"],
    ...['x?y', 'x/*', 'x/{a', 'x/{a-b}', 'ä'].map((path): Row => [
      `GET /${path}`,
      boom,
      /a path as in a URL, with \{name\} for a segment: 'GET \/store\/orders\/\{id\}'$/,
    ]),
    [7, boom, /There is no operation 7; there are: listPets/],
  ],
};

const asTime = (given: unknown): Row => [given, /A time is .*; got (?!\[object)/];
const asDuration = (given: unknown): Row => [given, /A duration is/];
const rangeErrors: Readonly<Record<string, readonly Row[]>> = {
  createMockService: [null, 'soon'].map((now): Row => [{ now }, /A time is a Date/]),
  'key.setRemaining': [
    [61, /60/],
    ...[-1, 1_001, 0.5, NaN].map((bad): Row => ['day', bad, /from 0 to the limit 1000/]),
    ['2', /got '2'$/],
  ],
  'key.ban': [['soon', /A duration is/]],
  'service.clock.set': [null, undefined, true, {}, 'soon', '5', 'March 7', new Date(NaN)].map(
    asTime,
  ),
  'service.clock.advance': [-1, NaN, Infinity, '5', '5 weeks', 's', '', null].map(asDuration),
};

const rows = [TypeError, RangeError].flatMap((Kind) =>
  Object.entries(Kind === TypeError ? typeErrors : rangeErrors).flatMap(([path, all]) =>
    all.map((row) => {
      const given = row.slice(0, -1);
      return [inspect([path, given]), path, given, row.at(-1) as string | RegExp, Kind] as const;
    }),
  ),
);

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

test('what is known stays accepted, and an option that is undefined counts as left out', () => {
  const it = createMockService({ seed: 2, keys: { own: { plan: 'free' } } });
  const pet = it.pets.get(1)!;
  expect(it.pets.update(1, { ...pet, status: 'sold' })).toEqual({ ...pet, status: 'sold' });
  expect(it.pets.update(1, { name: undefined, status: undefined })).toEqual({
    ...pet,
    status: 'sold',
  });
  expect(it.report('own').requests).toBe(0);
  const none = { clock: undefined, seed: undefined, latency: undefined, keys: undefined };
  expect(createMockService(none as never).pets.size).toBe(0);
});
