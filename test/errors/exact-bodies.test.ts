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
        gate: false,
      });
      const error = await rejection<ApiError | RateLimitError>(client.listPets());
      expect(error).toMatchObject({ code: 'conflict', body: { pets: [{ id }] } });
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({
        body: { code: 'conflict', message: 'm', status: 409, pets: [{ id: '9007199254740993' }] },
      });
    }
  },
);

test.each([
  ['421908261219883104000', '421908261219883100'],
  // Cut, then rounded: neither the key nor the rounded key begins like this.
  ['421969314677743933437', '42196931467774393.0'],
])(
  'an error body does not show the key of digits %s that the service has rounded to %s',
  async (apiKey, rounded) => {
    const body = `{"key":${rounded}}`;
    const error = await rejection<ApiError>(
      stubClient(stubFetch(json(body, { status: 400 })), { apiKey }).listPets(),
    );
    expect(error.body).toEqual({ key: '[text withheld: it contains the API key]' });
  },
);
