import { expect, test } from 'vitest';
import type { ApiError, Int64Mode, RateLimitError } from '../../src/index.js';
import { json, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const text = '{"code":"conflict","message":"m","status":409,"pets":[{"id":9007199254740993}]}';

test.each([
  ['number', '9007199254740993'],
  ['bigint', 9007199254740993n],
] as const)(
  'an integer in the body of an error is exact, and toJSON writes it, with int64: %s',
  async (int64, id) => {
    for (const status of [409, 429]) {
      const client = stubClient<Int64Mode>(stubFetch(json(text, { status })), {
        int64,
        rateLimit: false,
      });
      const error = await rejection<ApiError | RateLimitError>(client.listPets());
      expect(error).toMatchObject({ code: 'conflict', body: { pets: [{ id }] } });
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({
        body: { code: 'conflict', message: 'm', status: 409, pets: [{ id: '9007199254740993' }] },
      });
    }
  },
);

test.each(['421908261219883100', '4219082612198831040.0', '4.219082612198831e20'])(
  'an error body does not show a key of digits that the service has rounded to %s',
  async (rounded) => {
    const options = { apiKey: '421908261219883104000' };
    const body = `{"key":${rounded}}`;
    const error = await rejection<ApiError>(
      stubClient(stubFetch(json(body, { status: 400 })), options).listPets(),
    );
    expect(error.body).toEqual({ key: '[API key]' });
  },
);
