import { expect, test } from 'vitest';
import { GateRefusedError, type RateLimitError, type RateLimitGate } from '../../src/index.js';
import { json, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

const named = /: ((?:a|the) quota .+ is used up.*), and /;

test.each([
  ['minute', undefined],
  ['day', undefined],
  ['minute', '40s'],
  ['minute', '10m'],
  ['day', '10m'],
] as const)(
  'where the service says why it stops a key, the error names no other reason: %s, ban: %s',
  async (quota, ban) => {
    for (const plan of ['free', 'business'] as const) {
      const { service, client } = world({ now: '2026-06-01T23:59:20Z' });
      const key = service.keys.get(`mock-${plan}`);
      key.exhaust(quota);
      if (ban !== undefined) key.ban(ban);
      const own = client({ apiKey: `mock-${plan}`, maxWait: 1_000 });
      const { message } = await rejection<RateLimitError>(own.listPets());
      expect(message).not.toMatch(named);
      expect(message).toMatch(/ \(".+"\)/);
    }
  },
);

/** The message of a call that a gate refuses with a wait, after a response that reported an exhausted quota. */
async function refused(
  reset: number,
  wait: number,
  reason: 'wait' | 'hold' = 'wait',
): Promise<string> {
  const clock = quickClock();
  let calls = 0;
  const settle = () => undefined;
  const gate: RateLimitGate = {
    acquire: () =>
      calls++ === 0
        ? Promise.resolve({ settle, lose: settle, cancel: settle })
        : Promise.reject(new GateRefusedError(reason, wait)),
  };
  const headers = {
    'X-RateLimit-Limit': '1000',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(clock.now() / 1_000 + reset),
  };
  const client = stubClient(stubFetch(json([], { headers })), { gate, clock });
  await client.listPets();
  return (await rejection<RateLimitError>(client.listPets())).message;
}

test.each(['wait', 'hold'] as const)(
  'where only the headers tell, the error with the reason %s says that a quota is used up, and not which',
  async (reason) => {
    expect(named.exec(await refused(40, 41_000, reason))?.[1]).toBe(
      'a quota (1000 requests) is used up, or the key is banned',
    );
  },
);

test('a quota that was reset already is not named', async () => {
  expect(await refused(-3_600, 600_000)).not.toMatch(named);
});
