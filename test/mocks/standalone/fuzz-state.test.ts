// The real program with --state: random requests to the service and to the control API, ended by SIGKILL at random
// moments and started again. FUZZ_RUNS sets the number of runs, FUZZ_SEED repeats one.
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { useProgram, type Started } from '../../support/standalone.js';

const { folder, start } = useProgram();
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 3);
const seed = process.env['FUZZ_SEED'];

interface Step {
  readonly method: string;
  readonly path: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const name = fc.string({ maxLength: 8 });
const id = fc.constantFrom('1', '2', '3', '9', '21', '9223372036854775807', '-5');
const status = fc.constantFrom('available', 'pending', 'sold');
const pet = fc.record(
  { name, categoryId: fc.integer(), status },
  { requiredKeys: ['name', 'categoryId'] },
);
const ownPet = fc.record(
  { id: fc.integer({ min: -3, max: 40 }), name, categoryId: fc.maxSafeInteger(), status },
  { requiredKeys: ['name', 'categoryId'] },
);
const key = fc.constantFrom('mock-free', 'mock-pro', 'tiny', 'other');
const duration = fc.constantFrom(0.5, '61s', '0.0005s', 1234.25, '1d', '600.0005s', -1, 1e300);
const change = fc.record(
  {
    plan: fc.constantFrom('free', 'pro', 'gold', { perMinute: 3, perDay: 7 }),
    limits: fc.constantFrom('on', 'off', 'x'),
    remaining: fc.record({ minute: fc.nat(70), day: fc.nat(1_100) }, { requiredKeys: [] }),
    exhaust: fc.constantFrom('minute', 'day'),
    ban: duration,
    unban: fc.constant(true),
    revoke: fc.constant(true),
  },
  { requiredKeys: [] },
);

const call = (method: string, path: fc.Arbitrary<string>, body?: fc.Arbitrary<unknown>) =>
  fc.record({ method: fc.constant(method), path, ...(body && { body }) });
const control = (method: string, path: string, body?: fc.Arbitrary<unknown>) =>
  call(method, fc.constant(`/_mock${path}`), body);
const withKey = (step: fc.Arbitrary<Step>) =>
  fc.tuple(step, key).map(([each, own]) => ({ ...each, key: own }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: withKey(call('POST', fc.constant('/v1/pets'), pet)) },
  { weight: 3, arbitrary: withKey(call('GET', fc.constant('/v1/pets?limit=5'))) },
  withKey(call('POST', fc.constant('/v1/pets'), fc.jsonValue({ maxDepth: 2 }))),
  control('POST', '/pets', fc.oneof(ownPet, fc.array(ownPet, { maxLength: 4 }))),
  control('POST', '/pets', fc.record({ seed: fc.nat(30) })),
  call(
    'PATCH',
    id.map((one) => `/_mock/pets/${one}`),
    fc.record({ status }),
  ),
  call(
    'DELETE',
    id.map((one) => `/_mock/pets/${one}`),
  ),
  control('DELETE', '/pets'),
  {
    weight: 4,
    arbitrary: call(
      'PUT',
      key.map((one) => `/_mock/keys/${one}`),
      change,
    ),
  },
  { weight: 2, arbitrary: control('POST', '/clock', fc.record({ advance: duration })) },
  control('POST', '/clock', fc.record({ set: fc.constantFrom('2030-12-05', 1_800_000_000_000.5) })),
  control('POST', '/reset'),
  control(
    'PUT',
    '/assumptions',
    fc.constantFrom({}, { idAssignment: 'random' }, { omittedStatus: 'absent' }),
  ),
  control('POST', '/faults', fc.constantFrom({ 'drop-body': true, times: 1 }, { hang: 'x' })),
  call('PUT', fc.constant('/_mock/snapshot'), fc.constant('newest')),
  // A page of another site, which is refused.
  control('POST', '/pets', fc.record({ seed: fc.nat(9) })).map((foreign) => ({
    ...foreign,
    headers: { Origin: 'https://evil.test' },
  })),
);

async function send(
  { url }: Started,
  { method, path, key, body, headers }: Step,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      Connection: 'close',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text().catch(() => 'cut off') };
}

