import { expect, test, vi } from 'vitest';
import {
  ConfigurationError,
  ConnectionError,
  RateLimitError,
  type PetStoreError,
} from '../../src/index.js';
import {
  brokenConnection,
  errorResponse,
  failureOf,
  json,
  list,
  newPet,
  quickClock,
  stubClient,
  stubFetch,
  type Reply,
} from '../support/stub.js';
import { rejection, times, world } from '../support/world.js';

const calls: Record<string, typeof list> = {
  listPets: list,
  getPet: (client) => client.getPet(1),
  createPet: (client) => client.createPet(newPet),
  ...Object.fromEntries(
    ['GET', 'head', 'OPTIONS', 'POST', 'PUT', 'DELETE'].map((method): [string, typeof list] => [
      `${method} /x`,
      (client) => client.request({ method, path: '/x' }),
    ]),
  ),
};
const harmless = new Set(['listPets', 'getPet', 'GET /x', 'head /x', 'OPTIONS /x']);
const curable = [408, 500, 502, 503, 504];
const final = [400, 401, 403, 404, 405, 409, 410, 418, 422, 501, 505];
const replies: [name: string | number, Reply, isFinal: boolean][] = [
  ...[...curable, ...final].map((status): [number, Reply, boolean] => [
    status,
    errorResponse(status),
    final.includes(status),
  ]),
  ['reset', brokenConnection('ECONNRESET'), false],
  ['a success that does not validate', json('{"broken'), true],
];

test.each(Object.keys(calls).flatMap((call) => replies.map((reply) => [call, ...reply] as const)))(
  '%s is sent again after %s only if that does no harm, and may help',
  async (call, _name, reply, isFinal) => {
    const fetch = stubFetch(reply);
    const client = stubClient(fetch, { clock: quickClock() });
    const error = await rejection<PetStoreError>(calls[call]!(client));
    expect(fetch.sent).toHaveLength(harmless.has(call) && !isFinal ? 3 : 1);
    expect(error.attempts).toHaveLength(fetch.sent.length);
  },
);

test('createPet is sent again after a 429, which says that it was not processed, with the same body, and adds one pet', async () => {
  const { service, client } = world();
  service.keys.get('mock-free').exhaust('minute');
  const given = { name: 'Rex', categoryId: 2n ** 60n };
  const { data, attempts } = await client({ int64: 'bigint' }).createPet(given).withResponse();
  expect(attempts.map((attempt) => attempt.status)).toEqual([429, 201]);
  expect(data).toMatchObject(given);
  expect(service.pets.size).toBe(1);
  service.report().assertPolite({ rateLimited: 1 });
});

test('a service that answers 429 for ever is asked five times, and then the call is given up', async () => {
  const reply = errorResponse(429, undefined, { 'Retry-After': '1' });
  const error = await failureOf(reply, list, {}, RateLimitError);
  expect(error).toMatchObject({ reason: 'attempts', status: 429, requestSent: 'yes' });
  expect(error.attempts).toHaveLength(5);
  expect(error.message).toMatch(
    /^listPets on pets\.test: the service responded 429 5 times \("[^"]+"\) \(5 attempts\); it was not processed: try again after 20/,
  );
});

const date = 'Thu, 01 Jan 2026 00:00:20 GMT';
const hour = 3_600;
type Waits = [number | number[], number | string, number, object, object, number, string];

test.each<Waits>([
  // maxRetries is the number of tries after the first, which 429s do not use up.
  [503, 0, 9, { maxRetries: 0 }, {}, 1, 'ServerError'],
  [503, 0, 9, { maxRetries: 5 }, {}, 6, 'ServerError'],
  [503, 0, 9, { maxRetries: 5 }, { maxRetries: 1 }, 2, 'ServerError'],
  [[429, 503], 1, 4, {}, {}, 5, 'answered after 10 s'],
  [503, date, 1, {}, {}, 2, 'answered after 20 s'],
  // Within maxHold, which is two minutes.
  [503, 120, 1, {}, {}, 2, 'answered after 120 s'],
  [503, 121, 1, {}, {}, 1, 'ServerError'],
  [503, 600, 1, { gate: false, maxHold: 600_000 }, {}, 2, 'answered after 600 s'],
  [503, 86_400, 1, { gate: false }, {}, 1, 'ServerError'],
  [429, 7, 1, { gate: false }, {}, 1, 'attempts'],
  ...[429, 503].flatMap((status): Waits[] => {
    const refused = status === 429 ? 'hold' : 'ServerError';
    return [
      [status, hour, 1, { maxHold: 1_000 }, {}, 1, refused],
      [status, hour, 1, { maxHold: 1_000 }, { maxHold: Infinity }, 2, 'answered after 3600 s'],
      [status, hour, 1, { maxHold: Infinity }, { maxHold: 1_000 }, 1, refused],
    ];
  }),
  // maxWait bounds the waits of all attempts together.
  [503, 30, 9, {}, { maxWait: 0 }, 1, 'ServerError'],
  [503, 10, 9, {}, { maxWait: 11_099 }, 1, 'ServerError'],
  [503, 10, 9, { gate: false }, { maxWait: 9_999 }, 1, 'ServerError'],
  [503, 10, 9, {}, { maxWait: 11_100 }, 2, 'ServerError'],
  [503, 0, 9, {}, { maxWait: 1_099 }, 1, 'ServerError'],
  [503, 10, 9, {}, { maxWait: 25_000 }, 3, 'ServerError'],
  [429, 60, 2, { maxWait: 100_000 }, {}, 2, 'wait'],
  [429, 60, 2, { maxWait: 200_000 }, {}, 3, 'answered after 120 s'],
  [[429, 503], 40, 2, { maxWait: 65_000 }, {}, 2, 'ServerError'],
  [429, 60, 1, {}, { totalTimeout: 5_000 }, 1, 'deadline'],
  // There would be no time left for the attempt.
  [503, 20, 1, {}, { totalTimeout: 21_000 }, 1, 'ServerError'],
  [503, 20, 1, { gate: false }, { totalTimeout: 20_000 }, 1, 'ServerError'],
  [503, 20, 1, {}, { totalTimeout: 30_000 }, 2, 'answered after 20 s'],
])(
  'after %j with the Retry-After %s, %i times, with the options %j and %j of the call, %i requests are sent: %s',
  async (statuses, retryAfter, failures, options, call, sent, outcome) => {
    const clock = quickClock();
    const began = clock.monotonic();
    const busy = [statuses]
      .flat()
      .map((status) => errorResponse(status, {}, { 'Retry-After': String(retryAfter) }));
    const replies = Array.from({ length: failures }, (_, n) => busy[n % busy.length]!);
    const fetch = stubFetch(...replies, json([]));
    const ended = await stubClient(fetch, { clock, ...options })
      .listPets({}, call)
      .then(
        () => `answered after ${Math.floor((clock.monotonic() - began) / 10_000) * 10} s`,
        (error: unknown) =>
          error instanceof RateLimitError ? error.reason : (error as PetStoreError).name,
      );
    expect([ended, fetch.sent.length]).toEqual([outcome, sent]);
    // A wait that would be in vain is not begun, and a call that goes back to the gate sleeps nowhere else.
    if (sent === 1 || statuses === 429) expect(clock.waits).toHaveLength(sent - 1);
  },
);

