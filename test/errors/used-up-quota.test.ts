import { expect, test } from 'vitest';
import { GateRefusedError, type RateLimitError, type RateLimitGate } from '../../src/index.js';
import { json, quickClock, stubClient, stubFetch } from '../support/stub.js';
import { rejection, world } from '../support/world.js';

const named = /: (the quota of the .+ is used up.*), and /;

test.each([
  ['free', 60, 1_000],
  ['pro', 300, 10_000],
  ['business', 1_000, 100_000],
] as const)(
  'the error of a call on the plan %s names the quota that is used up, and is not certain of a day where it can be a ban',
  async (plan, perMinute, perDay) => {
    const day = (limit: number) =>
      `the quota of the day (${limit} requests) is used up, or the key is banned`;
    // The response to a banned key states the limit of the plan, and the end of the ban as its reset.
    const ofBan = plan === 'business' ? day(perMinute) : undefined;
    for (const [quota, ban, shown] of [
      ['minute', undefined, `the quota of the minute (${perMinute} requests) is used up`],
      ['day', undefined, day(perDay)],
      ['minute', '150s', ofBan],
      ['minute', '10m', ofBan],
      ['day', '10m', day(perDay)],
    ] as const) {
      const { service, client } = world({ now: '2026-06-01T12:00:30Z' });
      const key = service.keys.get(`mock-${plan}`);
      key.exhaust(quota);
      if (ban !== undefined) key.ban(ban);
      const own = client({ apiKey: `mock-${plan}`, rateLimit: { maxWait: 1_000 } });
      const { message } = await rejection<RateLimitError>(own.listPets());
      expect(named.exec(message)?.[1], `${quota}, ban: ${ban}`).toBe(shown);
    }
  },
);

/** The message of a call that a gate refuses with a wait, after a response that reported an exhausted quota. */
async function refused(
  reset: number,
  wait: number | undefined,
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
  const client = stubClient(stubFetch(json([], { headers })), { rateLimit: { gate }, clock });
  await client.listPets();
  return (await rejection<RateLimitError>(client.listPets())).message;
}

test.each([
  ['a minute that is over soon', 40, 41_000, 'of the minute (1000 requests) is used up'],
  ['a second window of a minute', 20, 80_000, 'of the minute (1000 requests) is used up'],
  ['a day', 7_200, 7_201_100, 'of the day (1000 requests) is used up, or the key is banned'],
  [
    'the last minutes of a day',
    120,
    121_000,
    'of the day (1000 requests) is used up, or the key is banned',
  ],
] as const)(
  'an exhausted quota that resets with the wait is named: %s',
  async (_, reset, wait, shown) => {
    for (const reason of ['wait', 'hold'] as const)
      expect(named.exec(await refused(reset, wait, reason))?.[1]).toBe(`the quota ${shown}`);
  },
);

test.each([
  ['several windows of a minute', 40, 160_000],
  ['a ban', 60, 150_000],
  ['a ban that ends before the day', 7_200, 600_000],
  ['a short wait in an exhausted day', 7_200, 60_000],
  ['a quota that was reset long ago', -3_600, 600_000],
  ['a wait of unknown length', 40, undefined],
] as const)('no quota is named as the reason of %s', async (_, reset, wait) => {
  expect(await refused(reset, wait)).not.toMatch(named);
});