interface State {
  readonly keys: readonly { readonly key: string }[];
  readonly now: unknown;
  readonly nextId: unknown;
  readonly pets: unknown;
}

/** Everything that a restart keeps: the pets of production, the keys with their counts and strikes, and the clock. */
async function kept(started: Started): Promise<{ text: string; state: object }> {
  const { text } = await send(started, { method: 'GET', path: '/_mock/snapshot' });
  const { keys, now, nextId, pets } = JSON.parse(text) as State;
  const sorted = keys.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return { text, state: { now, nextId, pets, keys: sorted } };
}

let runs = 0;

test(
  'what was answered is there after every SIGKILL, and what was refused never is',
  { timeout: 60_000 + numRuns * 20_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            { weight: 9, arbitrary: step },
            { weight: 1, arbitrary: fc.constant('kill' as const) },
          ),
          {
            minLength: 30,
            maxLength: 60,
          },
        ),
        async (steps) => {
          const file = join(folder, `fuzz-${++runs}.db`);
          const begin = (...more: string[]) =>
            start('--state', file, '--clock', 'virtual', ...more);
          let program = await begin('--key', 'tiny=2/9');
          let newest = (await kept(program)).text;
          const restart = async () => {
            const before = await kept(program);
            program.child.kill('SIGKILL');
            await program.exit;
            program = await begin();
            expect((await kept(program)).state).toEqual(before.state);
            return before.text;
          };
          for (const each of steps) {
            if (each === 'kill') {
              newest = await restart();
              continue;
            }
            const before = await kept(program);
            const body = each.body === 'newest' ? newest : each.body;
            const { status, text } = await send(program, { ...each, body });
            expect([status < 500, text]).toEqual([true, expect.anything()]);
            // A refused request of the service may count against the quota of its key; one of the control API changes nothing.
            if (status >= 400 && each.path.startsWith('/_mock/'))
              expect((await kept(program)).state).toEqual(before.state);
          }
          await restart();
          program.child.kill('SIGKILL');
          await program.exit;
        },
      ),
      { numRuns, endOnFailure: true, ...(seed !== undefined && { seed: Number(seed) }) },
    );
  },
);

test(
  'a SIGKILL in the middle of concurrent changes keeps each of them whole, and all that were answered',
  { timeout: 60_000 + numRuns * 20_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), async (killAfter) => {
        const file = join(folder, `burst-${++runs}.db`);
        const begin = () => start('--state', file, '--seed', '0', '--key', 'fast=100000/1000000');
        const first = await begin();
        const answered = new Set<string>();
        let count = 0;
        const batch = (at: number) =>
          Array.from({ length: 5 }, (_none, index) => ({
            name: `batch ${at} ${index}`,
            categoryId: 1,
          }));
        const change = async (at: number) => {
          const sent: Step =
            at % 4 === 0
              ? { method: 'POST', path: '/_mock/pets', body: batch(at) }
              : {
                  method: 'POST',
                  path: '/v1/pets',
                  key: 'fast',
                  body: { name: `pet ${at}`, categoryId: 1 },
                };
          const { status } = await send(first, sent).catch(() => ({ status: 0 }));
          if (status === 201) answered.add(`pet ${at}`);
          if (status === 200) for (const one of batch(at)) answered.add(one.name);
          if (status > 0 && ++count === killAfter) first.child.kill('SIGKILL');
        };
        await Promise.all(Array.from({ length: 80 }, (_none, at) => change(at)));
        first.child.kill('SIGKILL');
        await first.exit;
        const second = await begin();
        const { text } = await send(second, { method: 'GET', path: '/_mock/snapshot' });
        const names = (JSON.parse(text) as { pets: { name: string }[] }).pets.map(
          (one) => one.name,
        );
        expect([...answered].filter((one) => !names.includes(one))).toEqual([]);
        expect(new Set(names).size).toBe(names.length);
        for (let at = 0; at < 80; at += 4)
          expect(names.filter((one) => one.startsWith(`batch ${at} `)).length % 5).toBe(0);
        second.child.kill('SIGKILL');
        await second.exit;
      }),
      { numRuns, endOnFailure: true, ...(seed !== undefined && { seed: Number(seed) }) },
    );
  },
);
