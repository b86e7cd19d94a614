import { createMockService, type MockService, type MockServiceOptions } from '../../mocks/index.js';
import { toAssumptions, type Measurable } from '../../mocks/verify/earlier-names.js';
import { verifyService, type VerifyOptions, type VerifyReport } from '../../mocks/verify/index.js';

/** Allows every case. */
export const everything = {
  allow: ['posts', 'create', 'rate-limit'],
  maxRequests: 250,
  maxPets: 6,
} as const;

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
        unknownPathNeedsKey: false,
        dateHeader: false,
        answers: {
          limitBelow: { status: 422 },
          limitAbove: 'clamp',
          limitNotANumber: 'ignore',
          rateLimited: { body: false },
        },
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
    ...everything,
  });
}

/** Verifies a mock service with these assumptions on its own virtual time. */
export async function verifyMock(
  assumptions: Measurable = {},
  options: Partial<VerifyOptions> = {},
  more: MockServiceOptions = {},
): Promise<{ service: MockService; report: VerifyReport }> {
  const service = createMockService({
    clock: 'virtual',
    seed: 30,
    assumptions: toAssumptions(assumptions),
    ...more,
  });
  const report = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'mock-free',
    fetch: service.fetch,
    clock: service.clock,
    ...options,
  });
  return { service, report };
}
