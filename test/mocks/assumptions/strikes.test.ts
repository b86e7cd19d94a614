import { expect, test } from 'vitest';
import type { GivenAssumptions } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';
import { assume } from '../../support/assume.js';

/** What requests sent at these moments (ms after the first 429) are answered: 200, 429 or ban. */
async function answersAt(assumptions: GivenAssumptions, moments: readonly number[]) {
  const service = assume(assumptions);
  service.keys.get('mock-free').exhaust('minute');
  const found: unknown[] = [];
  let at = 0;
  for (const moment of [0, ...moments]) {
    service.clock.advance(moment - at);
    at = moment;
    const { status, json } = await call(service, '/pets');
    found.push(json.code === 'api_key_banned' ? 'ban' : status);
  }
  return found;
}

test.for<[GivenAssumptions, moments: readonly number[], answers: readonly unknown[]]>([
  [{ strikes: 2 }, [1, 2, 3], [429, 429, 'ban', 'ban']],
  [{ strikes: 1, ban: 90_000 }, [1, 90_000, 90_001], [429, 'ban', 'ban', 200]],
  [{ strikes: 'never' }, [1, 2, 3, 4, 5, 6, 60_000], [...new Array<number>(7).fill(429), 200]],
  [{ strikes: 1, grace: 2_000 }, [0, 1_999, 2_000], [429, 429, 429, 'ban']],
  [{ strikes: 1, grace: 0 }, [0], [429, 'ban']],
  [{ strikes: 1 }, [0], [429, 'ban']],
])('under %j, requests %j ms after a 429 are answered %j', async ([assumptions, at, answers]) => {
  expect(await answersAt(assumptions, at)).toEqual(answers);
});

test('the next request that is admitted resets the strikes to 0', async () => {
  const service = assume({ strikes: 2 });
  for (let minute = 0; minute < 3; minute++) {
    service.keys.get('mock-free').exhaust('minute');
    for (const status of [429, 429]) expect((await call(service, '/pets')).status).toBe(status);
    expect(service.keys.get('mock-free').strikes).toBe(1);
    service.clock.advance('61s');
    await call(service, '/pets');
    expect(service.keys.get('mock-free').strikes).toBe(0);
  }
});

test.for([429, 403, 401, 503] as const)('a banned key gets %i as assumed', async (status) => {
  for (const isShown of [true, false]) {
    const answers = { banned: { status, body: isShown, retryAfter: isShown } };
    const service = assume({ answers });
    service.keys.get('mock-free').ban('10s');
    const { headers, ...answer } = await call(service, '/pets');
    expect([answer.status, answer.text !== '']).toEqual([status, isShown]);
    expect(headers.get('retry-after')).toBe(isShown ? '10' : null);
  }
});
