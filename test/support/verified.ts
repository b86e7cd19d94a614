import type { MockService, MockServiceOptions } from '../../mocks/index.js';
import { verifyService, type VerifyReport } from '../../mocks/verify/index.js';

/** Services that every case of the verification is asked of: the mock by default, and one with other answers. */
export const verifiedServices: readonly { title: string; options: MockServiceOptions }[] = [
  { title: 'by default', options: { clock: 'virtual', seed: 30 } },
  {
    title: 'under other assumptions',
    options: {
      clock: 'virtual',
      seed: [1n, 30n, 9007199254740993n, 9223372036854775807n].map((id) => ({
        id,
        name: `Rex ❤ 犬 ${id}`,
        categoryId: id,
        status: 'sold',
      })),
      assumptions: {
        minuteWindow: 'sliding',
        countingScope: 'key-and-operation',
        invalidLimit: { below: 422, above: 'clamp', notANumber: 'default' },
        unknownPathNeedsKey: false,
        dateHeader: false,
        rateLimitBody: 'none',
        retryAfter: 'http-date',
        resetUnit: 'unix-milliseconds',
        maxBodyBytes: 20_000,
      },
    },
  },
];

/** Asks every case of a service on virtual time, through `send`. */
export function verified(
  service: MockService,
  baseUrl: string,
  send: typeof fetch,
): Promise<VerifyReport> {
  return verifyService({
    baseUrl,
    apiKey: 'mock-free',
    secondKey: 'mock-pro',
    fetch: send,
    clock: service.clock,
    allow: ['posts', 'create', 'rate-limit'],
    maxRequests: 100,
    maxPets: 6,
  });
}
