/** A mock in this process that is asked for 20 of 100 pets. */
export interface Mock {
  readonly ask: () => Promise<Response>;
  readonly stop?: () => void;
}

/** Each is loaded where it is measured, and nowhere else: some patch `fetch`. */
export const mocks = {
  'petstore-client/mocks, service.fetch': async (dist: URL) =>
    (await import('./ours.js')).ours(dist),
  'hono, app.fetch': async () => (await import('./hono.js')).hono(),
  '@mswjs/data': async () => (await import('./data.js')).data(),
  'msw 3, getResponse': async () => (await import('./msw.js')).mswGetResponse(3),
  'msw 2, getResponse': async () => (await import('./msw.js')).mswGetResponse(2),
  'msw 3, setupServer': async () => (await import('./msw.js')).mswServer(3),
  'msw 2, setupServer': async () => (await import('./msw.js')).mswServer(2),
} satisfies Record<string, (dist: URL) => Promise<Mock>>;

export type MockName = keyof typeof mocks;
