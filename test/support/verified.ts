import {
  createMockService,
  type GivenAssumptions,
  type MockService,
  type MockServiceOptions,
} from '../../mocks/index.js';
import { verifyService, type VerifyOptions, type VerifyReport } from '../../mocks/verify/index.js';

/** Allows every request. */
export const everything = {
  allow: ['posts', 'create', 'rate-limit'],
  maxRequests: 250,
} as const;

/** Services that everything is asked of: the mock by default, and one with other answers. */
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

/** What stands where the service is expected: it gets the requests, and may pass them to a mock service. */
export type Target = (service: MockService) => typeof fetch;

type Answer = Pick<Response, 'status' | 'headers'> & { readonly text: string };

/** A service whose answers are changed on their way. */
export const changed =
  (change: (answer: Answer, request: Request) => Partial<Answer> | undefined): Target =>
  (service) =>
  async (input, init) => {
    const request = new Request(input, init);
    const response = await service.fetch(request.clone());
    const headers = new Headers(response.headers);
    const answer = { status: response.status, headers, text: await response.text() };
    const { text, ...rest } = { ...answer, ...change(answer, request) };
    return new Response(text === '' ? null : text, rest);
  };

/** Verifies a mock service with these assumptions on its own virtual time. */
export async function verifyMock(
  assumptions: GivenAssumptions = {},
  options: Partial<VerifyOptions> = {},
  more: MockServiceOptions = {},
  target: Target = (service) => service.fetch,
): Promise<{ service: MockService; report: VerifyReport }> {
  const service = createMockService({ clock: 'virtual', seed: 30, assumptions, ...more });
  const report = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'mock-free',
    fetch: target(service),
    clock: service.clock,
    ...options,
  });
  return { service, report };
}
