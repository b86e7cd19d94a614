import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { PetStoreError, type PetStoreClient, type RequestOptions } from '../../src/index.js';
import { cutBody, json, newPet, pet, quickClock, stubClient } from '../support/stub.js';
import { fc, fuzzRuns, fuzzSeed } from '../support/fuzz.js';
import { failing, recordingGate } from '../support/recording-gate.js';
import { turns } from '../support/world.js';

const key = 'sk-fuzz-4242424242';
const shown = (values: unknown[]) =>
  inspect(values, { depth: Infinity, showHidden: true }) + JSON.stringify(values);

/** What the service does with one request. */
const conduct = fc.record({
  kind: fc.constantFrom(
    ...['answer', 'answer', 'answer'],
    ...['throw', 'stall', 'cut', 'nonsense', 'error'],
  ),
  status: fc.constantFrom(200, 201, 204, 302, 304, 400, 401, 404, 408, 429, 429, 500, 503, 599),
  retryAfter: fc.constantFrom(undefined, '0', '1', '7', 'soon', '-1', '86401', '1e9'),
  remaining: fc.constantFrom(undefined, '0', '1', '59', 'many'),
  reset: fc.constantFrom(undefined, '0', '20', '1e9', '99999999999999'),
  body: fc.constantFrom('', '[]', '[{"id":', '<html>', `{"echo":"${key}"}`, JSON.stringify(pet())),
  delay: fc.integer({ min: 0, max: 3 }),
});
type Conduct = typeof conduct extends fc.Arbitrary<infer T> ? T : never;

const call = fc.record({
  method: fc.constantFrom('list', 'create', 'get', 'raw'),
  options: fc.record<RequestOptions>(
    {
      timeout: fc.constantFrom<number | false>(5, 10),
      totalTimeout: fc.constantFrom<number | false>(false, 1, 15, 100_000),
      maxWait: fc.constantFrom(0, 1, 60_000),
      maxHold: fc.constantFrom(0, 30_000, Infinity),
      maxRetries: fc.integer({ min: 0, max: 3 }),
      validation: fc.constantFrom('tolerant', 'strict'),
      priority: fc.constantFrom('normal', 'high'),
    },
    { requiredKeys: ['timeout'] },
  ),
  /** Turns of the event loop after which the caller gives up. */
  abortAfter: fc.option(fc.integer({ min: 0, max: 6 })),
});

/** A request as it reached the service, and the call that it belongs to. */
interface Arrival {
  readonly call: number;
  readonly method: string;
  status: number | 'none';
}

test('whatever the options, the aborts and the service: calls settle, nothing is sent too late or twice, each permit is used exactly once, and no key shows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 6 }),
      fc.array(conduct, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('shared', 'own', 'own whose permits fail', 'none'),
      fc.boolean(),
      async (calls, conducts, gate, hasKeyFunction) => {
        const own = recordingGate(undefined, gate === 'own' ? undefined : failing.throws);
        const arrivals: Arrival[] = [];
        const late: string[] = [];
        const over = new Map<number, string>();
        let conductAt = 0;
        let isFriendly = false;
        const fetch: typeof globalThis.fetch = async (input, init) => {
          const request = new Request(input, init);
          const number = Number(request.headers.get('x-call'));
          const arrival: Arrival = { call: number, method: request.method, status: 'none' };
          arrivals.push(arrival);
          if (over.has(number)) late.push(`call ${number} after ${over.get(number)}`);
          if (init?.signal?.aborted) late.push(`call ${number} with an aborted signal`);
          if (isFriendly) return json([]);
          const todo = conducts[conductAt++ % conducts.length]!;
          return conductRequest(todo, arrival, clock);
        };
        const clock = quickClock();
        const events: object[] = [];
        const client = stubClient(fetch, {
          apiKey: hasKeyFunction ? () => turns().then(() => key) : key,
          clock,
          onEvent: (event) => void events.push(event),
          maxHold: 90_000,
          gate: gate === 'none' ? false : gate === 'shared' ? undefined : own.gate,
        });

        const outcomes = await Promise.all(
          calls.map(async ({ method, options, abortAfter }, number) => {
            const controller = new AbortController();
            const { signal } = controller;
            const reason = new Error(`call ${number} is aborted`);
            if (abortAfter !== null)
              void turns(abortAfter).then(() => {
                over.set(number, 'its abort');
                controller.abort(reason);
              });
            const headers = { 'X-Call': String(number) };
            const outcome: unknown = await start(client, method, { ...options, headers, signal })
              .then(() => 'value')
              .catch((error: unknown) => error);
            over.set(number, 'its end');
            return { outcome, reason };
          }),
        );

        // The last attempt of a call may come when the service is at peace again.
        isFriendly = true;
        // A fetch that ignores its signal answers too late.
        await turns(10);
        for (const uses of own.permits) expect(uses).toHaveLength(1);
        expect(late).toEqual([]);
        for (const { outcome, reason } of outcomes)
          if (outcome !== 'value' && outcome !== reason)
            expect(outcome).toBeInstanceOf(PetStoreError);
        for (const number of calls.keys()) {
          const posts = arrivals.filter((one) => one.call === number && one.method === 'POST');
          expect(posts.slice(0, -1).filter(({ status }) => status !== 429)).toEqual([]);
        }
        expect(shown([...outcomes.map(({ outcome }) => outcome), ...events])).not.toContain(key);

        // A later call still gets through, as soon as the holds of the service are over.
        await clock.sleep(25 * 3_600_000);
        expect(await client.listPets({}, { timeout: 5_000 })).toEqual([]);
      },
    ),
    { numRuns: fuzzRuns(60), seed: fuzzSeed },
  );
}, 3_600_000);

function start(client: PetStoreClient, method: string, options: RequestOptions): Promise<unknown> {
  if (method === 'list') return client.listPets({}, options);
  if (method === 'create') return client.createPet(newPet, options);
  if (method === 'get') return client.getPet(1, options);
  return client.request({ method: 'POST', path: '/store/orders', body: {} }, options);
}

async function conductRequest(
  { kind, status, retryAfter, remaining, reset, body, delay }: Conduct,
  arrival: Arrival,
  clock: ReturnType<typeof quickClock>,
): Promise<Response> {
  await turns(delay);
  if (kind === 'throw') throw new TypeError(`fetch failed with Bearer ${key}`);
  if (kind === 'stall') return new Promise(() => undefined);
  if (kind === 'error') return Response.error();
  if (kind === 'nonsense') return { ok: true } as Response;
  arrival.status = status;
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (retryAfter !== undefined) headers.set('Retry-After', retryAfter);
  if (remaining !== undefined) {
    headers.set('X-RateLimit-Limit', '60');
    headers.set('X-RateLimit-Remaining', remaining);
  }
  if (reset !== undefined)
    headers.set('X-RateLimit-Reset', String(clock.now() / 1_000 + Number(reset)));
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? (kind === 'cut' ? cutBody(body + ' ') : body) : null, {
    status,
    headers,
  });
}
