import { expect, test, vi } from 'vitest';
import {
  createRateLimitGate,
  type ApiError,
  type ConfigurationError,
  type PetStoreError,
  type RateLimitGate,
  type ResponseValidationError,
  type TimeoutError,
} from '../../src/index.js';
import { errorResponse, json, pet, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection, times } from '../support/world.js';

test.each([{ ok: true, json: () => [] }, null, undefined, 'a text', { status: 200 }])(
  'a fetch that gives %o instead of a Response fails its own calls only, and says what to do',
  async (given) => {
    let isBroken = true;
    const fetch = stubFetch(() => (isBroken ? (given as unknown as Response) : json([])));
    const client = stubClient(fetch);
    for (const error of await Promise.all(
      times(3, () => rejection<ConfigurationError>(client.listPets())),
    )) {
      expect(error.name).toBe('ConfigurationError');
      expect(error.message).toBe(
        'listPets on pets.test: the function fetch gave no Response: in a test, make one with new Response()',
      );
    }
    expect(fetch.sent).toHaveLength(3);
    isBroken = false;
    expect(await client.listPets()).toEqual([]);
  },
);

const newPet = { name: 'Rex', categoryId: 1 };

test('a fetch that gives no Response may have sent the POST, and the error says so', async () => {
  const given = { ok: true } as Response;
  const error = await rejection<ConfigurationError>(
    stubClient(stubFetch(() => given)).createPet(newPet),
  );
  expect(error.message).toBe(
    'createPet on pets.test: the function fetch gave no Response: in a test, make one with new Response(); ' +
      'it may have been processed: check before you send it again',
  );
  expect(error.attempts).toMatchObject([{ status: undefined, failure: 'connection' }]);
});

test('a function that fails after a 429 to a POST leaves no doubt: it was not processed', async () => {
  let calls = 0;
  const headers = (): Record<string, string> => {
    calls += 1;
    if (calls === 2) throw new Error('no trace');
    return {};
  };
  const fetch = stubFetch(errorResponse(429, {}, { 'Retry-After': '1' }));
  const client = stubClient(fetch, { headers, clock: quickClock() });
  const error = await rejection<ConfigurationError>(client.createPet(newPet));
  expect(error.message).toBe('createPet on pets.test: the function headers failed: no trace');
  expect(error.attempts).toMatchObject([{ status: 429 }]);
});

test('a custom gate that fails when a response is reported does not lose the response, and its permit is used once', async () => {
  const lose = vi.fn();
  const gate: RateLimitGate = {
    acquire: () =>
      Promise.resolve({
        settle: () => {
          throw new Error('no more');
        },
        lose,
        cancel: () => undefined,
      }),
  };
  const client = stubClient(stubFetch(json(pet(), { status: 201 })), { gate });
  expect(await client.createPet({ name: 'Rex', categoryId: 1 })).toEqual(pet());
  expect(lose).not.toHaveBeenCalled();
});

test('nothing is sent once totalTimeout has passed, also when the event loop was blocked until then', async () => {
  const fetch = stubFetch(json(pet(), { status: 201 }));
  const permits: string[] = [];
  const inner = createRateLimitGate();
  const gate: RateLimitGate = {
    async acquire(call) {
      const permit = await inner.acquire(call);
      const until = performance.now() + 40;
      while (performance.now() < until);
      return { ...permit, cancel: () => (permits.push('cancelled'), permit.cancel()) };
    },
  };
  const client = stubClient(fetch, { gate, totalTimeout: 20 });
  const error = await rejection<TimeoutError>(client.createPet({ name: 'Rex', categoryId: 1 }));
  expect(error).toMatchObject({ name: 'TimeoutError', requestSent: 'no', attempts: [] });
  expect(fetch.sent).toEqual([]);
  expect(permits).toEqual(['cancelled']);
});

/** A response whose headers are here, and whose body never ends. */
const stalled = (status: number) => () =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array([123])) }), {
    status,
    headers: { 'Retry-After': '0' },
  });

/** A call while its timeout of 20 ms passes, in fake time, after all that waits for no timer is done. */
async function pastTimeout<T>(begin: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const call = begin();
    call.catch(() => undefined);
    for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
    // Twice as long: where this took so long that the event loop seems blocked, the client reads for 20 ms more.
    await vi.advanceTimersByTimeAsync(40);
    return await call;
  } finally {
    vi.useRealTimers();
  }
}

test.each([400, 401, 500])(
  'a %i whose body stalls is the error of its status, also for createPet',
  async (status) => {
    const client = stubClient(stubFetch(stalled(status)), { timeout: 20 });
    const error = await rejection<ApiError>(
      pastTimeout(() => client.createPet({ name: 'Rex', categoryId: 1 })),
    );
    expect([error.status, error.attempts.length]).toEqual([status, 1]);
    expect(error.message).toContain('with a body that is cut short');
  },
);

test('a 429 to createPet whose body stalls is retried: it was not processed', async () => {
  const fetch = stubFetch(stalled(429), json(pet(), { status: 201 }));
  const client = stubClient(fetch, { timeout: 20, clock: quickClock() });
  const created = await pastTimeout(() => client.createPet({ name: 'Rex', categoryId: 1 }));
  expect(created).toEqual(pet());
  expect(fetch.sent).toHaveLength(2);
});

test('a success whose body stalls is a TimeoutError', async () => {
  const client = stubClient(stubFetch(stalled(201)), { timeout: 20 });
  const error = await rejection<TimeoutError>(
    pastTimeout(() => client.createPet({ name: 'Rex', categoryId: 1 })),
  );
  expect(error).toMatchObject({
    name: 'TimeoutError',
    requestSent: 'yes',
    attempts: [{ status: 201, failure: 'timeout' }],
  });
  expect(error.message).toBe(
    'createPet on pets.test: 201, but no complete body within timeout (20 ms); the request took effect: do not send it again',
  );
});

test.each([{}, { gate: false as const }])(
  'a key function that takes 3 s and gives a new key each time gets its requests sent (%o)',
  async (options) => {
    const clock = quickClock();
    let minted = 0;
    const apiKey = async () => {
      await clock.sleep(3_000);
      return `minted-key-${++minted}`;
    };
    const fetch = stubFetch(json([]));
    const client = stubClient(fetch, { clock, apiKey, ...options });
    await Promise.all(times(5, () => client.listPets()));
    expect(fetch.sent).toHaveLength(5);
    expect(minted).toBeLessThanOrEqual(10);
  },
);

test('a body of more than 16 MiB is not read to its end, whether its length is stated or not', async () => {
  const longest = 16 * 2 ** 20;
  const sized = (length: number) => () => new Response(`[${' '.repeat(length - 2)}]`);
  const error = await rejection<ResponseValidationError>(
    stubClient(stubFetch(sized(longest + 1))).listPets(),
  );
  expect(error.message).toContain('the body is too large');
  const stated = stubFetch(() => json([], { headers: { 'Content-Length': `${longest + 1}` } }));
  expect((await rejection<PetStoreError>(stubClient(stated).listPets())).message).toContain(
    'too large',
  );
  expect(await stubClient(stubFetch(sized(longest))).listPets()).toEqual([]);
});
