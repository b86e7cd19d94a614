import { expect, test } from 'vitest';
import type { Assumptions, GivenAssumptions } from '../../../mocks/index.js';
import { call } from '../../support/raw.js';
import { assume } from '../../support/assume.js';

/** The codes of requests sent at these moments (ms after the first 429). */
async function codesAt(
  strikeRule: NonNullable<GivenAssumptions['strikeRule']>,
  moments: readonly number[],
  retryAfter: Assumptions['retryAfter'] = 'seconds',
) {
  const service = assume({ strikeRule, retryAfter });
  service.keys.get('mock-free').exhaust('minute');
  const codes = [(await call(service, '/pets')).json.code];
  let at = 0;
  for (const moment of moments) {
    service.clock.advance(moment - at);
    at = moment;
    const { status, json } = await call(service, '/pets');
    codes.push(status === 200 ? 'ok' : json.code);
  }
  return codes.map((code) =>
    code === 'rate_limit_exceeded' ? '429' : code === 'api_key_banned' ? 'ban' : code,
  );
}

test('strikeRule: the given number of strikes bans for the given time, and never disables bans', async () => {
  expect(await codesAt({ strikes: 2 }, [1, 2, 3])).toEqual(['429', '429', 'ban', 'ban']);
  expect(await codesAt({ strikes: 1, ban: 90_000 }, [1, 90_000, 90_001])).toEqual([
    '429',
    'ban',
    'ban',
    'ok',
  ]);
  expect(await codesAt('never', [1, 2, 3, 4, 5, 6, 7, 60_000])).toEqual([
    ...new Array<string>(8).fill('429'),
    'ok',
  ]);
});

test('strikeRule: grace spares requests that may have been in flight', async () => {
  expect(await codesAt({ strikes: 1, grace: 2_000 }, [0, 1_999, 2_000])).toEqual([
    '429',
    '429',
    '429',
    'ban',
  ]);
  expect(await codesAt({ strikes: 1, grace: 0 }, [0])).toEqual(['429', 'ban']);
});

test('strikeRule: a cool-down lasts until a request is allowed, or until the announced time', async () => {
  expect(await codesAt({ strikes: 1, until: 'admitted' }, [60_000], 90)).toEqual(['429', 'ok']);
  expect(await codesAt({ strikes: 1, until: 'retry-after' }, [60_000], 90)).toEqual(['429', 'ban']);
  expect(await codesAt({ strikes: 1, until: 'retry-after' }, [1_000, 1_500], 1)).toEqual([
    '429',
    '429',
    'ban',
  ]);
});

test('strikeRule: strikes are forgotten with the next request admitted, never, or after a time', async () => {
  const twice = async (forget: 'admitted' | 'never' | number) => {
    const service = assume({ strikeRule: { strikes: 2, forget } });
    const strike = async () => {
      service.keys.get('mock-free').exhaust('minute');
      await call(service, '/pets');
      return (await call(service, '/pets')).json.code;
    };
    const first = await strike();
    service.clock.advance('61s');
    await call(service, '/pets');
    return [first, await strike()];
  };
  expect(await twice('admitted')).toEqual(['rate_limit_exceeded', 'rate_limit_exceeded']);
  expect(await twice('never')).toEqual(['rate_limit_exceeded', 'api_key_banned']);
  expect(await twice(60_000)).toEqual(['rate_limit_exceeded', 'rate_limit_exceeded']);
  expect(await twice(120_000)).toEqual(['rate_limit_exceeded', 'api_key_banned']);
});

test('strikeRule: extend restarts the ban with every request', async () => {
  const moments = [1, 50_000, 100_002];
  expect(await codesAt({ strikes: 1, ban: 100_000, extend: false }, moments)).toEqual([
    '429',
    'ban',
    'ban',
    'ok',
  ]);
  expect(await codesAt({ strikes: 1, ban: 100_000, extend: true }, moments)).toEqual([
    '429',
    'ban',
    'ban',
    'ban',
  ]);
});

test.for([429, 403, 401, 503] as const)(
  'bannedAnswer is answered with the status %i, with or without body and Retry-After',
  async (status) => {
    for (const [body, retryAfter] of [
      [true, true],
      [false, false],
    ] as const) {
      const service = assume({ bannedAnswer: { status, body, retryAfter } });
      service.keys.get('mock-free').ban('10s');
      const answer = await call(service, '/pets');
      expect([answer.status, answer.text === '', answer.headers.get('retry-after')]).toEqual([
        status,
        !body,
        retryAfter ? '10' : null,
      ]);
    }
  },
);