test('the backoff is anywhere from nothing to a delay that doubles with each try, up to 8 s', async () => {
  for (const random of [0, 0.5, 0.999]) {
    const dice = vi.spyOn(Math, 'random').mockReturnValue(random);
    const clock = quickClock();
    await failureOf(errorResponse(500), list, { clock, gate: false, maxRetries: 8 });
    dice.mockRestore();
    const longest = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000];
    expect(clock.waits).toEqual(random === 0 ? [] : longest.map((ms) => random * ms));
  }
});

test('in a long outage the retries of a client run out at 100, and come back as its calls succeed, but not beyond', async () => {
  let isDown = false;
  const fetch = stubFetch(() => (isDown ? errorResponse(503) : json([])));
  const client = stubClient(fetch, { clock: quickClock() });
  const callsOf = async (down: boolean, count: number) => {
    const { length } = fetch.sent;
    isDown = down;
    for (let n = 0; n < count; n += 1) await client.listPets().catch(() => undefined);
    return fetch.sent.length - length;
  };
  expect(await callsOf(false, 20)).toBe(20);
  expect(await callsOf(true, 200)).toBe(300);
  expect(await callsOf(false, 10)).toBe(10);
  expect(await callsOf(true, 10)).toBe(10 + 2);
});

const noResponse = 'the function fetch gave no Response: in a test, make one with new Response()';

test.each([
  ...[{ ok: true, json: () => [] }, null, undefined, 'a text', { status: 200 }],
  { type: 'error' },
  { ok: true, status: 200, headers: new Map(), text: () => Promise.resolve('[]') },
  { status: 200, headers: new Headers(), text: () => Promise.resolve('[]') },
  { ok: true, headers: new Headers(), text: () => Promise.resolve('[]') },
])(
  'a fetch that gives %o instead of a Response fails its own calls only, and says what to do',
  async (given) => {
    let isBroken = true;
    const fetch = stubFetch(() => (isBroken ? (given as unknown as Response) : json([])));
    const client = stubClient(fetch);
    const errors = times(3, () => rejection(client.listPets(), ConfigurationError));
    for (const { message } of await Promise.all(errors))
      expect(message).toBe(`listPets on pets.test: ${noResponse}`);
    const error = await rejection(client.createPet(newPet), ConfigurationError);
    expect(error.message).toBe(
      `createPet on pets.test: ${noResponse}; it may have been processed: check before you send it again`,
    );
    expect(error.attempts).toMatchObject([{ status: undefined, failure: 'connection' }]);
    expect(fetch.sent).toHaveLength(4);
    isBroken = false;
    expect(await client.listPets()).toEqual([]);
  },
);

test('a fetch that gives Response.error() is a failed connection: a GET is sent again, of a POST it is unknown', async () => {
  const fetch = stubFetch(() => Response.error());
  const client = stubClient(fetch, { clock: quickClock() });
  const unknown = { requestSent: 'unknown', cause: { message: 'network error' } };
  for (const [call, sent] of [
    [() => client.listPets(), 3],
    [() => client.createPet(newPet), 1],
  ] as const) {
    expect(await rejection(call(), ConnectionError)).toMatchObject(unknown);
    expect(fetch.sent.splice(0)).toHaveLength(sent);
  }
});

test('a function that fails after a 429 to a POST leaves no doubt: it was not processed', async () => {
  let asked = 0;
  const headers = (): Record<string, string> => {
    if (++asked === 2) throw new Error('no trace');
    return {};
  };
  const busy = errorResponse(429, {}, { 'Retry-After': '1' });
  const error = await failureOf<ConfigurationError>(busy, undefined, { headers });
  expect(error.message).toBe('createPet on pets.test: the function headers failed: no trace');
  expect(error.attempts).toMatchObject([{ status: 429 }]);
});
